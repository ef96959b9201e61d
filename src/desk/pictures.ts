import { sumOf, unitsOf } from "../amount.ts";
import { openKept } from "../checks/open-file.ts";
import { isoDay, minuteOf, MONTHS } from "../day.ts";
import type { ByStatus } from "../events.ts";
import type { BatchRecord } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { told } from "../messages/sentence.ts";
import { STATUSES } from "../messages/statuses.ts";
import { lockstep, occurringIn, recordsOf, TotalsCollector } from "../results/totals.ts";
import { durationText, SIGNS } from "../screen/look.ts";
import type { Desk } from "./desk.ts";
import { markup, nothing, tableOf, type Html } from "./html.ts";

const percent = (part: bigint, of: bigint): number => (of === 0n ? 0 : Number((part * 10_000n) / of) / 100);

/** Sums by status as one bar. Colour only helps: signs stand in its parts, and the table beside it says the same. */
export function statusBar(byStatus: ByStatus): Html {
  const parts = occurringIn(byStatus).map(([status, { amount }]) => ({ status, amount, units: unitsOf(amount) }));
  const total = parts.reduce((sum, { units }) => sum + units, 0n);
  if (total === 0n) return nothing;
  // what is little is wide enough to be seen
  const shares = parts.map(({ units }) => Math.max(1, percent(units, total)));
  const all = shares.reduce((sum, share) => sum + share, 0);
  let at = 0;
  const drawn = parts.map(({ status }, index) => {
    const [from, width] = [at, ((shares[index] ?? 0) * 100) / all];
    at += width;
    const sign = width > 4 && markup`<text x="${from + 1}%" y="72%">${SIGNS[status][0]}</text>`;
    return markup`<g class="${status}"><rect x="${from}%" width="${width}%" height="100%"/>${sign}</g>`;
  });
  const text = parts.map(({ status, amount }) => `${STATUSES[status].word} ${amount}`).join(", ");
  return markup`<svg class="bar" role="img" aria-label="${text}">${drawn}</svg>`;
}

const SAMPLE = 600;
const STEPS = 60;
/** Fewer rows make no line. */
const LEAST = 50;

/** Rows that ended, by time. So many rows, one in so many of the batch, tell it as well as all of them. */
export async function progressPicture({ store }: Desk, { id, rows: size }: BatchRecord): Promise<Html> {
  const every = Math.max(1, Math.ceil(size / SAMPLE));
  const numbers = Array.from({ length: SAMPLE }, (_, at) => 2 + at * every);
  const rows = await store.rows(every === 1 ? { batch: id } : { batch: id, rows: numbers });
  const ended = rows.flatMap(({ state, sentAt, durationMs = 0 }) =>
    state === "ready" || sentAt === undefined ? [] : [sentAt + durationMs],
  );
  ended.sort((one, other) => one - other);
  const [first = 0, last = 0, half = 0] = [ended[0], ended.at(-1), ended[Math.floor(ended.length / 2)]];
  if (ended.length < LEAST || last === first) return nothing;
  const points = Array.from({ length: STEPS + 1 }, (_, step) => {
    const until = first + ((last - first) * step) / STEPS;
    const share = ended.filter((at) => at <= until).length / rows.length;
    return `${step},${(100 - 100 * share).toFixed(1)}`;
  });
  const facts = { first: minuteOf(first), all: durationText(last - first), half: durationText(half - first), every };
  const { text } = told(every === 1 ? DESK_WORDS.ended_by_time : DESK_WORDS.ended_by_time_some, facts);
  return markup`<figure><svg class="chart" viewBox="0 0 ${STEPS} 100" preserveAspectRatio="none" aria-hidden="true"><polygon points="0,100 ${points.join(" ")} ${STEPS},100"/></svg><figcaption>${text}</figcaption></figure>`;
}

/** Lines that end with a sum; each gets a bar as long as its sum is beside the largest. */
function sumsTable(caption: string, titles: readonly string[], lines: readonly (readonly (string | number)[])[]): Html {
  const units = lines.map((line) => unitsOf(String(line.at(-1))));
  const largest = units.reduce((most, one) => (one > most ? one : most), 0n);
  const shares = units.map((one) => markup`<rect width="${percent(one, largest)}%" height="100%"/>`);
  const bars = shares.map((rect) => markup`<svg class="share" aria-hidden="true">${rect}</svg>`);
  const all = lines.map((line, at) => [...line, bars[at]]);
  return tableOf({ caption, titles: [...titles, "Beside the largest"] }, all);
}

/** What was accepted of the batches that were taken in each of twelve months. */
export function yearPicture(batches: readonly BatchRecord[], environment: string, now: number): Html {
  const ofMonth = Map.groupBy(batches, ({ createdAt }) => isoDay(createdAt).slice(0, 7));
  const months = Array.from({ length: 12 }, (_, back) => {
    const month = new Date(Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth() - back));
    const taken = ofMonth.get(month.toISOString().slice(0, 7)) ?? [];
    const accepted = taken.flatMap(({ tallies }) => tallies.accepted ?? []);
    const rows = accepted.reduce((sum, tally) => sum + tally.rows, 0);
    return [`${MONTHS[month.getUTCMonth()] ?? ""} ${month.getUTCFullYear()}`, taken.length, rows, sumOf(accepted)];
  });
  const { text } = told(DESK_WORDS.year_means, { environment });
  return sumsTable(text, ["Month", "Batches#", "Rows accepted#", "Accepted#"], months);
}

/** Sums by debit account, from the private copy of the file: of a large one that takes its time, so it has its own page. */
export async function accountsPicture(desk: Desk, batch: BatchRecord): Promise<Html> {
  const { table, own } = await openKept(desk, batch);
  const collector = new TotalsCollector();
  for await (const pairs of lockstep(table.rows(), recordsOf(desk.store, batch.id)))
    for (const { row, record } of pairs) collector.add(record, own(row).debit);
  const accounts = collector.totals().accounts.map(({ account, byStatus }) => {
    const { rows = 0, amount = "0.00" } = byStatus.accepted ?? {};
    return [account, rows, amount];
  });
  if (accounts.length === 0) return markup`<p>${DESK_WORDS.no_accounts}</p>`;
  return sumsTable(DESK_WORDS.accounts_mean, ["Account", "Rows accepted#", "Accepted#"], accounts);
}
