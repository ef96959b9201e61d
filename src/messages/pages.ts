import type { StatusName } from "./statuses.ts";

/** What colour says of money: it went; nobody knows; a person must say; it did not go, or looks wrong; nothing to do. */
export type Kind = "good" | "ask" | "wait" | "bad" | "idle";

interface Shown {
  readonly word: string;
  readonly kind: Kind;
  /** For whoever may send nothing by the word alone. */
  readonly means: string;
}

/** A status on a page, in the order of bars and lists: a word, the colour that says the same, and half a line. */
export const SHOWN: Readonly<Record<StatusName, Shown>> = {
  accepted: { word: "Accepted", kind: "good", means: "the bank took the request; no proof that money arrived" },
  settled_done: { word: "Went", kind: "good", means: "somebody looked it up: it went" },
  unknown: { word: "No clear answer", kind: "ask", means: "it may have gone: look it up, do not send it again" },
  held: { word: "Held", kind: "wait", means: "it did not go: a person decides" },
  settled_not_done: { word: "Send again?", kind: "wait", means: "somebody looked it up: it did not go" },
  rejected: { word: "Refused", kind: "bad", means: "it did not go: correct it in the file" },
  invalid: { word: "To correct", kind: "bad", means: "a cell is wrong: it did not go" },
  not_sent: { word: "Not sent", kind: "idle", means: "it did not go yet" },
  duplicate: { word: "Paid before", kind: "idle", means: "the same payment went before: nothing to do" },
  cancelled: { word: "Cancelled", kind: "idle", means: "somebody said that it shall not go" },
};

const MONTHS = "January February March April May June July August September October November December".split(" ");

/** `November 2026`, `week 47 of 2026`, `27 November 2026`; a label stands behind. */
export function periodText(period: string): string {
  const [stated = "", ...label] = period.split(" ");
  const [year = "", second = "", day] = stated.split("-");
  const month = MONTHS[Number(second) - 1] ?? "";
  const week = `week ${Number(second.slice(1))} of ${year}`;
  const said = second.startsWith("W") ? week : [day && String(Number(day)), month, year].filter(Boolean).join(" ");
  return [said, ...label].join(" ");
}
