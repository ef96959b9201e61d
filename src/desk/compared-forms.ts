import { seenOf } from "../acts/as-seen.ts";
import { bookedOn, findingText, narrationOf, type Finding } from "../acts/findings.ts";
import type { Reconciled } from "../acts/reconcile.ts";
import { sumOf } from "../amount.ts";
import type { RowRecord } from "../journal/store.ts";
import { DESK_WORDS, STATEMENT_GROUPS } from "../messages/desk.ts";
import { EVIDENCE_WORDS } from "../messages/reconcile.ts";
import { told } from "../messages/sentence.ts";
import {
  markup,
  said,
  tableIn,
  tableOf,
  type Group as TableGroup,
  type Html,
  type Line as TableLine,
  type Shown,
} from "../pages/html.ts";
import { statusTag, tag } from "../pages/parts.ts";
import { statusOf } from "../results/totals.ts";
import type { Line } from "../statements/read.ts";
import { isStrong, KINDS, placeOf, rowsIn, type Compared } from "./compared.ts";
import type { Desk } from "./desk.ts";
import { button, form, sumField } from "./forms.ts";
import { payeeCell } from "./rows.ts";

/** Of each kind. */
export const ROWS_SHOWN = 200;

export interface Part {
  readonly id: string;
  readonly one: Compared;
}

/** Rows as they are by now. */
export async function nowOf({ store }: Desk, rows: readonly Reconciled[]): Promise<ReadonlyMap<string, RowRecord>> {
  const now = new Map<string, RowRecord>();
  for (const some of Map.groupBy(rows, ({ batch }) => batch.id).values()) {
    const [{ batch }] = some as [Reconciled, ...Reconciled[]];
    for (const record of await store.rows({ batch: batch.id, rows: some.map((row) => row.record.row) }))
      now.set(placeOf({ batch, record }), record);
  }
  return now;
}

/** What was compared and has not changed since is open; of the others nothing can be said here any more. */
async function stillAsSeen(desk: Desk, all: readonly Reconciled[]) {
  const now = await nowOf(desk, all);
  const isOpen = (row: Reconciled): boolean => {
    const record = now.get(placeOf(row));
    return record !== undefined && seenOf(record) === seenOf(row.record);
  };
  return { now, open: all.filter(isOpen), closed: all.filter((row) => !isOpen(row)) };
}

/** What a person ticks: the line that speaks, and the payment that it speaks for. */
const TICKED = [
  ["Tick"],
  ["Line of the bank", "wide"],
  ["Amount", "n"],
  ["Payment", "wide", "head", "beside"],
] as const;

export async function proposedPart(desk: Desk, csrf: string, { id, one }: Part): Promise<Html> {
  const { open, closed, now } = await stillAsSeen(desk, rowsIn(one, "proposed"));
  const changed = closed.slice(0, ROWS_SHOWN);
  const since = changed.length > 0 && markup`<div class="card after">${tableFor(desk, "proposed", changed, now)}</div>`;
  if (open.length === 0) return markup`${since}`;
  const shown = open.slice(0, ROWS_SHOWN);
  const groups = (["reference", "payee"] as const).flatMap((word) => proposedGroup(desk, one, shown, word));
  const table = tableIn({ caption: DESK_WORDS.proposed_means, columns: TICKED, kind: "ticks" }, groups);
  const more = open.length - ROWS_SHOWN;
  const rest = more > 0 && markup`<p class="in soft">${told(DESK_WORDS.more_such, { more }).text}</p>`;
  const sum = sumField("Their sum", DESK_WORDS.proposed_sum, one.typed?.is === "proposed" ? one.typed.total : "");
  const fields = markup`${table}${rest}<div class="form say">${sum}<p class="acts">${button("They went: settle the ticked ones")}</p></div>`;
  return markup`${form("/reconcile/settle", csrf, fields, { hidden: { statement: id }, kind: "card" })}${since}`;
}

