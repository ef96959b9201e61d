import { sumOf } from "../amount.ts";
import { bookedOn, findingText, narrationOf } from "../acts/findings.ts";
import type { Reconciled } from "../acts/reconcile.ts";
import type { BatchRecord, RowRecord, Tally } from "../journal/store.ts";
import { DESK_WORDS, STATEMENT_GROUPS } from "../messages/desk.ts";
import { SHOWN } from "../messages/pages.ts";
import { EVIDENCE_WORDS } from "../messages/reconcile.ts";
import { markup, said, tableIn, type Group, type Html, type Line, type Shown } from "../pages/html.ts";
import { over, payments, statusTag, tag } from "../pages/parts.ts";
import { tellRow } from "../results/columns.ts";
import { detailsOf, type Detail } from "../results/details.ts";
import { statusOf } from "../results/totals.ts";
import { sentOf, sentText } from "../commands/status-lists.ts";
import { isStrong } from "./compared.ts";
import { heldFields, settleFields } from "./decide-forms.ts";
import type { Desk } from "./desk.ts";
import { check, form } from "./forms.ts";
import { todoShown } from "./places.ts";
import { moneyCell, payeeCell, tick } from "./rows.ts";
import type { ReadStatements } from "./read-statements.ts";
import { batchLink } from "./todo.ts";

const ROWS_SHOWN = 100;
/** Whoever decides must know who is paid. */
const NAMES_MS = 2_000;

/** Rows of one file that wait for a person, all for one kind of word. */
export interface Waiting {
  readonly batch: BatchRecord;
  readonly state: "unknown" | "held";
  readonly tally: Tally;
}

interface Seen {
  readonly statements: ReadStatements;
  /** Of somebody who may decide. */
  readonly csrf: string | undefined;
}

export async function waitingPart(desk: Desk, waiting: Waiting, seen: Seen): Promise<Html> {
  const { batch, state, tally } = waiting;
  const rows = await desk.store.rows({ batch: batch.id, states: [state], limit: ROWS_SHOWN });
  const details = await detailsOf(desk, batch, rows, NAMES_MS);
  const detailOf = (record: RowRecord): Detail => details.of.get(record.row) ?? {};
  const shown = { rows, detailOf, csrf: seen.csrf };
  const table =
    state === "unknown"
      ? await unknownTable(desk, batch, { ...shown, statements: seen.statements })
      : await heldTable(desk, waiting, shown);
  const title = markup`${statusTag(state)} in ${batchLink(batch)}`;
  const right = `${payments(tally.rows, desk.figures)}, ${desk.figures.money(tally.amount)}`;
  const why = details.why !== undefined && markup`<p class="in soft">${said(details.why)}</p>`;
  const more = tally.rows > rows.length && markup`<p class="in soft">${DESK_WORDS.more_below}</p>`;
  const content = markup`${why}${table}${more}`;
  const heading = over(title, { id: `${state}-${batch.id}`, right });
  if (seen.csrf === undefined) return markup`${heading}<div class="card">${content}</div>`;
  const isContradicted = rows.some(({ code }) => code === "contradiction");
  const fields = state === "unknown" ? settleFields() : heldFields(isContradicted);
  const hidden = { batch: batch.id, all_seen: tallyText(batch) };
  return markup`${heading}${form(`/decide/${state}`, seen.csrf, [content, markup`<div class="form say">${fields}</div>`], { hidden, kind: "card" })}`;
}

/** What a page says of all that are held. */
export const tallyText = ({ tallies: { held } }: BatchRecord): string => `${held?.rows ?? 0} ${held?.amount ?? ""}`;

interface Rows {
  readonly rows: readonly RowRecord[];
  readonly detailOf: (record: RowRecord) => Detail;
  readonly csrf: string | undefined;
}

/** What a statement says of rows, the strongest first. */
const WORDS = ["reference", "payee", "undecided", "not_shown", "not_read"] as const;
type StatementWord = (typeof WORDS)[number];

function wordOf(found: Reconciled | undefined): StatementWord {
  if (!found) return "not_read";
  if (found.is === "proposed") return found.by && isStrong(found.by) ? "reference" : "payee";
  return found.is === "undecided" ? "undecided" : "not_shown";
}

