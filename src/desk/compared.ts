import { seenOf } from "../acts/as-seen.ts";
import {
  bookedOn,
  findingText,
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
import { sumOf } from "../amount.ts";
import type { RowRecord } from "../journal/store.ts";
import { DESK_WAYS, DESK_WORDS, STATEMENT_GROUPS } from "../messages/desk.ts";
import { EVIDENCE_WORDS } from "../messages/reconcile.ts";
import { asSentence, told } from "../messages/sentence.ts";
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
import { card, dot, over, payments, statusTag, tag, tilesOf } from "../pages/parts.ts";
import { statusOf } from "../results/totals.ts";
import type { Evidence } from "../statements/match.ts";
import type { Line } from "../statements/read.ts";
import type { Desk } from "./desk.ts";
import { button, form, sumField } from "./forms.ts";
import type { Asked } from "./pages.ts";
import { payeeCell } from "./rows.ts";
import type { Kind } from "../messages/pages.ts";

/** Of each kind. */
const ROWS_SHOWN = 200;
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
  typed?: { readonly ticked: readonly string[]; readonly total: string } | undefined;
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

const KINDS: Readonly<Record<Finding["is"], readonly [Kind, title: string, todo: string]>> = {
  proposed: ["ask", "No clear answer, found", "Say that they went"],
  returned: ["bad", "Came back", "Say so, then pay anew"],
  undecided: ["wait", "To look at by hand", "Ask the bank whose they are"],
  not_shown: ["idle", "No clear answer, not found", "Look again in the next statement"],
  strange: ["bad", "No payment of ours", "Somebody may have paid by hand"],
};

/** Account and days, where they are known. */
export function comparedHead({ found, fileName, debit }: Compared): { readonly title: string; readonly sub: string } {
  const { bank, account, days } = statementTexts(found.statement);
  const read = `${found.statement.lines} lines of ${fileName}`;
  return { title: [debit, days].filter(Boolean).join(", "), sub: [bank, account, read].filter(Boolean).join(" · ") };
}

export async function comparedPart(desk: Desk, { csrf }: Asked, id: string, one: Compared): Promise<Html> {
  const { figures } = desk;
  const { found, groups } = one;
  const tiles = tilesOf([
    ["Accepted, and found", figures.count(found.seen), `of ${payments(found.accepted, figures)} in these days`],
    ...groups
      .slice(0, 3)
      .map(
        ({ is, rows, amount }) =>
          [
            KINDS[is][1],
            figures.money(amount),
            `${figures.count(rows)} ${is === "strange" ? "lines" : "payments"}`,
          ] as const,
      ),
  ]);
  const texts = [seenText(found), ...notesOn(found), ...(groups.length === 0 ? [nothingText()] : [])];
  const notes = markup`<ul class="card list after">${texts.map((text) => markup`<li><span>${asSentence(text)}</span></li>`)}</ul>`;
  const parts = await Promise.all(groups.map((group) => groupPart(desk, csrf, { id, one, group })));
  return markup`${tiles}${notes}${groups.length > 0 && markup`${over("What the lines say")}${card(summaryTable(desk, groups))}`}${parts}`;
}

function summaryTable({ figures }: Desk, groups: readonly Group[]): Html {
  const lines = groups.map(({ is, rows, amount }) => {
    const [kind, title, todo] = KINDS[is];
    return [
      markup`${dot(kind)}<a href="#${is}">${title}</a><small>${figures.count(rows)} ${is === "strange" ? "lines" : "payments"}</small>`,
      figures.money(amount),
      todo,
    ];
  });
  const columns = ["Lines", ["Amount", "n"], ["What to do", "wide", "soft"]] as const;
  return tableOf({ caption: "What the statement says of payments", isHidden: true, columns }, lines);
}

interface Part {
  readonly id: string;
  readonly one: Compared;
  readonly group: Group;
}

async function groupPart(desk: Desk, csrf: string, part: Part): Promise<Html> {
  const { group, one } = part;
  const { is, all, rows, amount } = group;
  const { figures } = desk;
  const right = `${is === "strange" ? `${figures.count(rows)} lines` : payments(rows, figures)}, ${figures.money(amount)}`;
  const heading = over(KINDS[is][1], { id: is, right });
  if (is === "proposed") return markup`${heading}${await proposedPart(desk, csrf, part)}`;
  const now = await nowOf(desk, rowsIn(one, is).slice(0, ROWS_SHOWN));
  const more =
    rows > ROWS_SHOWN && markup`<p class="in soft">${told(DESK_WORDS.more_such, { more: rows - ROWS_SHOWN }).text}</p>`;
  const means = is === "returned" ? DESK_WORDS.returned_means : is !== "strange" && elsewhere;
  return markup`${heading}${card(markup`${means && markup`<p class="in soft">${means}</p>`}${tableFor(desk, is, all.slice(0, ROWS_SHOWN), now)}${more}`)}`;
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

const STRONG: readonly Evidence[] = ["answer", "reference", "narration"];

async function proposedPart(desk: Desk, csrf: string, { id, one }: Part): Promise<Html> {
  const all = rowsIn(one, "proposed");
  const now = await nowOf(desk, all);
  const isOpen = (row: Reconciled): boolean => {
    const record = now.get(placeOf(row));
    return record !== undefined && seenOf(record) === seenOf(row.record);
  };
  const open = all.filter(isOpen);
  const closed = all.filter((row) => !isOpen(row)).slice(0, ROWS_SHOWN);
  const since = closed.length > 0 && markup`<div class="card after">${tableFor(desk, "proposed", closed, now)}</div>`;
  if (open.length === 0) return markup`${since}`;
  const shown = open.slice(0, ROWS_SHOWN);
  const groups = [true, false].flatMap((isStrong) => proposedGroup(desk, one, shown, isStrong));
  const columns = [
    ["Tick"],
    ["Line of the bank", "wide"],
    ["Amount", "n"],
    ["Payment", "wide", "head", "beside"],
  ] as const;
  const table = tableIn({ caption: DESK_WORDS.proposed_means, columns, kind: "ticks" }, groups);
  const more = open.length - ROWS_SHOWN;
  const rest = more > 0 && markup`<p class="in soft">${told(DESK_WORDS.more_such, { more }).text}</p>`;
  const sum = sumField("Their sum", DESK_WORDS.proposed_sum, one.typed?.total);
  const fields = markup`${table}${rest}<div class="form say">${sum}<p class="acts">${button("They went: settle the ticked ones")}</p></div>`;
  return markup`${form("/reconcile/settle", csrf, fields, { hidden: { statement: id }, kind: "card" })}${since}`;
}

function proposedGroup(
  desk: Desk,
  one: Compared,
  rows: readonly Reconciled[],
  isStrong: boolean,
): readonly TableGroup[] {
  const { figures } = desk;
  const some = rows.filter(({ by }) => by !== undefined && STRONG.includes(by) === isStrong);
  if (some.length === 0) return [];
  const { title, means } = STATEMENT_GROUPS[isStrong ? "reference" : "payee"];
  const head = markup`<b>${figures.count(some.length)} ${title}, ${figures.money(sumOf(some.map(({ record }) => record)))}</b> <span class="soft">${means}</span>`;
  const lines = some.map((row): TableLine => {
    const isTicked = one.typed?.ticked.includes(placeOf(row)) ?? true;
    const box = markup`<label class="tick"><input type="checkbox" name="row" value="${placeOf(row)}"${isTicked && markup` checked`}><span class="hide">${row.batch.fileName}, row ${row.record.row}</span></label>`;
    const why = row.by && markup` ${tag(EVIDENCE_WORDS[row.by], isStrong ? "good" : "idle")}`;
    const payment = markup`${payeeCell(row.detail, `${row.batch.fileName}, row ${row.record.row}`)}${why}`;
    return [box, lineText(row.line), figures.money(row.record.amount ?? "0"), payment];
  });
  return [{ head, lines }];
}

const narrationText = (line: Line): Html => markup`<code>${said(narrationOf(line))}</code>`;

const lineText = (line: Line | undefined): Shown =>
  line && markup`${narrationText(line)}<small>line ${line.line}, ${bookedOn(line)}</small>`;

/** What nothing can be ticked in. */
function tableFor(desk: Desk, is: Finding["is"], all: readonly Finding[], now: ReadonlyMap<string, RowRecord>): Html {
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
