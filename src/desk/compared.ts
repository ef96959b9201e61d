import { seenOf } from "../acts/as-seen.ts";
import {
  bookedOn,
  findingText,
  groupOf,
  groupsOf,
  narrationOf,
  notesOn,
  nothingText,
  seenText,
  statementTexts,
  type Finding,
  type Group,
} from "../acts/findings.ts";
import { statementName, type Reconciled, type Reconciling } from "../acts/reconcile.ts";
import type { RowRecord } from "../journal/store.ts";
import { DESK_WAYS, DESK_WORDS } from "../messages/desk.ts";
import { EVIDENCE_WORDS } from "../messages/reconcile.ts";
import { asSentence, told } from "../messages/sentence.ts";
import { referenceText, whoText } from "../results/details.ts";
import { statusOf } from "../results/totals.ts";
import type { Line } from "../statements/read.ts";
import type { Desk } from "./desk.ts";
import { button, factsOf, form, markup, said, statusTag, sumField, tableOf, type Html, type Shown } from "./html.ts";
import type { Asked } from "./pages.ts";

/** Of each kind. */
const ROWS_SHOWN = 200;

/** What a statement was found to say, for whoever brought it; the statement itself is gone. */
export interface Compared {
  readonly by: string;
  readonly fileName: string;
  readonly head: Html;
  readonly groups: readonly Group[];
  /** What did not count. */
  typed?: { readonly ticked: readonly string[]; readonly total: string } | undefined;
}

export function comparedOf(found: Reconciling, by: string): Compared {
  const { lines } = found.statement;
  const fileName = statementName(found.statement.fileName);
  const { bank, account, days } = statementTexts(found.statement);
  const facts = { Statement: fileName, Bank: [bank, account].filter(Boolean).join(", "), Days: days, Lines: lines };
  const all = groupsOf(found);
  const texts = [seenText(found), ...notesOn(found), ...(all.length === 0 ? [nothingText()] : [])];
  const head = markup`${factsOf(facts)}${texts.map((text) => markup`<p>${asSentence(text)}</p>`)}<p><a href="/reconcile">Another statement</a></p>`;
  // of what nothing can be said here only what is shown is kept
  const groups = all.map((group) =>
    group.is === "proposed" ? group : { ...group, all: group.all.slice(0, ROWS_SHOWN) },
  );
  return { by, fileName, head, groups };
}

export const placeOf = ({ batch, record }: Pick<Reconciled, "batch" | "record">): string => `${batch.id}:${record.row}`;

export const rowsIn = ({ groups }: Compared, is: Finding["is"]): readonly Reconciled[] =>
  groups.flatMap((group) => group.all.flatMap((one) => (one.is === is && one.is !== "strange" ? [one] : [])));

const TITLES: Readonly<Record<Finding["is"], string>> = {
  proposed: "They went, by the statement",
  returned: "Money that came back",
  undecided: "Nobody can tell these apart",
  not_shown: "Not in the statement",
  strange: "Debits that no row explains",
};

export async function comparedPart(desk: Desk, { csrf }: Asked, id: string, one: Compared): Promise<Html> {
  const parts = await Promise.all(
    one.groups.map(async (group) => {
      const { is, all, rows, text } = group;
      const heading = markup`<h2>${TITLES[is]}</h2>`;
      if (is === "proposed") return markup`${heading}${await proposedPart(desk, csrf, id, one)}`;
      const now = await nowOf(desk, rowsIn(one, is));
      const more = rows > all.length && markup`<p>${told(DESK_WORDS.more_such, { more: rows - all.length }).text}</p>`;
      const means = is === "returned" ? DESK_WORDS.returned_means : is !== "strange" && elsewhere;
      return markup`${heading}${means && markup`<p>${means}</p>`}${tableFor(is, asSentence(text), all, now)}${more}`;
    }),
  );
  return markup`${one.head}${parts}`;
}

const elsewhere = markup`${DESK_WORDS.look_elsewhere} <a href="/decide">${DESK_WAYS.settle}</a>.`;

