import { sumOf, unitsOf } from "../amount.ts";
import { openKept } from "../checks/open-kept.ts";
import type { ByStatus, ResultStatus } from "../events.ts";
import type { BatchRecord } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { told } from "../messages/sentence.ts";
import { markup, nothing, tableOf, type Html } from "../pages/html.ts";
import { card, over, payments } from "../pages/parts.ts";
import { lockstep, recordsOf, TotalsCollector } from "../results/totals.ts";
import { durationText } from "../screen/look.ts";
import type { Desk } from "./desk.ts";

const percent = (part: bigint, of: bigint): number => (of === 0n ? 0 : Number((part * 10_000n) / of) / 100);

const SAMPLE = 600;
const STEPS = 60;
/** Fewer rows make no line. */
const LEAST = 50;

/** Rows that ended, by time. So many rows, one in so many of the batch, tell it as well as all of them. */
export async function progressPicture({ store, figures }: Desk, { id, rows: size }: BatchRecord): Promise<Html> {
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
  const facts = {
    first: figures.time(first, store.now()),
    all: durationText(last - first),
    half: durationText(half - first),
    every,
  };
  const { text } = told(every === 1 ? DESK_WORDS.ended_by_time : DESK_WORDS.ended_by_time_some, facts);
  return markup`${over("How fast it went")}<figure class="card in"><svg class="chart" viewBox="0 0 ${STEPS} 100" preserveAspectRatio="none" aria-hidden="true"><polygon points="0,100 ${points.join(" ")} ${STEPS},100"/></svg><figcaption class="soft">${text}</figcaption></figure>`;
}

/** What was accepted of the batches that were taken in each of twelve months. */
export function yearPicture({ figures }: Desk, batches: readonly BatchRecord[], now: number): Html {
  const ofMonth = Map.groupBy(batches, ({ createdAt }) => figures.month(createdAt));
  const [year = 0, month = 1] = figures.month(now).split("-").map(Number);
  const months = Array.from({ length: 12 }, (_, back) => {
    const first = new Date(Date.UTC(year, month - 1 - back));
    const taken = ofMonth.get(first.toISOString().slice(0, 7)) ?? [];
    const accepted = taken.flatMap(({ tallies }) => tallies.accepted ?? []);
    const name = first.toLocaleString("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });
    return {
      name,
      files: taken.length,
      rows: accepted.reduce((sum, tally) => sum + tally.rows, 0),
      sum: sumOf(accepted),
    };
  });
  const largest = months.reduce((most, { sum }) => (unitsOf(sum) > most ? unitsOf(sum) : most), 0n);
  const lines = months.map(({ name, files, rows, sum }) => {
    const share = markup`<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect class="good" width="${percent(unitsOf(sum), largest)}" height="1"/></svg>`;
    return [name, figures.count(files), figures.count(rows), figures.money(sum), share];
  });
  const columns = [
    "Month",
    ["Files", "n", "less"],
    ["Payments accepted", "n"],
    ["Accepted", "n"],
    ["Beside the largest", "wide"],
  ] as const;
  const all = months.reduce((sum, one) => ({ files: sum.files + one.files, rows: sum.rows + one.rows }), {
    files: 0,
    rows: 0,
  });
  const foot = [
    "Twelve months",
    figures.count(all.files),
    figures.count(all.rows),
    figures.money(sumOf(months.map(({ sum: amount }) => ({ amount })))),
    "",
  ];
  return tableOf({ caption: DESK_WORDS.year_means, columns, foot }, lines);
}

/** Sums by debit account, from the private copy of the file: of a large one that takes its time, so it has its own page. */
export async function accountsPicture(desk: Desk, batch: BatchRecord): Promise<Html> {
  return card(await accountsTable(desk, batch));
}

const WENT = ["accepted", "settled_done"] as const;
const STAYED = ["rejected", "invalid", "held", "not_sent", "duplicate", "cancelled", "settled_not_done"] as const;

export async function accountsTable(desk: Desk, batch: BatchRecord): Promise<Html> {
  const { figures } = desk;
  const { table, own } = await openKept(desk, batch);
  const collector = new TotalsCollector();
  for await (const pairs of lockstep(table.rows(), recordsOf(desk.store, batch.id)))
    for (const { row, record } of pairs) collector.add(record, own(row).debit);
  const { accounts, total, byStatus } = collector.totals();
  if (accounts.length === 0) return markup`<p class="in soft">${DESK_WORDS.no_accounts}</p>`;
  const cells = (of: ByStatus, all: string): readonly string[] => {
    const sum = (names: readonly ResultStatus[]): string =>
      figures.money(sumOf(names.flatMap((name) => of[name] ?? [])));
    return [figures.money(all), sum(WENT), sum(["unknown"]), sum(STAYED)];
  };
  const lines = accounts.map((one) => [
    markup`<span class="nb">${one.account}</span><small>${payments(one.total.rows, figures)}</small>`,
    ...cells(one.byStatus, one.total.amount),
  ]);
  const columns = [
    "Account",
    ["In the file", "n"],
    ["Went", "n"],
    ["No clear answer", "n"],
    ["Did not go", "n"],
  ] as const;
  return tableOf(
    { caption: "Sums by debit account", isHidden: true, columns, foot: ["All", ...cells(byStatus, total.amount)] },
    lines,
  );
}
