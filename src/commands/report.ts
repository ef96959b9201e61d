import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { openKept } from "../checks/open-file.ts";
import { loadSettings } from "../config/load.ts";
import { accessLike, writeAtomically } from "../disk.ts";
import { PaydropError } from "../errors.ts";
import type { BatchRecord, JournalStore } from "../journal/store.ts";
import { printable } from "../printable.ts";
import * as place from "../results/place.ts";
import { collectReport } from "../results/report.ts";
import { REPORT_MARK, reportPage } from "../results/report-page.ts";
import { asLine } from "../screen/json-lines.ts";
import { paperOf, textOf } from "../screen/look.ts";
import { snapshotPath } from "../state-dir.ts";
import type { Call } from "./command.ts";
import { knownBatch, openWork } from "./open-work.ts";

/**
 * Writes a page on a batch for people to read, print and sign. Exit 0; 74 when it could not lie beside the input; 75
 * while rows of it are on their way.
 */
export async function run(call: Call): Promise<number> {
  const { config } = loadSettings(call);
  const work = await openWork(config, undefined, "read");
  try {
    const { batch, file } = await batchSaid(work.store, call.operands[0]);
    const { id, onItsWay, sha256 } = batch;
    if (onItsWay > 0) throw new PaydropError("being_sent", { batch: id, rows: onItsWay });
    const kept = await openKept(snapshotPath(config.state_dir, sha256), batch);
    const report = await collectReport({ ...kept, store: work.store, batch });
    const page = reportPage(report, config.time_zone ?? "UTC");
    const { path, elsewhere } = await place.besideOrElsewhere(file, id, config.state_dir, async (beside, why) => ({
      path: await writePage(page, id, beside),
      elsewhere: why,
    }));
    const { headline, exitCode: batch_exit_code } = report;
    const exit_code = elsewhere === undefined ? 0 : 74;
    if (config.quiet && exit_code === 0) return exit_code;
    const { write } = paperOf(call.stdout, config, call.flags);
    const why = elsewhere === undefined ? [] : [printable(elsewhere)];
    const object = { type: "summary", batch: id, report: path, elsewhere, headline, batch_exit_code, exit_code };
    write(config.json ? asLine(object) : textOf([headline, ...why, `report     ${printable(path)}`]));
    return exit_code;
  } finally {
    await work.close();
  }
}

/** An earlier batch's report is kept under its id; where the file's name is a later batch's by now, this one's is. */
async function writePage(page: string, id: string, file: string): Promise<string> {
  const noted = await place.notedIn(`${file}.summary.json`);
  const usual = `${file}.report.html`;
  const path = noted === undefined || noted.batch === id ? usual : place.nameOfBatch(usual, id);
  await place.makeWay(path, id, reportOf);
  await writeAtomically(path, [page], { ...(await accessLike(file)), replace: true });
  return path;
}

/** A report is ours by its beginning. */
async function reportOf(path: string): Promise<string | undefined> {
  return REPORT_MARK.exec(await readFile(path, "utf8"))?.[1];
}

/** The batch that a person names by its id or, as a clerk does, by the file that it was made of. */
async function batchSaid(
  store: Pick<JournalStore, "batches">,
  said: string | undefined,
): Promise<{ readonly batch: BatchRecord; readonly file: string }> {
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
  if (!batch) throw new PaydropError("no_batch_of_file", { file: printable(said) });
  return { batch, file };
}