/** Rows as they are by now. */
async function nowOf({ store }: Desk, rows: readonly Reconciled[]): Promise<ReadonlyMap<string, RowRecord>> {
  const now = new Map<string, RowRecord>();
  for (const some of Map.groupBy(rows, ({ batch }) => batch.id).values()) {
    const [{ batch }] = some as [Reconciled, ...Reconciled[]];
    for (const record of await store.rows({ batch: batch.id, rows: some.map((row) => row.record.row) }))
      now.set(placeOf({ batch, record }), record);
  }
  return now;
}

async function proposedPart(desk: Desk, csrf: string, id: string, one: Compared): Promise<Html> {
  const all = rowsIn(one, "proposed");
  const now = await nowOf(desk, all);
  const isOpen = (row: Reconciled): boolean => {
    const record = now.get(placeOf(row));
    return record !== undefined && seenOf(record) === seenOf(row.record);
  };
  const open = all.filter(isOpen);
  const closed = all.filter((row) => !isOpen(row)).slice(0, ROWS_SHOWN);
  const since = closed.length > 0 && tableFor("proposed", "What became of the others since", closed, now);
  const [group] = groupOf("proposed", open);
  if (!group) return markup`${since}`;
  const more = open.length - ROWS_SHOWN;
  const lines = open.slice(0, ROWS_SHOWN).map((row) => {
    const isTicked = one.typed?.ticked.includes(placeOf(row)) ?? true;
    const box = markup`<input type="checkbox" name="row" value="${placeOf(row)}"${isTicked && markup` checked`}>`;
    const name = markup`<label>${box} ${said(row.batch.fileName)}, row ${row.record.row}</label>`;
    return [name, ...whatOf(row), lineText(row.line), row.by && EVIDENCE_WORDS[row.by]];
  });
  const titles = ["Row", "Amount#", "Who", "Reference", "Line of the statement", "Because of"];
  const table = tableOf({ caption: asSentence(group.text), titles }, lines);
  const rest = more > 0 && markup`<p>${told(DESK_WORDS.more_such, { more }).text}</p>`;
  const sum = sumField("Their sum", DESK_WORDS.proposed_sum, one.typed?.total);
  const fields = markup`${table}${rest}${sum}<p>${button("Settle as done")}</p>`;
  return markup`<p>${DESK_WORDS.proposed_means}</p>${form("/reconcile/settle", csrf, fields, { hidden: { statement: id } })}${since}`;
}

const whatOf = ({ record, detail }: Reconciled): readonly Shown[] => [
  record.amount,
  said(whoText(detail)),
  said(referenceText(detail)),
];

const narrationText = (line: Line): Html => markup`<code>${said(narrationOf(line))}</code>`;

const lineText = (line: Line | undefined): Shown =>
  line && markup`line ${line.line}, ${bookedOn(line)}<br>${narrationText(line)}`;

/** What nothing can be ticked in. */
function tableFor(
  is: Finding["is"],
  caption: string,
  all: readonly Finding[],
  now: ReadonlyMap<string, RowRecord>,
): Html {
  if (is === "strange") {
    const lines = all.flatMap(({ line }) =>
      line ? [[`line ${line.line}`, bookedOn(line), line.amount, narrationText(line)]] : [],
    );
    return tableOf({ caption, titles: ["Line", "Day", "Amount#", "What the bank says"] }, lines);
  }
  const lines = all.flatMap((one) => {
    if (one.is === "strange") return [];
    const record = now.get(placeOf(one)) ?? one.record;
    const { row, settledBy } = record;
    const status = statusOf(record);
    // with its row as the first one
    const rows = `/batch/${one.batch.id}?status=${status}&after=${row - 1}#rows`;
    const name = markup`<a href="${rows}">${said(one.batch.fileName)}, row ${row}</a>`;
    const isNow = markup`${statusTag(status)}${settledBy !== undefined && markup` by ${said(settledBy)}`}`;
    const found = is === "returned" ? lineText(one.line) : findingText(one);
    return [[name, ...whatOf(one), isNow, found]];
  });
  return tableOf(
    { caption, titles: ["Row", "Amount#", "Who", "Reference", "What it is now", "What was found"] },
    lines,
  );
}
