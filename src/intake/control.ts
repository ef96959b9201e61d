import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { basename, extname } from "node:path";
import { SUMMABLE } from "../amount.ts";
import { defined } from "../defined.ts";
import { FileRefusedError, systemCodeOf } from "../errors.ts";
import { reading } from "./source-file.ts";

/** Control totals as somebody stated them. `total` is plain decimal text. */
interface StatedTotals {
  readonly rows?: number;
  readonly total?: string;
}

/** What follows the input's name; the second is what text programs make of the first where endings are hidden. */
export const CONTROL_ENDINGS = [".control", ".control.txt"] as const;

/** Endings that people use instead. They are few, since each is looked for with every file: a folder may be large. */
const NEAR_ENDINGS = [".ctrl", ".ctl"] as const;

const BYTES_MAX = 4096;
/** Errors that a person has to put right. Others may be over at the next look, and are no reason to refuse the file. */
const CLOSED: readonly string[] = ["EACCES", "EPERM", "ELOOP", "ENXIO"];

/**
 * The control totals of a file such as `payroll.csv.control`, with lines `rows=240` and `total=11087750.50`; undefined
 * when there is no such file. Throws FileRefusedError (`control_malformed`) for anything else in it.
 */
export async function readControlFile(path: string): Promise<StatedTotals | undefined> {
  const text = await reading(path, () => readSmallFile(path));
  if (text === undefined) return undefined;
  const file = basename(path);
  const stated = new Map<string, string>();
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (line.trim() === "") continue;
    const [, name = "", value = ""] = /^\s*(rows|total)\s*=\s*(\S+)\s*$/i.exec(line) ?? [];
    const key = name.toLowerCase();
    const isGood = key === "rows" ? /^\d{1,9}$/.test(value) : SUMMABLE.test(value);
    if (!isGood) throw refusal(file, "neither", index + 1);
    if (stated.has(key)) throw refusal(file, key === "rows" ? "rows_twice" : "total_twice", index + 1);
    stated.set(key, value);
  }
  if (stated.size === 0) throw refusal(file, "nothing");
  const rows = stated.get("rows");
  const total = stated.get("total");
  return defined({ rows: rows === undefined ? undefined : Number(rows), total });
}

/** The name of a file beside the input that is surely meant to hold its control totals, but has another ending. */
export async function misnamedControl(inputPath: string): Promise<string | undefined> {
  const stem = inputPath.slice(0, inputPath.length - extname(inputPath).length);
  const paths = [
    ...NEAR_ENDINGS.map((ending) => `${inputPath}${ending}`),
    ...[...CONTROL_ENDINGS, ...NEAR_ENDINGS].map((ending) => `${stem}${ending}`),
  ];
  const there = await Promise.all(
    paths.map((path) =>
      lstat(path).then(
        () => [basename(path)],
        () => [],
      ),
    ),
  );
  return there.flat()[0];
}

async function readSmallFile(path: string): Promise<string | undefined> {
  let file;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = systemCodeOf(error) ?? "";
    if (code === "ENOENT" || code === "ENAMETOOLONG") return undefined;
    if (CLOSED.includes(code)) throw refusal(basename(path), "closed");
    throw error;
  }
  try {
    if (!(await file.stat()).isFile()) throw refusal(basename(path), "no_file");
    const buffer = Buffer.alloc(BYTES_MAX + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    if (bytesRead > BYTES_MAX) throw refusal(basename(path), "too_long");
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** What may be wrong with a control file, in words. */
const MALFORMED = {
  neither: "this line is neither rows=240 nor total=11087750.50",
  rows_twice: "rows is stated twice",
  total_twice: "total is stated twice",
  nothing: "the file states neither rows nor total",
  closed: "the file cannot be opened, or is a link",
  no_file: "this is not a regular file",
  too_long: "the file is too long for two lines",
} as const;
const HINT = "Write one line rows=… and one line total=… with plain digits, or remove the file.";

function refusal(file: string, why: keyof typeof MALFORMED, line?: number): FileRefusedError {
  const message = line === undefined ? MALFORMED[why] : `line ${line}: ${MALFORMED[why]}`;
  return new FileRefusedError(file, [{ code: "control_malformed", message, hint: HINT }]);
}
