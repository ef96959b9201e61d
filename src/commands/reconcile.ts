import { basename, resolve } from "node:path";
import { openFor, withWork } from "../acts/open.ts";
import { callerOf } from "../acts/prove.ts";
import { reconcile, type Reconciled, type Reconciling } from "../acts/reconcile.ts";
import { sumOf } from "../amount.ts";
import type { Config } from "../config/schema.ts";
import { dayOf } from "../day.ts";
import { accessLike, writeAtomically } from "../disk.ts";
import { PaydropError } from "../errors.ts";
import { maskNumbers } from "../mask.ts";
import { EVIDENCE_WORDS, FINDINGS, RECONCILED } from "../messages/reconcile.ts";
import { commandLine, counted, told, type Facts } from "../messages/sentence.ts";
import { printable } from "../printable.ts";
import type { Line } from "../statements/read.ts";
import { asLine } from "../screen/json-lines.ts";
import { csvRecord, type Columns } from "../screen/list.ts";
import { flagsAgain, labelled, textOf } from "../screen/look.ts";
import { optionOf, type Call } from "./command.ts";

/** A row that a person looks at, or a line that no row explains. */
type Told = Reconciled | { readonly is: "strange"; readonly line: Line };

const rowOf = (one: Told): Reconciled | undefined => (one.is === "strange" ? undefined : one);

/** Ready for `paydrop settle --from`: lines without `as` are passed over there. */
const LIST: Columns<Told> = {
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
  narration: ({ line }) => line && maskNumbers(line.text),
  finding: (one) => findingOf(one),
  evidence: (one) => (one.is === "proposed" ? one.by : undefined),
  as: ({ is }) => (is === "proposed" ? "done" : undefined),
  by: () => undefined,
  note: (one) => (one.is === "proposed" ? `statement: ${findingOf(one)}` : undefined),
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
    if (config.json) for (const one of allOf(found)) call.stdout.write(asLine({ type: "finding", ...valuesOf(one) }));
    call.stdout.write(
      config.json ? asLine({ ...summaryOf(found), list, exit_code: code }) : shown(found, list, call, config),
    );
    return code;
  });
}

const allOf = ({ rows, strange }: Reconciling): readonly Told[] => [
  ...rows,
  ...strange.map((line) => ({ is: "strange", line }) as const),
];

const valuesOf = (one: Told): object =>
  Object.fromEntries(Object.entries(LIST).map(([name, valueOf]) => [name, valueOf(one)]));

function findingOf(one: Told): string {
  const { line, by } = { by: undefined, ...one };
  const facts: Facts = {
    ...(line && { line: line.line, day: dayOf(Date.parse(line.day)) }),
    ...(by && { by: EVIDENCE_WORDS[by] }),
    ...(one.is === "undecided" && one.equals),
  };
  return told(FINDINGS[one.is], facts).text;
}

/** Beside the statement, only where there is something to look at. */
async function writeList(statement: string, found: Reconciling): Promise<string | undefined> {
  const all = allOf(found);
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

const KINDS = ["proposed", "returned", "undecided", "not_shown"] as const;

function groupsOf({ rows, strange }: Reconciling): readonly (readonly [is: Told["is"], rows: number, sum: string])[] {
  const of = KINDS.map((is) => [is, rows.filter((row) => row.is === is).map(({ record }) => record)] as const);
  const all: (readonly [is: Told["is"], all: readonly { readonly amount?: string }[]])[] = [
    ...of,
    ["strange", strange],
  ];
  return all.flatMap(([is, some]) => (some.length === 0 ? [] : [[is, some.length, sumOf(some)] as const]));
}

function summaryOf(found: Reconciling): object {
  const { statement, before, accepted, seen } = found;
  const groups = new Map(groupsOf(found).map(([is, rows, sum]) => [is, { rows, amount: sum }]));
  const { layout, days, lines, chain } = statement;
  return {
    ...{ type: "summary", statement: statement.fileName, layout, days, lines, lines_before: before, chain },
    ...{ accepted, seen, ...Object.fromEntries(groups) },
  };
}

function shown(found: Reconciling, list: string | undefined, call: Call, config: Config): string {
  const { statement, before, accepted, seen } = found;
  const { fileName, layout, account, days, lines, chain } = statement;
  const [first, last] = (days ?? []).map((day) => dayOf(Date.parse(day)));
  const groups = groupsOf(found);
  const head = [
    printable(fileName),
    layout,
    account && `account ••${account.slice(-4)}`,
    first && `${first} to ${last}`,
  ];
  const words = (code: keyof typeof RECONCILED, facts: Facts = {}): string => told(RECONCILED[code], facts).text;
  const notes = [
    ...(before > 0 ? [words("before", { lines: before })] : []),
    ...(chain === "none" ? [words("chain_none")] : []),
    ...(typeof chain === "object" ? [words("chain_broken", { line: chain.brokenAt })] : []),
  ];
  const proposed = groups.find(([is]) => is === "proposed");
  const next = proposed && list ? told(RECONCILED.settle, { list, sum: proposed[2] }) : undefined;
  const again = flagsAgain(call.flags, config.state_dir);
  return textOf([
    [...head.filter(Boolean), counted(lines, "line")].join("   "),
    accepted + found.rows.length === 0 ? words("none_went") : words("seen", { seen, accepted }),
    ...groups.map(([is, rows, sum]) => `  ${words(is, { rows, sum })}`),
    ...(groups.length === 0 ? [words("nothing")] : []),
    ...labelled("note", notes),
    ...labelled("list", list ? [printable(basename(list))] : []),
    ...labelled("next", next ? [next.text, ...next.commands.map((one) => commandLine(one, again))] : []),
  ]);
}
