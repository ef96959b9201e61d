import pLimit from "p-limit";
import { Sums, unitsOf } from "../amount.ts";
import { isoDayIn, startOfNamedDay } from "../day.ts";
import type { ResultStatus } from "../events.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { counted } from "../messages/sentence.ts";
import { referenceText, whoText } from "../results/details.ts";
import { find, type FoundRow } from "../results/find.ts";
import { splitText } from "../results/totals.ts";
import { button, field, markup, said, statusTag, tableOf, type Html } from "./html.ts";
import { batchLink } from "./needs.ts";
import type { Pages } from "./pages.ts";

const ROWS_SHOWN = 200;

/** Rows over all files. One search at a time: each may read many copies. */
export function findPages(pages: Pages): void {
  const inTurn = pLimit(1);
  pages.page("/find", async (asked) => {
    const { q: text = "", since: said = "" } = asked.c.req.query();
    const since = startOfNamedDay(said, pages.desk.config.time_zone);
    const day = since === undefined ? "" : said;
    const found = text.trim() === "" ? undefined : await inTurn(() => foundPart(pages, text.trim(), since));
    return pages.framed(asked, { title: "Find", at: "/find", content: markup`${searchForm(text, day)}${found}` });
  });
}

function searchForm(text: string, day: string): Html {
  const fields = [
    field("q", "Name, employee number, reference, account or its last four", {
      value: text,
      type: "search",
      maxlength: "200",
    }),
    field("since", "From this day on", { value: day, type: "date" }),
  ];
  return markup`<form method="get" action="/find" role="search">${fields}<p>${button("Find")}</p></form>`;
}

async function foundPart({ desk }: Pages, text: string, since: number | undefined): Promise<Html> {
  const rows: FoundRow[] = [];
  const lacking: string[] = [];
  const place = {
    config: desk.config,
    store: desk.store,
    lacks: ({ fileName }: FoundRow["batch"]) => lacking.push(fileName),
  };
  let isCut = false;
  for await (const one of find(place, { text, since })) {
    isCut = rows.length === ROWS_SHOWN;
    if (isCut) break;
    rows.push(one);
  }
  const sums = new Sums<ResultStatus>();
  for (const { record, status } of rows) sums.add(status, unitsOf(record.amount ?? "0"));
  const caption = `${counted(rows.length)} found, ${sums.total.amount} in all${splitText(sums)}`;
  const titles = ["Day", "Amount#", "What became of it", "Who", "Reference", "File"];
  return markup`${
    rows.length === 0
      ? markup`<p>${DESK_WORDS.nothing_found}</p>`
      : tableOf(
          { caption, titles },
          rows.map((row) => lineOf(row, desk.config.time_zone)),
        )
  }
${isCut && markup`<p>${DESK_WORDS.more_found}</p>`}${lacking.map((name) => markup`<p>${DESK_WORDS.copy_gone} ${said(name)}</p>`)}`;
}

function lineOf(found: FoundRow, zone: string | undefined) {
  const { batch, record, status, at } = found;
  const where = markup`${batchLink(batch)}, row ${record.row}`;
  return [
    isoDayIn(at, zone),
    record.amount ?? "",
    statusTag(status),
    said(whoText(found)),
    said(referenceText(found)),
    where,
  ];
}
