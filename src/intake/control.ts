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

/**
 * What follows the input's name, as people and programs write it: disks tell capitals apart. `.txt` is what text programs
 * add where endings are hidden. They are few, since each is looked for with every file: a folder may be large.
 */
export const CONTROL_ENDINGS = [
  ...[".control", ".Control", ".CONTROL"],
  ...[".control.txt", ".Control.txt", ".CONTROL.txt", ".CONTROL.TXT"],
] as const;

/** Endings that people use instead. */
const NEAR_ENDINGS = [".ctrl", ".ctl", ".CTRL", ".CTL"] as const;

const BYTES_MAX = 4096;
const NOT_THERE: readonly string[] = ["ENOENT", "ENAMETOOLONG"];
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

/** What the control files beside an input say, by their names. Throws FileRefusedError (`control_malformed`). */
export async function readControlFiles(inputPath: string): Promise<(StatedTotals & { readonly source: string })[]> {
  const found = await Promise.all(CONTROL_ENDINGS.map((ending) => fileAt(`${inputPath}${ending}`)));
  const files: { readonly path: string; readonly identity: string }[] = [];
  for (const file of found.flat()) {
    const same = files.find(({ path }) => path.toLowerCase() === file.path.toLowerCase());
    if (!same) files.push(file);
    // a disk that does not tell capitals apart finds one file by all of its spellings
    else if (same.identity !== file.identity) throw twoOfOneName(basename(same.path), basename(file.path));
  }
  const said = files.map(async ({ path }) => {
    const totals = await readControlFile(path);
    return totals ? [{ source: basename(path), ...totals }] : [];
  });
  return (await Promise.all(said)).flat();
}

/** What lies at a path. Where that cannot be known the file is taken to be there: reading it then says why not. */
async function fileAt(path: string): Promise<{ readonly path: string; readonly identity: string }[]> {
  try {
    const { dev, ino } = await lstat(path, { bigint: true });
    return [{ path, identity: `${dev} ${ino}` }];
  } catch (error) {
    return NOT_THERE.includes(systemCodeOf(error) ?? "") ? [] : [{ path, identity: "" }];
  }
}

/** The name of a file beside the input that is surely meant to hold its control totals, but has another ending. */
export async function misnamedControl(inputPath: string): Promise<string | undefined> {
  const extension = extname(inputPath);
  const stem = inputPath.slice(0, inputPath.length - extension.length);
  const [lower, upper] = [extension.toLowerCase(), extension.toUpperCase()];
  const others = [lower, upper].filter((one) => one !== extension);
  const paths = [
    ...NEAR_ENDINGS.map((ending) => `${inputPath}${ending}`),
    ...[".control", ".CONTROL", ".control.txt", ...NEAR_ENDINGS].map((ending) => `${stem}${ending}`),
    ...others.flatMap((other) => [".control", ".CONTROL"].map((ending) => `${stem}${other}${ending}`)),
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
    if (NOT_THERE.includes(code)) return undefined;
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

function twoOfOneName(first: string, second: string): FileRefusedError {
  const message = `${second} lies beside it, whose name differs in nothing but capitals: nobody could say which one holds`;
  return new FileRefusedError(first, [{ code: "control_malformed", message, hint: "Remove one of the two files." }]);
}