async function unknownTable(
  desk: Desk,
  batch: BatchRecord,
  { rows, detailOf, csrf, statements }: Rows & Pick<Seen, "statements">,
): Promise<Html> {
  const [acts, runs] = await Promise.all([desk.store.acts({ batch: batch.id }), desk.store.runs(batch.id)]);
  const words = new Map(rows.map((record) => [record, statements.wordOn(record)?.found]));
  const groups = WORDS.flatMap((word): Group[] => {
    const all = rows.filter((record) => wordOf(words.get(record)) === word);
    if (all.length === 0) return [];
    const lines = all.map((record): Line => {
      const detail = detailOf(record);
      const sent = sentText({ record, sent: sentOf(record, acts, runs) }, (at) =>
        desk.figures.time(at, desk.store.now()),
      );
      const beside = besideUnknown(desk, words.get(record), sent);
      const happened = markup`<small>${tellRow(record, batch).text}</small>`;
      const cells = [csrf === undefined ? record.row : tick(record, detail), markup`${payeeCell(detail)}${happened}`];
      return { id: `row-${record.row}`, cells: [...cells, moneyCell(desk, record.amount), beside] };
    });
    return [{ head: groupHead(desk, word, all, csrf), lines }];
  });
  const columns = [
    ["Tick"],
    ["Payment", "head"],
    ["Amount", "n"],
    ["In the bank statement", "wide", "beside"],
  ] as const;
  return tableIn({ caption: DESK_WORDS.look_up, columns, kind: "ticks" }, groups);
}

/** All of a group are ticked by one box; whoever ticks it types their sum on the next page. */
function groupHead({ figures }: Desk, word: StatementWord, all: readonly RowRecord[], csrf: string | undefined): Html {
  const { title, means } = STATEMENT_GROUPS[word];
  const text = markup`<b>${all.length === 1 ? "1" : `All ${figures.count(all.length)}`} ${title}, ${figures.money(sumOf(all))}</b> <span class="soft">${means}</span>`;
  if (csrf === undefined || word === "undecided") return text;
  const rows = markup`<input type="hidden" name="rows_${word}" value="${all.map(({ row }) => row).join()}">`;
  return markup`${check("group", word, text)}${rows}`;
}

function besideUnknown({ figures }: Desk, found: Reconciled | undefined, sent: string): Html {
  if (!found) return markup`<p class="soft">${DESK_WORDS.not_compared_yet} Sent ${sent}</p>`;
  const { line, by } = found;
  if (!line || !by)
    return markup`<p>${tag(found.is === "undecided" ? "Same amount as others" : "No line", found.is === "undecided" ? "wait" : "idle")}</p><p class="soft">${findingText(found)}. Sent ${sent}</p>`;
  const kind = isStrong(by) ? "good" : "idle";
  return markup`<p><span>${bookedOn(line)}</span> <b class="n">${figures.money(line.amount)}</b> ${tag(EVIDENCE_WORDS[by], kind)}</p><p><code>${said(narrationOf(line))}</code></p>`;
}

async function heldTable(desk: Desk, { batch, tally }: Waiting, { rows, detailOf, csrf }: Rows): Promise<Html> {
  const earlier = await earlierOf(desk, rows);
  const lines = rows.map((record): Line => {
    const detail = detailOf(record);
    const first = csrf === undefined ? record.row : tick(record, detail);
    const words = tellRow(record, batch);
    const why = markup`${words.text}<small>${todoShown(words, "/decide")}</small>`;
    const cells = [first, payeeCell(detail), moneyCell(desk, record.amount), why, earlier(record)];
    return { id: `row-${record.row}`, cells };
  });
  const text = markup`<b>${tally.rows === 1 ? "The one" : `All ${desk.figures.count(tally.rows)}`}, ${desk.figures.money(tally.amount)}</b>`;
  const head = csrf === undefined ? text : check("all", "yes", text);
  const columns = [
    ["Tick"],
    ["Payment", "head"],
    ["Amount", "n"],
    ["Why it is held", "wide", "soft"],
    ["The earlier payment", "wide", "beside"],
  ] as const;
  return tableIn({ caption: DESK_WORDS.held_means, columns, kind: "ticks" }, [{ head, lines }]);
}

/** The payment that a held row is like, beside it. */
async function earlierOf({ store, figures }: Desk, rows: readonly RowRecord[]): Promise<(record: RowRecord) => Shown> {
  const others = rows.flatMap(({ reasons }) => reasons.find(({ other }) => other)?.other ?? []);
  const found = new Map<string, Html>();
  for (const [id, named] of Map.groupBy(others, ({ batch }) => batch)) {
    const [batch] = await store.batches({ id });
    for (const one of batch ? await store.rows({ batch: id, rows: named.map(({ row }) => row) }) : []) {
      const at = one.sentAt === undefined ? "" : figures.time(one.sentAt, store.now());
      const amount = one.amount === undefined ? "" : figures.money(one.amount);
      found.set(
        `${id}:${one.row}`,
        markup`<p><span>${at}</span> <b class="n">${amount}</b> <span class="soft">${SHOWN[statusOf(one)].word.toLowerCase()}</span></p><p class="soft"><span>${batch && batchLink(batch)}, row ${one.row}</span></p>`,
      );
    }
  }
  return ({ reasons }) => {
    const other = reasons.find((reason) => reason.other)?.other;
    return other && found.get(`${other.batch}:${other.row}`);
  };
}
