import pLimit from "p-limit";
import { Sums, sumOf, unitsOf } from "../amount.ts";
import { startOfNamedDay } from "../day.ts";
import type { ResultStatus } from "../events.ts";
import type { BatchRecord } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { SHOWN } from "../messages/pages.ts";
import { told } from "../messages/sentence.ts";
import { markup, said, tableOf, type Html } from "../pages/html.ts";
import { card, over, payments, statusTag, tilesOf } from "../pages/parts.ts";
import { find, type FoundRow } from "../results/find.ts";
import type { Desk } from "./desk.ts";
import { filesTable } from "./files.ts";
import { button } from "./forms.ts";
import type { Pages } from "./pages.ts";
import { moneyCell, payeeCell } from "./rows.ts";
import { batchLink } from "./todo.ts";

const ROWS_SHOWN = 200;
const FILES_SHOWN = 200;

interface Asked {
  readonly text: string;
  readonly status: ResultStatus | undefined;
  /** `2026-11-21`; empty where it is no day. */
  readonly since: string;
}

/** Payments over all files, and the files. One search at a time: each may read many copies. */
export function findPages(pages: Pages): void {
  const { desk } = pages;
  const inTurn = pLimit(1);
  pages.page("/find", async (asked) => {
    const { q = "", since = "", status } = asked.c.req.query();
    const from = startOfNamedDay(since, desk.config.time_zone);
    const only = (Object.keys(SHOWN) as ResultStatus[]).find((one) => one === status);
    const said = { text: q.trim(), status: only, since: from === undefined ? "" : since };
    const content = said.text === "" ? await filesPart(desk) : await inTurn(() => foundPart(desk, said, from));
    const title = said.text === "" ? "Files" : "Find a payment";
    return pages.framed(asked, {
      ...{ title, at: "/find", sub: DESK_WORDS.find_sub, content: markup`${searchForm(said)}${content}` },
      foot: said.text === "" ? DESK_WORDS.accepted_means : DESK_WORDS.find_foot,
    });
  });
}

function searchForm({ text, status, since }: Asked): Html {
  const options = (Object.keys(SHOWN) as ResultStatus[]).map(
    (one) => markup`<option value="${one}"${one === status && markup` selected`}>${SHOWN[one].word}</option>`,
  );
  return markup`<form class="card form" method="get" action="/find" role="search">
<p class="one"><label class="hide" for="q">What you know of the payment</label><input class="big" id="q" type="search" name="q" maxlength="200" value="${text}" aria-describedby="q-hint"> ${button("Find")}</p>
<small id="q-hint">${DESK_WORDS.find_such}</small>
<fieldset class="filters"><legend class="hide">Only some of them</legend>
<p><label for="status">What became of it</label><select id="status" name="status"><option value="">Anything</option>${options}</select></p>
<p><label for="since">From this day on</label><input id="since" type="date" name="since" value="${since}"></p></fieldset></form>`;
}

async function filesPart(desk: Desk): Promise<Html> {
  const batches = (await desk.store.batches({ newest: FILES_SHOWN })).toReversed();
  if (batches.length === 0) return markup`<p class="card in after">${DESK_WORDS.no_batches}</p>`;
  const months = Map.groupBy(batches, ({ createdAt }) => desk.figures.month(createdAt));
  const parts = [...months].map(([month, all]) => monthPart(desk, month, all));
  const right = markup`<a href="/year">By month</a>`;
  return markup`${over("All files", { right })}${parts}${batches.length === FILES_SHOWN && markup`<p class="after"><a href="/year">${DESK_WORDS.older_files}</a></p>`}`;
}

