import { stat } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { loadWithoutKeys } from "../config/load.ts";
import { PaydropError } from "../errors.ts";
import { sha256Of } from "../disk/file-hash.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import type { JournalStore } from "../journal/store.ts";
import { printable } from "../text/printable.ts";
import { withProcessor, type Processor } from "../processor.ts";
import { withHint } from "../results/disk/on-disk.ts";
import { modeOf } from "../results/disk/mode-of.ts";
import { FALLBACK_FOLDER } from "../results/disk/fallback.ts";
import { createClock } from "../results/report/clock.ts";
import { documentOf, REPORT_FORMS, type ReportForm } from "../results/report/forms.ts";
import { headlineOf } from "../results/report/headline.ts";
import type { Report } from "../results/report/report.ts";
import { writeReport, writeReportTo, type ReportDocument, type WrittenReport } from "../results/report/write-report.ts";
import { optionOf, type Call } from "./command.ts";
import { knownBatch } from "./known-batch.ts";
import { writingOut } from "./out-file.ts";
import { tell } from "./screen/tell.ts";
import { recoverIfDead } from "./try-lock.ts";

/**
 * Writes a report on a batch for people to read, print and sign. Exit 0; 74 when it could not lie beside the input; 75
 * while rows of it are on their way.
 */
export async function run(call: Call): Promise<number> {
  const config = loadWithoutKeys(call);
  const clock = createClock(config.timeZone ?? "UTC");
  const out = optionOf(call, "out");
  const form = formSaid(optionOf(call, "format"), out);
  return withProcessor({ config }, "read", async (processor) => {
    const { journal } = processor;
    const { batch, file } = await batchSaid(journal, call.operands[0]);
    const report = await reportAtRest(processor, config, batch.id);
    const document = documentOf(form, report, clock);
    if (out === "-") {
      call.stdout.write(asText(document));
      return 0;
    }
    const mode = await modeOf(file);
    const written =
      out === undefined
        ? await writeBeside(document, {
            ...{ batchId: batch.id, file, mode, fallbackFolder: join(config.stateDir, FALLBACK_FOLDER) },
            noteWritten: (path, sha256) => journal.noteWritten(path, sha256),
          })
        : await writingOut(resolve(out), () => writeReportTo(resolve(out), document, mode));
    return told(call, config, report, form, written);
  });
}

/**
 * The report of a batch of which no row is on its way: a page lies beside the file long after the run, and must not say
 * of awaited answers that there are none. That is judged by the rows as the report read them, since a run may begin
 * after an earlier look.
 */
async function reportAtRest(processor: Processor, config: Config, batchId: string): Promise<Report> {
  const report = await processor.report(batchId);
  if (report.inFlight === 0) return report;
  // rows of a process that died are unknown, but not marked so yet
  const again = (await recoverIfDead(config)) ? await processor.report(batchId) : report;
  if (again.inFlight === 0) return again;
  const { rows } = again.totals.total;
  throw new PaydropError(
    "locked",
    `batch ${batchId} is being sent: ${again.inFlight} of its ${rows} rows ${again.inFlight === 1 ? "is" : "are"} on the way at this moment`,
    `no report was written; make it when the run has ended. \`paydrop status ${batchId}\` shows how far it is`,
  );
}

async function writeBeside(...[document, place]: Parameters<typeof writeReport>): Promise<WrittenReport> {
  try {
    return await writeReport(document, place);
  } catch (error) {
    throw withHint(error, "make room on the disk and let paydrop write there, or name another file with --out");
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

/**
 * The batch that a person names by its id or, as a clerk does, by the file that it was made of. The report lies beside
 * `file`.
 */
async function batchSaid(
  journal: JournalStore,
  said: string | undefined,
): Promise<{ batch: BatchRecord; file: string }> {
  if (said === undefined || !/[./\\]/.test(said)) {
    const batch = await knownBatch(journal, said);
    return { batch, file: pathOf(batch) };
  }
  const file = resolve(said);
  const batch = batchOfFile(await journal.batches(), file, await hashOf(file));
  if (batch) return { batch, file };
  throw new PaydropError(
    "usage",
    `no batch was made of ${said}`,
    "name it with its folder, or the batch by its id: `paydrop status` lists them; a refused file makes none (`paydrop check` says why it was refused), and of `run --sandbox` none is kept without --state-dir",
  );
}

/** undefined where no file can be read: the batch is looked for by its name alone. */
async function hashOf(file: string): Promise<string | undefined> {
  try {
    // nothing is read of a pipe: it may have no end
    return (await stat(file)).isFile() ? await sha256Of(file) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The batch of the very bytes that lie there, under whatever name they went; where the file was changed or is gone, the
 * newest of its name.
 */
function batchOfFile(
  newestFirst: readonly BatchRecord[],
  file: string,
  sha256: string | undefined,
): BatchRecord | undefined {
  const ofName = newestFirst.filter((batch) => pathOf(batch) === file);
  const ofBytes = (batch: BatchRecord): boolean => batch.sha256 === sha256;
  return ofName.find(ofBytes) ?? newestFirst.find(ofBytes) ?? ofName[0];
}

function pathOf({ folder, fileName }: BatchRecord): string {
  return join(folder, fileName);
}

/** The form by its flag, or by the ending of the file to write: a page under a workbook's name opens in no program. */
function formSaid(said: string | undefined, out = ""): ReportForm {
  const forms = Object.keys(REPORT_FORMS) as ReportForm[];
  const ending = extname(out).slice(1).toLowerCase();
  const form = said ?? (ending === "" ? "html" : forms.find((one) => REPORT_FORMS[one].extension === ending));
  if (form === undefined) {
    const hint = "name it .html (a browser prints it, also to PDF), .txt, .json or .xlsx, or say --format";
    throw new PaydropError("usage", `--out: a report cannot be written as .${printable(ending)}`, hint);
  }
  if (Object.hasOwn(REPORT_FORMS, form)) return form as ReportForm;
  const message = `--format: ${JSON.stringify(said)} is not a form of a report`;
  throw new PaydropError("usage", message, `write one of ${forms.join(", ")}`);
}

function asText({ content }: ReportDocument): string {
  if (typeof content === "string") return content;
  throw new PaydropError("usage", "a workbook cannot be printed", "name a file: --out report.xlsx");
}
