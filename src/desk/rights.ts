import { approve } from "../acts/approve.ts";
import { cancel } from "../acts/cancel.ts";
import { putAway, resumeInbox, stopInbox } from "../acts/inbox.ts";
import { pause } from "../acts/pause.ts";
import { reconcile } from "../acts/reconcile.ts";
import { release } from "../acts/release.ts";
import { resume, retry } from "../acts/retry-resume.ts";
import { sendBack } from "../acts/send-back.ts";
import { settle, settleProposed } from "../acts/settle.ts";
import type { Role } from "../acts/accounts.ts";

const FILE_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Every path by which a person who has signed in changes something: the role that it needs, and the acts that it calls. What is
 * not here is not served. The other ones change only what the desk itself keeps.
 */
export const ACTS = {
  "/sign-out": { role: "view" },
  "/password": { role: "view" },
  "/stop": { role: "decide", act: stopInbox },
  "/go-on": { role: "decide", act: resumeInbox },
  "/batch/:id/pause": { role: "decide", act: pause },
  "/batch/:id/resume": { role: "decide", act: resume },
  "/batch/:id/retry": { role: "decide", act: retry },
  "/batch/:id/retry-rejected": { role: "decide", act: retry },
  "/batch/:id/cancel": { role: "decide", act: cancel },
  "/put-away": { role: "decide", act: putAway },
  "/decide/unknown": { role: "decide", act: { settle, settleProposed } },
  "/decide/settled": { role: "decide", act: { settle, settleProposed } },
  "/decide/held": { role: "decide", act: { cancel, settle } },
  "/decide/release": { role: "decide", act: release },
  "/approvals/:id": { role: "approve", act: approve },
  "/approvals/:id/back": { role: "approve", act: sendBack },
  "/upload": { role: "decide", bytesMax: FILE_BYTES_MAX },
  "/upload/put": { role: "decide" },
  "/reconcile": { role: "decide", act: reconcile, bytesMax: FILE_BYTES_MAX },
  "/reconcile/back": { role: "decide", act: settleProposed },
  "/reconcile/settle": { role: "decide", act: settleProposed },
} as const satisfies Readonly<Record<string, Right>>;

interface Right {
  readonly role: Role;
  readonly act?: unknown;
  /** More than a form without files has. */
  readonly bytesMax?: number;
}

export type ActPath = keyof typeof ACTS;
/** What is behind a path; undefined where no act of `acts/` is. */
export type ActOf<Path extends ActPath> = (typeof ACTS)[Path] extends { readonly act: infer Act } ? Act : undefined;

export function rightOf<Path extends ActPath>(path: Path): Right & { readonly act: ActOf<Path> } {
  return ACTS[path] as Right & { readonly act: ActOf<Path> };
}

/** What is shown, and the role that it needs. */
export const PAGES = {
  "/": "view",
  "/year": "view",
  "/batch/:id": "view",
  "/batch/:id/accounts": "view",
  "/batch/:id/report": "view",
  // the file's own cells in clear
  "/batch/:id/:name{(?:results|retry)\\.[a-z]+}": "decide",
  "/decide": "view",
  "/approvals": "view",
  "/approvals/:id": "view",
  "/find": "view",
  "/reconcile": "view",
  "/upload": "view",
  "/help": "view",
  "/help/:topic": "view",
  "/password": "view",
  "/live": "view",
  "/live/today": "view",
  "/live/batch/:id": "view",
} as const satisfies Readonly<Record<string, Role>>;

export type PagePath = keyof typeof PAGES;
