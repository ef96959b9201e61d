import { counted } from "../../text/counted.ts";
import type { Tally } from "../../journal/batch-record.ts";
import { workbookOf, type OutCell, type SmallSheet } from "../../workbook/write.ts";
import { outNames } from "../names.ts";
import { rowRanges } from "../row-ranges.ts";
import { mappingText } from "../words/mapping-words.ts";
import { occurringIn, STATE_WORDS, statusNote } from "../words/status.ts";
import { inTheFile, NO_ROWS } from "../sums.ts";
import type { Clock } from "./clock.ts";
import { headlineOf } from "./headline.ts";
import type { NeedRow } from "./needs.ts";
import type { Report } from "./report.ts";
import { ACCEPTED_MEANS, NEED_WORDS } from "./words.ts";

/** The first cell of a report's first sheet, and of the row that names its batch: by them it is known as ours. */
export const WORKBOOK_MARK = { header: "paydrop report", batch: "batch", value: "value" } as const;

/** A sheet for each part. Amounts are numbers that add up, everything else is text that nothing computes. */
export function reportWorkbook(report: Report, clock: Clock): Buffer {
  const sheets = [
    summarySheet(report, clock),
    statusSheet(report),
    accountsSheet(report),
    needsSheet(report, clock),
    actsSheet(report, clock),
  ];
  return workbookOf(sheets.filter(({ rows }) => rows.length > 0));
}

function summarySheet(report: Report, clock: Clock): SmallSheet {
  const { batch, operation, mapping } = report;
  const { sentence, more } = headlineOf(report);
  const tallies: readonly (readonly [string, Tally])[] = [
    ["in the file", inTheFile(batch)],
    ["approved to go", report.approved],
    ["accepted", report.totals.byStatus.accepted ?? NO_ROWS],
    ["in this report, all statuses", report.totals.total],
  ];
  const rows: OutCell[][] = [
    [WORKBOOK_MARK.batch, batch.id],
    ["what happened", [sentence, ...more].join(" ")],
    ["", ACCEPTED_MEANS],
    ...tallies.flatMap(([name, { rows: count, amount }]): OutCell[][] => [
      [`rows ${name}`, count],
      [`amount ${name}`, { amount }],
    ]),
    ["file", batch.fileName],
    ["folder", batch.folder],
    ["SHA-256", batch.sha256],
    ["operation", operation],
    ...(mapping ? [["columns read by", mappingText(mapping)]] : []),
    ["period", batch.period ?? ""],
    ["destination", `${batch.destination} (${batch.environment})`],
    ["taken", clock.stamp(batch.createdAt)],
    ["last entry in the journal", clock.stamp(report.latestAt)],
    ...report.remarks.map((remark) => ["remark", remark]),
  ];
  return { name: "Report", header: [WORKBOOK_MARK.header, WORKBOOK_MARK.value], widths: [30, 80], rows };
}

function statusSheet({ batch, totals: { byStatus } }: Report): SmallSheet {
  const rows = occurringIn(byStatus).map(([status, { rows: count, amount }]): OutCell[] => [
    STATE_WORDS[status],
    count,
    { amount },
    statusNote(status, batch.phase),
  ]);
  return { name: "Status", header: ["status", "rows", "amount", "it means"], widths: [22, 10, 20, 60], rows };
}

function accountsSheet({ totals: { accounts } }: Report): SmallSheet {
  const rows = accounts.flatMap(({ account, byStatus }) =>
    occurringIn(byStatus).map(([status, { rows: count, amount }]): OutCell[] => [
      account,
      STATE_WORDS[status],
      count,
      { amount },
    ]),
  );
  return {
    name: "Debit accounts",
    header: ["debit account", "status", "rows", "amount"],
    widths: [24, 22, 10, 20],
    rows,
  };
}

function needsSheet({ batch, needs }: Report, clock: Clock): SmallSheet {
  const results = outNames(batch.fileName, batch.format).results;
  const rows = needs.flatMap((need): OutCell[][] => {
    const { title } = NEED_WORDS[need.kind];
    const rest = need.count - need.rows.length;
    const more = `and ${counted(rest)} more: see ${results}`;
    return [
      ...need.rows.map((row) => needCells(title, row, clock)),
      ...(rest > 0 ? [[title, null, null, "", "", more, "", ""]] : []),
    ];
  });
  const header = ["why", "row", "amount", "to or from", "reference", "what happened", "what to do", "sent"];
  return { name: "Needs a person", header, widths: [40, 8, 18, 14, 24, 70, 40, 30], rows };
}

function needCells(title: string, row: NeedRow, clock: Clock): OutCell[] {
  const { number, amount, payee = "", reference = "", happened, todo, sentAt } = row;
  const sent = sentAt === undefined ? "" : clock.stamp(sentAt);
  return [title, number, amount === undefined ? null : { amount }, payee, reference, happened, todo, sent];
}

function actsSheet({ acts }: Report, clock: Clock): SmallSheet {
  const all = [...acts.people, ...acts.own].sort((a, b) => a.at - b.at);
  const rows = all.map(({ at, by, what, rows: numbers, note }): OutCell[] => {
    return [clock.stamp(at), by, what, numbers.length === 0 ? "" : rowRanges(numbers), note];
  });
  return { name: "Decisions", header: ["when", "who", "did what", "rows", "why"], widths: [30, 20, 26, 24, 60], rows };
}
