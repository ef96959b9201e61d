import { standingOfReport, standingOfWorkbook, type Standing } from "../disk/own.ts";
import type { Clock } from "./clock.ts";
import { JSON_MARK, reportJson } from "./json.ts";
import { PAGE_MARK, reportPage } from "./page.ts";
import type { Report } from "./report.ts";
import { reportText, TEXT_MARK } from "./text.ts";
import { reportWorkbook, WORKBOOK_MARK } from "./workbook.ts";
import type { ReportDocument } from "./write-report.ts";

interface Form {
  readonly extension: string;
  /** Whether a file is a report of this form, and of which batch. */
  standing(path: string): Promise<Standing>;
  content(report: Report, clock: Clock): string | Uint8Array;
}

/** Every form of a report. Adding one is adding a line. */
export const REPORT_FORMS = {
  html: { extension: "html", standing: (path) => standingOfReport(path, PAGE_MARK), content: reportPage },
  text: { extension: "txt", standing: (path) => standingOfReport(path, TEXT_MARK), content: reportText },
  json: { extension: "json", standing: (path) => standingOfReport(path, JSON_MARK), content: reportJson },
  xlsx: { extension: "xlsx", standing: (path) => standingOfWorkbook(path, WORKBOOK_MARK), content: reportWorkbook },
} as const satisfies Record<string, Form>;

export type ReportForm = keyof typeof REPORT_FORMS;

export function documentOf(form: ReportForm, report: Report, clock: Clock): ReportDocument {
  const { extension, standing, content } = REPORT_FORMS[form];
  return { extension, standing, content: content(report, clock) };
}