function monthPart(desk: Desk, month: string, batches: readonly BatchRecord[]): Html {
  const name = new Date(`${month}-15`).toLocaleString("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });
  const sum = desk.figures.money(sumOf(batches.flatMap(({ tallies }) => tallies.accepted ?? [])));
  return markup`${over(name, { right: `${sum} accepted` })}${card(filesTable(desk, batches, `Files of ${name}`))}`;
}

async function foundPart(desk: Desk, { text, status }: Asked, since: number | undefined): Promise<Html> {
  const rows: FoundRow[] = [];
  const lacking: string[] = [];
  const place = {
    ...{ config: desk.config, store: desk.store },
    lacks: ({ fileName }: FoundRow["batch"]) => lacking.push(fileName),
  };
  let isCut = false;
  for await (const one of find(place, { text, since })) {
    if (status !== undefined && one.status !== status) continue;
    isCut = rows.length === ROWS_SHOWN;
    if (isCut) break;
    rows.push(one);
  }
  const none = markup`<p class="card in after">${DESK_WORDS.nothing_found}</p>`;
  const title = `${payments(rows.length, desk.figures)} found`;
  return markup`${rows.length === 0 ? none : markup`${over(title)}${foundTiles(desk, rows)}${card(foundTable(desk, rows.toReversed()), "after")}`}
${isCut && markup`<p class="after">${DESK_WORDS.more_found}</p>`}${lacking.map((name) => markup`<p class="after">${DESK_WORDS.copy_gone} ${said(name)}</p>`)}`;
}

/** A payment that was refused and corrected stands there twice: what went is counted for itself. */
function foundTiles({ figures }: Desk, rows: readonly FoundRow[]): Html {
  const sums = new Sums<"went" | "waits" | "stayed">();
  const files = new Set(rows.map(({ batch }) => batch.id)).size;
  for (const { record, status } of rows) {
    const { kind } = SHOWN[status];
    sums.add(
      kind === "good" ? "went" : kind === "ask" || kind === "wait" ? "waits" : "stayed",
      unitsOf(record.amount ?? "0"),
    );
  }
  const by = new Map(sums.tallies);
  const tile = (title: string, tally: { rows: number; amount: string } = { rows: 0, amount: "0.00" }) =>
    [title, figures.money(tally.amount), payments(tally.rows, figures)] as const;
  return tilesOf([
    [
      "Found",
      figures.money(sums.total.amount),
      `${payments(rows.length, figures)} in ${files} ${files === 1 ? "file" : "files"}`,
    ],
    ...[
      tile("Went", by.get("went")),
      tile("Waits, or nobody knows", by.get("waits")),
      tile("Did not go", by.get("stayed")),
    ],
  ]);
}

function seenText({ figures, store }: Desk, { day, returned }: NonNullable<FoundRow["inStatement"]>): string {
  const at = Date.parse((returned ?? { day }).day);
  return told(DESK_WORDS[returned ? "seen_back" : "seen"], { day: figures.day(at, store.now()) }).text;
}

function foundTable(desk: Desk, rows: readonly FoundRow[]): Html {
  const { figures, store } = desk;
  const lines = rows.map((found) => {
    const { batch, record, status, at, name, employee, payee, reference, inStatement } = found;
    const seen = inStatement && markup`<small>${seenText(desk, inStatement)}</small>`;
    const file = markup`${batchLink(batch)}<small>row ${record.row}${reference && markup` · <span class="nb">${said(reference)}</span>`}</small>`;
    return [
      figures.day(at, store.now()),
      payeeCell({ name, employee, payee }),
      file,
      moneyCell(desk, record.amount),
      markup`${statusTag(status)} ${seen}`,
    ];
  });
  const columns = [
    ["Day", "nb", "less"],
    ["Payee", "head"],
    ["File and reference", "wide"],
    ["Amount", "n"],
    ["What became of it", "wide"],
  ] as const;
  const foot = [
    "",
    `All ${figures.count(rows.length)}`,
    "",
    figures.money(sumOf(rows.map(({ record }) => record))),
    "",
  ];
  return tableOf({ caption: "Payments found, the newest first", isHidden: true, columns, foot }, lines);
}
