/** The pages of the menu by their paths. */
export type PageName = "/" | "/decide" | "/approvals" | "/find" | "/reconcile" | "/upload" | "/help";

/** What stands on every page. */
export const FRAME_WORDS = {
  roles: { view: "looks", decide: "decides", approve: "approves" },
  test: "Test service at {host} · no money moves",
  live: "Real service at {host} · real money",
  stale_label: "This page is old",
  stale: "This page does not change any more: the desk does not answer.",
  stale_todo: "Do not decide by it. Load it again. If that fails, tell whoever runs paydrop.",
} as const;
