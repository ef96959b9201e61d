import type { Clock } from "./clock.ts";
import { reportJson } from "./json.ts";
import { reportPage } from "./page.ts";
import type { Report } from "./report.ts";
import { reportText } from "./text.ts";
import type { ReportDocument } from "./write-report.ts";

interface Form {
  readonly extension: string;
  readonly mark: RegExp;
  text(report: Report, clock: Clock): string;
}

/** Every form of a report. Adding one is adding a line. */
export const REPORT_FORMS = {
  html: {
    extension: "html",
    mark: /^<!doctype html>\n<html lang="en" data-paydrop-report="([^"]*)">/,
    text: reportPage,
  },
  text: { extension: "txt", mark: /^paydrop report, batch (\S*)\n/, text: reportText },
  json: { extension: "json", mark: /^\{\s*"paydrop": \{\s*"format": 1,\s*"report": "([^"]*)"/, text: reportJson },
} as const satisfies Record<string, Form>;

export type ReportForm = keyof typeof REPORT_FORMS;

export function documentOf(form: ReportForm, report: Report, clock: Clock): ReportDocument {
  const { extension, mark, text } = REPORT_FORMS[form];
  return { extension, mark, text: text(report, clock) };
}
