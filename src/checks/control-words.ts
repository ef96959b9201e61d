import type { FileFault } from "../errors.ts";

/** What is said of control totals: one sentence and one thing to do per code. */
const CONTROL_WORDS = {
  control_rows_differ: {
    sentence: "{source} says {stated} rows, the file has {found}: {difference} {way}",
    ways: { less: "too few", more: "too many" },
    hint: "Copy the file again completely, or correct the number of rows.",
  },
  control_total_differs: {
    sentence: "{source} says {stated}, the amounts of the file add up to {found}, {difference} {way}",
    ways: { less: "less", more: "more" },
    hint: "Look for a row that is missing, repeated or changed, or correct the total.",
  },
} as const;

const UNREADABLE = {
  one: "; there is 1 row whose amount cannot be read",
  many: "; there are {rows} rows whose amount cannot be read",
} as const;

export const CONTROL_MISSING: FileFault = {
  code: "control_missing",
  message: "nobody said how many rows the file has or what its amounts add up to, and the configuration requires it",
  hint: "Give --expect-rows or --expect-total, or a file beside it with .control after its name: rows=240, total=11087750.50.",
};

/** What somebody stated, what the file holds, and by how much it is less or more. All as they are shown. */
export interface Differing {
  readonly source: string;
  readonly stated: string;
  readonly found: string;
  readonly difference: string;
  readonly way: "less" | "more";
  /** Rows whose amount is in no sum. */
  readonly unreadable?: number;
}

export function sayDiffering(code: keyof typeof CONTROL_WORDS, differing: Differing): FileFault {
  const { sentence, ways, hint } = CONTROL_WORDS[code];
  const { unreadable = 0, way, ...values } = differing;
  const rest = unreadable === 0 ? "" : UNREADABLE[unreadable === 1 ? "one" : "many"];
  const said: Readonly<Record<string, string>> = { ...values, way: ways[way], rows: String(unreadable) };
  return { code, message: (sentence + rest).replace(/\{(\w+)\}/g, (_, name: string) => said[name] ?? ""), hint };
}