/** `word`: of lines that name the payment, or of those that only fit its payee. */
function proposedGroup(
  desk: Desk,
  one: Compared,
  rows: readonly Reconciled[],
  word: "reference" | "payee",
): readonly TableGroup[] {
  const { figures } = desk;
  const some = rows.filter(({ by }) => by !== undefined && isStrong(by) === (word === "reference"));
  if (some.length === 0) return [];
  const { title, means } = STATEMENT_GROUPS[word];
  const head = markup`<b>${figures.count(some.length)} ${title}, ${figures.money(sumOf(some.map(({ record }) => record)))}</b> <span class="soft">${means}</span>`;
  const lines = some.map((row): TableLine => {
    const typed = one.typed?.is === "proposed" ? one.typed : undefined;
    const isTicked = typed?.ticked.includes(placeOf(row)) ?? true;
    const why = row.by && markup` ${tag(EVIDENCE_WORDS[row.by], isStrong(row.by) ? "good" : "idle")}`;
    const payment = markup`${payeeCell(row.detail, nameOf(row))}${why}`;
    return [boxOf(row, isTicked), lineText(row.line), figures.money(row.record.amount ?? "0"), payment];
  });
  return [{ head, lines }];
}

/** Money that came back: what is ticked counts as not paid, by its sum. */
export async function returnedPart(desk: Desk, csrf: string, { id, one }: Part): Promise<Html> {
  const { figures } = desk;
  const { open, closed, now } = await stillAsSeen(desk, rowsIn(one, "returned").slice(0, ROWS_SHOWN));
  const since = closed.length > 0 && markup`<div class="card after">${tableFor(desk, "returned", closed, now)}</div>`;
  if (open.length === 0) return markup`${since}`;
  const typed = one.typed?.is === "returned" ? one.typed : undefined;
  const lines = open.map((row): TableLine => {
    const isTicked = typed?.ticked.includes(placeOf(row)) ?? false;
    return [
      boxOf(row, isTicked),
      lineText(row.line),
      ...[figures.money(row.record.amount ?? "0"), payeeCell(row.detail, nameOf(row))],
    ];
  });
  const table = tableOf({ caption: DESK_WORDS.returned_means, columns: TICKED, kind: "ticks" }, lines);
  const sum = sumField("Their sum, from the bank’s own papers", DESK_WORDS.proposed_sum, typed?.total);
  const press = markup`<p class="acts">${button("They came back", "stop")} <span class="soft">${DESK_WORDS.returned_then}</span></p>`;
  const fields = markup`${table}<div class="form say">${sum}${press}</div>`;
  return markup`${form("/reconcile/back", csrf, fields, { hidden: { statement: id }, kind: "card" })}${since}`;
}

const nameOf = ({ batch, record }: Reconciled): string => `${batch.fileName}, row ${record.row}`;

const boxOf = (row: Reconciled, isTicked: boolean): Html =>
  markup`<label class="tick"><input type="checkbox" name="row" value="${placeOf(row)}"${isTicked && markup` checked`}><span class="hide">${nameOf(row)}</span></label>`;

const narrationText = (line: Line): Html => markup`<code>${said(narrationOf(line))}</code>`;

const lineText = (line: Line | undefined): Shown =>
  line && markup`${narrationText(line)}<small>line ${line.line}, ${bookedOn(line)}</small>`;

/** What nothing can be ticked in. */
export function tableFor(
  desk: Desk,
  is: Finding["is"],
  all: readonly Finding[],
  now: ReadonlyMap<string, RowRecord>,
): Html {
  const { figures } = desk;
  if (is === "strange") {
    const lines = all.flatMap(({ line }) => (line ? [[lineText(line), figures.money(line.amount)]] : []));
    return tableOf(
      {
        caption: "Debits that no payment explains",
        isHidden: true,
        columns: [
          ["Line of the bank", "head"],
          ["Amount", "n"],
        ],
      },
      lines,
    );
  }
  const lines = all.flatMap((one) => {
    if (one.is === "strange") return [];
    const record = now.get(placeOf(one)) ?? one.record;
    const { row, settledBy } = record;
    const status = statusOf(record);
    // with its row as the first one
    const rows = `/batch/${one.batch.id}?status=${status}&after=${row - 1}#payments`;
    const file = markup`<a href="${rows}">${said(one.batch.fileName)}, row ${row}</a>`;
    const isNow = markup`${statusTag(status)}${settledBy !== undefined && markup` <small>by ${said(settledBy)}</small>`}`;
    const found = is === "returned" || is === "proposed" ? lineText(one.line) : findingText(one);
    return [[payeeCell(one.detail, file), figures.money(record.amount ?? "0"), isNow, found]];
  });
  const columns = [
    ["Payment", "head"],
    ["Amount", "n"],
    ["What it is now", "wide"],
    ["What was found", "wide", "beside"],
  ] as const;
  return tableOf({ caption: KINDS[is][1], isHidden: true, columns }, lines);
}
