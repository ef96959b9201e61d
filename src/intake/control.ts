import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { PLAIN_DECIMAL } from "../amount.ts";
import { FileRefusedError, systemCodeOf } from "../errors.ts";
import type { FileFault } from "../errors.ts";

/** Control totals as somebody stated them. `total` is plain decimal text. */
export interface ControlTotals {
  readonly rows?: number;
  readonly total?: string;
}

const BYTES_MAX = 4096;

/**
 * The control totals of `payroll.csv.control` beside the input, with lines `rows=240` and `total=11087750.50`;
 * undefined when there is no such file. Throws FileRefusedError (`control_malformed`) for anything else in it.
 */
export async function readControlFile(inputPath: string): Promise<ControlTotals | undefined> {
  const path = `${inputPath}.control`;
  const text = await readSmallFile(path);
  if (text === undefined) return undefined;
  const file = basename(path);
  const stated = new Map<string, string>();
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (line.trim() === "") continue;
    const [, name = "", value = ""] = /^\s*(rows|total)\s*=\s*(\S+)\s*$/i.exec(line) ?? [];
    const key = name.toLowerCase();
    const isGood = key === "rows" ? /^\d{1,9}$/.test(value) : PLAIN_DECIMAL.test(value) && !/\.\d{5}/.test(value);
    if (!isGood) throw refusal(file, "this line is neither rows=240 nor total=11087750.50", index + 1);
    if (stated.has(key)) throw refusal(file, `${key} is stated twice`, index + 1);
    stated.set(key, value);
  }
  if (stated.size === 0) throw refusal(file, "the file states neither rows nor total");
  const rows = stated.get("rows");
  const total = stated.get("total");
  return { ...(rows === undefined ? {} : { rows: Number(rows) }), ...(total === undefined ? {} : { total }) };
}

async function readSmallFile(path: string): Promise<string | undefined> {
  let file;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return undefined;
    throw refusal(basename(path), "the file cannot be opened, or is a link");
  }
  try {
    if (!(await file.stat()).isFile()) throw refusal(basename(path), "this is not a regular file");
    const buffer = Buffer.alloc(BYTES_MAX + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    if (bytesRead > BYTES_MAX) throw refusal(basename(path), "the file is too long for two lines");
    return buffer.toString("utf8", 0, bytesRead).replace(/^\ufeff/, "");
  } finally {
    await file.close();
  }
}

function refusal(file: string, message: string, line?: number): FileRefusedError {
  const fault: FileFault = {
    code: "control_malformed",
    message: line === undefined ? message : `line ${line}: ${message}`,
    hint: "Write one line rows=… and one line total=… with plain digits, or remove the file.",
  };
  return new FileRefusedError(file, [fault]);
}
