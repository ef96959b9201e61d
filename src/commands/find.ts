import { withWork } from "../acts/open.ts";
import { canonicalAmount, SUMMABLE, Sums, unitsOf } from "../amount.ts";
import type { Config } from "../config/schema.ts";
import { dayOf, isoDayIn } from "../day.ts";
import { messageOf, PaydropError } from "../errors.ts";
import type { ResultStatus } from "../events.ts";
import type { BatchRecord } from "../journal/store.ts";
import { HOLDS } from "../messages/holds.ts";
import { FIND_WORDS } from "../messages/results.ts";
import { listed, told, toldLines } from "../messages/sentence.ts";
import { STATUSES } from "../messages/statuses.ts";
import { printable } from "../printable.ts";
import { tellRow } from "../results/columns.ts";
import { detailText } from "../results/details.ts";
import { find, type FoundRow } from "../results/find.ts";
import { inStatementText } from "../results/in-statement.ts";
import type { Sought } from "../results/sought.ts";
import { iso } from "../results/summary.ts";
import { splitText } from "../results/totals.ts";
import { writeList, type Columns } from "../screen/list.ts";
import { daySaid, optionOf, textsOf, type Call } from "./command.ts";
import { historyLines } from "./status-lists.ts";

const ROW: Columns<FoundRow> = {
  batch: ({ batch }) => batch.id,
  file: ({ batch }) => batch.fileName,
  row: ({ record }) => record.row,
  environment: ({ batch }) => batch.environment,
  at_utc: ({ at }) => iso(at),
  operation: ({ record }) => record.operation,
  name: ({ name }) => name,
  account: ({ payee }) => payee,
  reference: ({ reference }) => reference,
  from_account: ({ debit }) => debit,
  amount: ({ record }) => record.amount,
  status: ({ status }) => status,
  settled_by: ({ record }) => record.settledBy,
  what_happened: ({ batch, record }) => tellRow(record, batch).text,
  employee_no: ({ employee }) => employee,
  decided_by: ({ decided }) => decided?.by,
  // what was settled as not done, and went again, is accepted
  decision: ({ decided }) => decided && [decided.kind, decided.as].filter(Boolean).join(" "),
  why: ({ decided }) => decided?.note,
  held_for: ({ record }) => record.reasons.map(({ code }) => code).join(" "),
  seen: ({ inStatement }) => inStatementText(inStatement),
};

/** What rows are summed by. */
const BY = {
  day: ({ at }, zone) => isoDayIn(at, zone),
  debit: ({ debit }) => debit ?? "",
  status: ({ status }) => status,
} as const satisfies Readonly<Record<string, (one: FoundRow, zone: string | undefined) => string>>;
type By = readonly (keyof typeof BY)[];

/** By the JSON of the values that it is a sum of. */
type Sum = Sums<string>["tallies"][number];

/** Rows over all batches, or their sums. It looks, and changes nothing. */
export function run(call: Call): Promise<number> {
  return withWork(call, "read", async (work, config) => {
    const sought = soughtIn(call, config);
    const by = wordsOf(call, "sum_by", Object.keys(BY) as (keyof typeof BY)[]);
    const { time_zone: zone } = config;
    const all = new Sums<ResultStatus>();
    const seen = { rows: 0, returned: 0 };
    let { since } = sought;
    const place = { config, store: work.store, ...tellingOn(call), since: (at: number) => void (since = at) };
    const found = addedUp(find(place, sought), all, seen);
    const facts = () => all.total;
    const after = (): string[] => {
      const words = FIND_WORDS[all.total.rows === 0 ? "none" : "found"];
      const day = (at: number): string => dayOf(Date.parse(isoDayIn(at, zone)));
      const days = [since && `since ${day(since)}`, sought.until && `before ${day(sought.until)}`].filter(Boolean);
      const when = days.length === 0 ? "" : ` ${days.join(" and ")}`;
      const inStatement = seen.rows > 0 ? [told(FIND_WORDS.seen, seen).text] : [];
      return [toldLines(told(words, { ...all.total, when, split: splitText(all) })), ...inStatement];
    };
    if (!by) {
      const textsOf = (one: FoundRow): string[] => rowTexts(one, zone);
      await writeList(call, config, { type: "found", all: found, columns: ROW, textsOf, after, facts });
    } else {
      const sums = sumsOf(found, by, config);
      await writeList(call, config, { type: "sum", all: sums, ...sumsBy(by), after, facts });
    }
    return 0;
  });
}

