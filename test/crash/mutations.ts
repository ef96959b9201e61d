/** A file of the samples, changed as real life changes files; the same seed makes the same bytes. */
import { readFileSync, readdirSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { parse } from "csv-parse/sync";
import { damageBytes, damagedCell, damagedName, damageTable } from "./damage.ts";
import { Dice } from "./random.ts";
import { damageWorkbook } from "./damaged-workbooks.ts";

export interface Mutated {
  readonly name: string;
  readonly bytes: Buffer;
  /** The file that it was. */
  readonly of: string;
}

const ROOT = join(import.meta.dirname, "../..");
const READ = /\.(?:csv|json|jsonl|txt|xlsx)$/;

/** Whole files most of all; the gallery of errors begins where something is wrong already. */
const BASES: readonly (readonly string[])[] = [
  "samples",
  "samples",
  "samples",
  "samples/faults",
  "samples/faults",
  "test/reader/real",
].map((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => READ.test(name))
    .map((name) => join(ROOT, folder, name)),
);

export function mutated(seed: number): Mutated {
  const dice = new Dice(seed);
  const path = dice.pick(dice.pick(BASES));
  const whole = readFileSync(path);
  const kind = extname(path).slice(1);
  let bytes = dice.is(0.97) ? damagedFile(whole, kind, dice) : whole;
  while (dice.is(0.08)) bytes = damageBytes(bytes, dice);
  const name = dice.is(0.03) ? `payroll.${dice.pick(["csv", "json", "jsonl", "xlsx", "txt"])}` : basename(path);
  return { name, bytes, of: path.slice(ROOT.length + 1) };
}

function damagedFile(whole: Buffer, kind: string, dice: Dice): Buffer {
  if (dice.is(0.08)) return damageBytes(whole, dice);
  try {
    if (kind === "xlsx") return damageWorkbook(whole, dice);
    return kind.startsWith("json") ? damagedJson(whole.toString("utf8"), kind, dice) : damagedCsv(whole, dice);
  } catch {
    // it was broken from the beginning
    return damageBytes(whole, dice);
  }
}

function damagedCsv(whole: Buffer, dice: Dice): Buffer {
  const text = new TextDecoder(whole[0] === 0xff ? "utf-16le" : "utf-8").decode(whole).replace(/^sep=.*\r?\n/, "");
  const between = /^[^\n]*;/.test(text) ? ";" : /^[^\n]*\t/.test(text) ? "\t" : ",";
  const rows: string[][] = parse(text, { delimiter: between, relax_column_count: true, relax_quotes: true });
  do damageTable(rows, dice);
  while (dice.is(0.4) && rows.length > 0);
  const delimiter = dice.is(0.9) ? between : dice.pick([",", ";", "\t", "|", ":"]);
  const quoted = dice.is(0.15);
  const needsQuotes = dice.is(0.98) ? /["\r\n]/ : /\n/;
  const asCell = (cell: string): string =>
    quoted || needsQuotes.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
  const lineEnd = dice.pick(["\n", "\r\n", "\r\n", "\r"]);
  const lines = rows.map((cells) => cells.map(asCell).join(delimiter));
  const out = lines.join(dice.is(0.99) ? lineEnd : "\n\n") + dice.pick([lineEnd, lineEnd, "", "\u001a", "\n\n\n"]);
  const head = dice.is(0.1) ? `sep=${delimiter}${lineEnd}` : "";
  return encoded(head + out, dice);
}

function encoded(text: string, dice: Dice): Buffer {
  const usual = Buffer.from(text);
  return dice.pick<() => Buffer>([
    ...Array<() => Buffer>(8).fill(() => usual),
    () => Buffer.from(`\ufeff${text}`),
    () => Buffer.from(`\ufeff${text}`, "utf16le"),
    () => Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
    () => Buffer.from(text, "latin1"),
    () => Buffer.from(text, "utf16le"),
  ])();
}

type Member = [name: string, value: unknown];

function damagedJson(text: string, kind: string, dice: Dice): Buffer {
  const whole = JSON.parse(kind === "jsonl" ? `[${text.trim().split("\n").join(",")}]` : text) as unknown;
  const around = Array.isArray(whole) ? undefined : (whole as Record<string, unknown>);
  const rows = ((Array.isArray(whole) ? whole : around?.["rows"]) as object[]).map((row): Member[] =>
    Object.entries(row),
  );
  do damageRows(rows, dice);
  while (dice.is(0.4) && rows.length > 0);
  const lines = rows.map(
    (members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}: ${asJson(value)}`).join(", ")}}`,
  );
  if (kind === "jsonl") return encoded(lines.join("\n"), dice);
  const array = `[\n${lines.join(dice.is(0.97) ? ",\n" : ",,")}\n]`;
  const wrapped = { ...around, ...(around && dice.is(0.2) ? dice.pick(BESIDE) : {}) };
  const members = Object.entries(wrapped).map(
    ([name, value]) => `${JSON.stringify(name)}: ${name === "rows" ? array : asJson(value)}`,
  );
  return encoded(around ? `{${members.join(",\n")}}` : array, dice);
}

const BESIDE: readonly Readonly<Record<string, unknown>>[] = [
  { dry_run: true },
  { period: "2026-12" },
  { operation: "collection" },
  { control: { rows: 3, total: "1.00" } },
  { total: 5 },
  { rows: [] },
];

/** As it is written in the file, where it is no JSON value of ours. */
class Written {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

function asJson(value: unknown): string {
  if (value instanceof Written) return value.text;
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return `{${Object.entries(value)
      .map(([name, one]) => `${JSON.stringify(name)}: ${asJson(one)}`)
      .join(", ")}}`;
  return JSON.stringify(value);
}

const VALUES: readonly unknown[] = [
  ...[null, true, false, [], {}, [1], { a: { b: 1 } }, "", 0, -100, 1e21, 100.5, 12345678901234],
  ...["1.50", "1.0e3", "1E2", "100.00", "0100", "-0", "1e400", "NaN", "[[[[[[]]]]]]", "'x'", "9007199254740993.10"].map(
    (one) => new Written(one),
  ),
  ...["/* x */ 1", '"\\ud800"', '"\\u0000"', '"a', "{", "}", "]", "0.1000000000000000000001"].map(
    (one) => new Written(one),
  ),
];

function damageRows(rows: Member[][], dice: Dice): void {
  const row = rows[dice.below(rows.length)] ?? [];
  const at = dice.below(row.length || 1);
  const member = row[at] ?? ["a", 1];
  const acts: readonly (() => unknown)[] = [
    ...Array<() => unknown>(12).fill(() => (member[1] = damagedCell(String(member[1]), dice))),
    () => (member[1] = dice.pick(VALUES)),
    () => (member[1] = dice.pick(VALUES)),
    () => (member[1] = typeof member[1] === "number" ? String(member[1]) : Number(member[1])),
    () => (member[0] = damagedName(member[0], dice)),
    () => rows.forEach((one) => (one[at] = [damagedName(one[at]?.[0] ?? "", dice), one[at]?.[1]])),
    () => row.push([...member]),
    () => row.splice(at, 1),
    () => rows.forEach((one) => one.splice(at, 1)),
    () => rows.push(row.map(([name, value]) => [name, value])),
    () => rows.splice(dice.below(rows.length), 1),
    () => rows.reverse(),
    () => rows.push([]),
    () => row.reverse(),
  ];
  dice.pick(acts)();
}
