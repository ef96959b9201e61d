import { resolve, join } from "node:path";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load.ts";
import { PaydropError } from "../errors.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import type { JournalStore } from "../journal/store.ts";
import { openProcessor } from "../processor.ts";
import { modeOf } from "../results/mode-of.ts";
import { createClock } from "../results/report/clock.ts";
import { documentOf, REPORT_FORMS, type ReportForm } from "../results/report/forms.ts";
import { headlineOf } from "../results/report/headline.ts";
import type { Report } from "../results/report/report.ts";
import { writeReport, writeReportTo, type ReportDocument, type WrittenReport } from "../results/report/write-report.ts";
import type { Call } from "./command.ts";
import { knownBatch } from "./known-batch.ts";
import { tell } from "./tell.ts";

/** Writes a report on a batch for people to read, print and sign. Exit 0, or 74 when it could not lie beside the input. */
export async function run(call: Call): Promise<number> {
  const config = loadConfig({ flags: call.flags, env: call.env, secrets: "ignore" });
  const form = formSaid(call.flags["format"]);
  const clock = createClock(config.timeZone ?? "UTC");
  const out = textSaid(call.flags["out"]);
  const processor = await openProcessor({ config }, "read");
  try {
    const { journal } = processor;
    const batch = await batchSaid(journal, call.operands[0]);
    const report = await processor.report(batch.id);
    const document = documentOf(form, report, clock);
    if (out === "-") {
      call.stdout.write(asText(document));
      return 0;
    }
    const file = join(batch.folder, batch.fileName);
    const mode = await modeOf(file);
    const written =
      out === undefined
        ? await writeReport(document, {
            ...{ batchId: batch.id, file, mode, fallbackFolder: join(config.stateDir, "results") },
            written: (path) => journal.written(path),
            noteWritten: (path, sha256) => journal.noteWritten(path, sha256),
          })
        : await writeReportTo(resolve(out), document, mode);
    return told(call, config, report, form, written);
  } finally {
    await processor.close();
  }
}

function told(call: Call, config: Config, report: Report, form: ReportForm, written: WrittenReport): number {
  const { batch, exitCode } = report;
  const { sentence, more } = headlineOf(report);
  const code = written.elsewhere === undefined ? 0 : 74;
  if (written.elsewhere !== undefined && !config.json) call.stderr.write(`${written.elsewhere}\n`);
  const object = {
    ...{ type: "summary", batch: batch.id, format: form, report: written.path, elsewhere: written.elsewhere },
    ...{ batch_exit_code: exitCode, exit_code: code },
  };
  tell(call, config, `${[sentence, ...more].join(" ")}\nreport     ${written.path}`, object);
  return code;
}

/** By its id, or by the file that it was made of: a clerk knows no other name for it. */
async function batchSaid(journal: JournalStore, said: string | undefined): Promise<BatchRecord> {
  if (said !== undefined && /[./\\]/.test(said)) {
    const path = resolve(said);
    const newest = (await journal.batches()).find(({ folder, fileName }) => join(folder, fileName) === path);
    if (newest) return newest;
    throw new PaydropError(
      "usage",
      `no batch was made of ${said}`,
      "`paydrop status` lists the batches; a refused file makes none (`paydrop check` says why it was refused), and of `run --sandbox` none is kept without --state-dir",
    );
  }
  return knownBatch(journal, said);
}

function formSaid(value: unknown): ReportForm {
  const said = textSaid(value) ?? "html";
  if (Object.hasOwn(REPORT_FORMS, said)) return said as ReportForm;
  throw new PaydropError(
    "usage",
    `--format: ${JSON.stringify(said)} is no form of a report`,
    `write one of ${Object.keys(REPORT_FORMS).join(", ")}`,
  );
}

function asText({ content }: ReportDocument): string {
  if (typeof content === "string") return content;
  throw new PaydropError("usage", "a workbook is no text for stdout", "name a file: --out report.xlsx");
}

function textSaid(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
