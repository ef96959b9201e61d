import { knownBatch } from "../acts/act.ts";
import { stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { writeAgain, type Work } from "../batch.ts";
import { openKept } from "../checks/open-kept.ts";
import { accessLike, writeAtomically, readFound } from "../disk.ts";
import { PaydropError } from "../errors.ts";
import { Figures } from "../figures.ts";
import type { BatchRecord, JournalStore } from "../journal/store.ts";
import { printable } from "../printable.ts";
import * as place from "../results/place.ts";
import { collectReport } from "../results/report.ts";
import { REPORT_MARK, reportPage } from "../results/report-page.ts";
import { jsonSummary } from "../screen/json-lines.ts";
import { paperOf, textOf } from "../screen/look.ts";
import { summaryText } from "../screen/summary-text.ts";
import { show, type Call } from "./command.ts";
import { isSending, withWork } from "../acts/open.ts";

/** Writes the results of a batch again from journal and snapshot (I11). Exit 0 when they lie beside the input, else 74. */
export function results(call: Call): Promise<number> {
  return withWork(call, "read", async (work, config) => {
    const batch = await knownBatch(work.store, call.operands[0]);
    const retryFormat = call.flags["retry_xlsx"] === true ? "xlsx" : undefined;
    const report = await writeAgain(work, batch.id, { retryFormat });
    const code = report.files.elsewhere === undefined ? 0 : 74;
    const { look } = paperOf(call.stdout, config, call.flags);
    const line = { ...jsonSummary(report, look), batch_exit_code: report.exitCode, exit_code: code };
    show(call, config, line, summaryText(report, look), code);
    return code;
  });
}

/** Exit 0; 74 when the page could not lie beside the input; 75 while rows of the batch are on their way. */
export function report(call: Call): Promise<number> {
  return withWork(call, "read", async ({ store }, config) => {
    const { batch, file } = await batchSaid(store, call.operands[0]);
    const { id } = batch;
    const { collected, page } = await makeReport({ store, config }, batch);
    const write = async (beside: string, shown: string, elsewhere?: string) => {
      const name = basename(await writePage(page, id, beside));
      return { path: join(dirname(shown), name), elsewhere };
    };
    const { path, elsewhere } = await place.besideOrElsewhere(file, id, config.state_dir, write);
    const { headline, exitCode: batch_exit_code } = collected;
    const exit_code = elsewhere === undefined ? 0 : 74;
    const why = elsewhere === undefined ? [] : [printable(elsewhere)];
    const line = { type: "summary", batch: id, report: path, elsewhere, headline, batch_exit_code, exit_code };
    show(call, config, line, textOf([headline, ...why, `report     ${printable(path)}`]), exit_code);
    return exit_code;
  });
}

/** Everything of a batch, and the page that says it. */
export async function makeReport({ store, config }: Pick<Work, "store" | "config">, batch: BatchRecord) {
  const { id, onItsWay } = batch;
  if (onItsWay > 0) throw new PaydropError("being_sent", { batch: id, rows: onItsWay });
  const kept = await openKept({ store, config }, batch);
  const collected = await collectReport({ ...kept, store, batch, isSending: isSending(config) });
  return { collected, page: reportPage(collected, new Figures(config)) };
}

const REPORT_BYTES_MAX = 64 * 1024 * 1024;

/** An earlier batch's report is kept under its id; where the file's name is a later batch's by now, this one's is. */
async function writePage(page: string, id: string, file: string): Promise<string> {
  const noted = await place.notedIn(`${file}.summary.json`);
  const usual = `${file}.report.html`;
  const path = noted === undefined || noted.batch === id ? usual : place.nameOfBatch(usual, id);
  // a report is ours by its beginning
  await place.makeWay(
    path,
    id,
    async (there) => REPORT_MARK.exec((await readFound(there, REPORT_BYTES_MAX)) ?? "")?.[1],
  );
  await writeAtomically(path, [page], { ...(await accessLike(file)), replace: true });
  return path;
}

/** The batch that a person names by its id or, as a clerk does, by the file that it was made of. */
async function batchSaid(store: Pick<JournalStore, "batches">, said: string | undefined) {
  if (said === undefined || !/[./\\]/.test(said)) {
    const batch = await knownBatch(store, said);
    return { batch, file: join(batch.folder, batch.fileName) };
  }
  const file = resolve(said);
  const isFile = (await stat(file).catch(() => undefined))?.isFile() === true;
  // the very bytes that lie there, under whatever name they went; else what was taken from there last
  const same = isFile ? await store.batches({ sha256: await place.sha256Of(file) }) : [];
  const here = same.findLast((one) => join(one.folder, one.fileName) === file) ?? same.at(-1);
  const batch = here ?? (await store.batches({ path: file })).at(-1);
  if (!batch) throw new PaydropError("no_batch_of_file", { name: printable(said), file: said });
  return { batch, file };
}