/** Throws `usage`. */
function soughtIn(call: Call, { time_zone: zone }: Config): Sought {
  const dayOption = (name: "since" | "until"): number | undefined => {
    const said = optionOf(call, name);
    return said === undefined ? undefined : daySaid(name, said, zone);
  };
  return {
    text: call.operands.join(" ").trim() || undefined,
    amount: amountSaid(call),
    debit: optionOf(call, "debit"),
    statuses: wordsOf(call, "status", Object.keys(STATUSES) as ResultStatus[]),
    heldFor: wordsOf(call, "held_for", Object.keys(HOLDS))?.[0],
    since: dayOption("since"),
    until: dayOption("until"),
  };
}

/** `--amount 25,000.00` as people write it, too. */
function amountSaid(call: Call): string | undefined {
  const said = optionOf(call, "amount");
  if (said === undefined) return undefined;
  const plain = said.replaceAll(/[,\s]/g, "");
  if (!SUMMABLE.test(plain)) throw new PaydropError("no_amount", { option: "--amount", said: printable(said, 40) });
  return canonicalAmount(plain);
}

/** Some of these words, with commas or blanks between; undefined where nothing was said. */
function wordsOf<Word extends string>(call: Call, name: string, words: readonly Word[]): readonly Word[] | undefined {
  const said = textsOf(call, name)
    .flatMap((text) => text.split(/[\s,]+/))
    .filter(Boolean);
  const wrong = said.find((one) => !(words as readonly string[]).includes(one));
  const option = `--${name.replaceAll("_", "-")}`;
  if (wrong !== undefined)
    throw new PaydropError("no_such_word", { option, said: printable(wrong, 40), words: listed(words, "or") });
  return said.length === 0 ? undefined : (said as Word[]);
}

/** On a terminal how far it is; of each file that cannot be read why. */
function tellingOn({ stderr }: Call) {
  const write = (text: string): void => stderr.write(stderr.isTerminal ? `\r${text.padEnd(40)}` : text);
  return {
    reading: (at: number, of: number): void => {
      if (stderr.isTerminal) write(told(FIND_WORDS.reading, { at, of }).text + (at === of ? "\n" : ""));
    },
    lacks: ({ id }: BatchRecord, why: unknown): void =>
      write(`${told(FIND_WORDS.lacking, { batch: id, why: printable(messageOf(why)) }).text}\n`),
  };
}

async function* addedUp(
  found: AsyncIterable<FoundRow>,
  all: Sums<ResultStatus>,
  seen: { rows: number; returned: number },
): AsyncGenerator<FoundRow> {
  for await (const one of found) {
    all.add(one.status, unitsIn(one));
    if (one.inStatement) seen.rows += 1;
    if (one.inStatement?.returned) seen.returned += 1;
    yield one;
  }
}

async function* sumsOf(found: AsyncIterable<FoundRow>, by: By, { time_zone: zone }: Config): AsyncGenerator<Sum> {
  const sums = new Sums<string>();
  for await (const one of found) sums.add(JSON.stringify(by.map((what) => BY[what](one, zone))), unitsIn(one));
  yield* sums.tallies.toSorted(([one], [other]) => (one < other ? -1 : 1));
}

const unitsIn = ({ record }: FoundRow): bigint => unitsOf(record.amount ?? "0");

function sumsBy(by: By) {
  const valuesOf = ([values]: Sum): string[] => JSON.parse(values) as string[];
  const columns: Columns<Sum> = {
    ...Object.fromEntries(by.map((what, at) => [what, (sum: Sum) => valuesOf(sum)[at]])),
    rows: ([, { rows }]) => rows,
    amount: ([, { amount }]) => amount,
  };
  const textsOf = (sum: Sum): string[] => {
    const [, { rows, amount }] = sum;
    return [
      [...valuesOf(sum).map((value) => value.padEnd(14)), String(rows).padStart(7), amount.padStart(16)].join("  "),
    ];
  };
  return { columns, textsOf };
}

function rowTexts(found: FoundRow, zone: string | undefined): string[] {
  const { batch, record, at, status, debit, decided } = found;
  const where = `${isoDayIn(at, zone)}   batch ${batch.id}, row ${record.row} of ${batch.fileName}`;
  return [
    `${(record.amount ?? "").padStart(14)}   ${STATUSES[status].word}   ${detailText(found)}`,
    `${" ".repeat(17)}${where}${debit ? `, from ${debit}` : ""}`,
    ...historyLines(decided ? [decided] : []).map((line) => `${" ".repeat(17)}${line}`),
  ];
}
