import { basename, resolve } from "node:path";
import { openFor, withWork } from "../acts/open.ts";
import { callerOf } from "../acts/prove.ts";
import {
  findingsOf,
  findingText,
  groupsOf,
  narrationOf,
  notesOn,
  noteText,
  nothingText,
  seenText,
  statementTexts,
  type Finding,
} from "../acts/findings.ts";
import { reconcile, type Reconciled, type Reconciling } from "../acts/reconcile.ts";
import type { Config } from "../config/schema.ts";
import { accessLike, writeAtomically } from "../disk.ts";
import { messageOf, PaydropError } from "../errors.ts";
import { RECONCILED } from "../messages/reconcile.ts";
import { commandLine, counted, told } from "../messages/sentence.ts";
import { printable } from "../printable.ts";
import { asLine } from "../screen/json-lines.ts";
import { csvRecord, type Columns } from "../screen/list.ts";
import { flagsAgain, labelled, textOf } from "../screen/look.ts";
import { optionOf, type Call } from "./command.ts";

const rowOf = (one: Finding): Reconciled | undefined => (one.is === "strange" ? undefined : one);

/** Ready for `paydrop settle --from`: lines without `as` are passed over there. */
const LIST: Columns<Finding> = {
  batch: (one) => rowOf(one)?.batch.id,
  file: (one) => rowOf(one)?.batch.fileName,
  row: (one) => rowOf(one)?.record.row,
  amount: (one) => rowOf(one)?.record.amount ?? one.line?.amount,
  attempt: (one) => rowOf(one)?.record.attempts,
  from_account: (one) => rowOf(one)?.detail.debit,
  account: (one) => rowOf(one)?.detail.payee,
  name: (one) => rowOf(one)?.detail.name,
  employee_no: (one) => rowOf(one)?.detail.employee,
  reference: (one) => rowOf(one)?.detail.reference,
  what: ({ is }) => is,
  line: ({ line }) => line?.line,
  booked: ({ line }) => line?.day,
  narration: ({ line }) => line && narrationOf(line),
  finding: (one) => findingText(one),
  evidence: (one) => (one.is === "proposed" ? one.by : undefined),
  as: ({ is }) => (is === "proposed" ? "done" : undefined),
  by: () => undefined,
  note: (one) => (one.is === "proposed" ? noteText(one) : undefined),
};

/** What a bank's statement says of rows that went. It proposes; only a person settles. */
export function run(call: Call): Promise<number> {
  return withWork(call, "either", async (work, config) => {
    const [statement] = call.operands.map((path) => resolve(path));
    if (statement === undefined) throw new PaydropError("word_missing", { option: "STATEMENT", example: "reconcile" });
    const dates = optionOf(call, "dates");
    const values = {
      ...{ statement, account: optionOf(call, "account") },
      dayFirst: dates === undefined ? undefined : dates !== "month-first",
    };
    const found = await reconcile(openFor(call, work), callerOf(call, work), values);
    const list = await writeList(statement, found);
    const code = codeOf(found);
    if (config.json)
      for (const one of findingsOf(found)) call.stdout.write(asLine({ type: "finding", ...valuesOf(one) }));
    call.stdout.write(
      config.json ? asLine({ ...summaryOf(found), list, exit_code: code }) : shown(found, list, call, config),
    );
    // results that could not be written are told, whatever else was found
    for (const failed of found.failed) call.stderr.write(`${printable(messageOf(failed))}\n`);
    return code;
  });
}

const valuesOf = (one: Finding): object =>
  Object.fromEntries(Object.entries(LIST).map(([name, valueOf]) => [name, valueOf(one)]));

/** Beside the statement, only where there is something to look at. */
async function writeList(statement: string, found: Reconciling): Promise<string | undefined> {
  const all = findingsOf(found);
  if (all.length === 0) return undefined;
  const path = `${statement}.reconciled.csv`;
  const lines = all.map((one) => csvRecord(Object.values(LIST).map((valueOf) => valueOf(one))));
  const text = [csvRecord(Object.keys(LIST), { isFirst: true }), ...lines];
  await writeAtomically(path, text, { replace: true, ...(await accessLike(statement)) });
  return path;
}

/** 4: unknown rows remain; 6: something is to be decided. */
function codeOf({ rows, accepted, seen, strange, failed }: Reconciling): number {
  if (failed.length > 0) return 74;
  if (rows.some(({ is }) => is !== "returned")) return 4;
  return rows.length > 0 || seen < accepted || strange.length > 0 ? 6 : 0;
}

function summaryOf(found: Reconciling): object {
  const { statement, before, accepted, seen } = found;
  const groups = new Map(groupsOf(found).map(({ is, rows, amount }) => [is, { rows, amount }]));
  const { layout, days, lines, chain } = statement;
  return {
    ...{ type: "summary", statement: statement.fileName, layout, days, lines, lines_before: before, chain },
    ...{ accepted, seen, ...Object.fromEntries(groups) },
  };
}

function shown(found: Reconciling, list: string | undefined, call: Call, config: Config): string {
  const { statement } = found;
  const groups = groupsOf(found);
  const head = [printable(statement.fileName), ...Object.values(statementTexts(statement))].filter(Boolean);
  const proposed = groups.find(({ is }) => is === "proposed");
  const next = proposed && list ? told(RECONCILED.settle, { list, sum: proposed.amount }) : undefined;
  const again = flagsAgain(call.flags, config.state_dir);
  return textOf([
    [...head, counted(statement.lines, "line")].join("   "),
    seenText({ ...found, rows: found.rows.length }),
    ...groups.map(({ text }) => `  ${text}`),
    ...(groups.length === 0 ? [nothingText()] : []),
    ...labelled("note", notesOn(found)),
    ...labelled("list", list ? [printable(basename(list))] : []),
    ...labelled("next", next ? [next.text, ...next.commands.map((one) => commandLine(one, again))] : []),
  ]);
}
