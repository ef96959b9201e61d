import { groupsOf, statementTexts, type Finding, type Group } from "../acts/findings.ts";
import { statementName, type Reconciled, type Reconciling } from "../acts/reconcile.ts";
import type { Kind } from "../messages/pages.ts";
import type { Evidence } from "../statements/match.ts";

/** Of what is only told. */
const ROWS_KEPT = 2_000;

/** What a statement was found to say, for whoever brought it; the statement itself is gone. */
export interface Compared {
  readonly by: string;
  readonly fileName: string;
  /** The account that it is of, as files name it, and the last day in it. */
  readonly debit: string;
  readonly until: string;
  readonly found: Omit<Reconciling, "rows" | "strange"> & { readonly rows: number };
  readonly groups: readonly Group[];
  /** What did not count. */
  typed?:
    { readonly is: "proposed" | "returned"; readonly ticked: readonly string[]; readonly total: string } | undefined;
}

/** `account`: what a person said that it is of. */
export function comparedOf({ rows, strange, ...found }: Reconciling, by: string, account = ""): Compared {
  const { fileName, days } = found.statement;
  const debit = account || (statementTexts(found.statement).account ?? found.statement.layout);
  // of what nothing can be said here only what is shown is kept
  const groups = groupsOf({ ...found, rows, strange }).map((group) =>
    group.is === "proposed" ? group : { ...group, all: group.all.slice(0, ROWS_KEPT) },
  );
  return {
    by,
    fileName: statementName(fileName),
    debit,
    until: days?.[1] ?? "",
    found: { ...found, rows: rows.length },
    groups,
  };
}

export const placeOf = ({ batch, record }: Pick<Reconciled, "batch" | "record">): string => `${batch.id}:${record.row}`;

export const rowsIn = ({ groups }: Compared, is: Finding["is"]): readonly Reconciled[] =>
  groups.flatMap((group) => group.all.flatMap((one) => (one.is === is && one.is !== "strange" ? [one] : [])));

/** Whether a line names the payment itself; else it only fits its payee. */
export const isStrong = (by: Evidence): boolean => by === "answer" || by === "reference" || by === "narration";

/** What each kind of finding is called, with its colour and the one thing to do. */
export const KINDS: Readonly<Record<Finding["is"], readonly [Kind, title: string, todo: string]>> = {
  proposed: ["ask", "No clear answer, found", "Say that they went"],
  returned: ["bad", "Came back", "Say so, then pay anew"],
  undecided: ["wait", "To look at by hand", "Ask the bank whose they are"],
  not_shown: ["idle", "No clear answer, not found", "Look again in the next statement"],
  strange: ["bad", "No payment of ours", "Somebody may have paid by hand"],
};
