/** `look`: somebody should look at it, but rows can go. */
export type Health = "fine" | "look" | "wrong";

export interface Finding {
  readonly what: string;
  readonly health: Health;
  readonly found: string;
  readonly hint?: string;
}
