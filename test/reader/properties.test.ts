import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { FileRefusedError } from "../../src/errors.ts";
import { FILE_FAULTS } from "../../src/messages/faults.ts";
import { readFile } from "../support/tables.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

test("any table that csv-stringify writes → the same cells", async () => {
  const path = join(temporaryDirectory(), "a.csv");
  const cell = fc.string({
    unit: fc.constantFrom("a", "é", "😀", '"', ",", ";", "\n", "\r", " ", "1", "\t"),
    maxLength: 8,
  });
  const record = fc.tuple(fc.constantFrom("x", "y z"), cell, cell);
  const property = fc.asyncProperty(
    fc.array(record, { minLength: 1, maxLength: 30 }),
    fc.constantFrom(",", ";"),
    fc.boolean(),
    async (rows, delimiter, quoted) => {
      writeFileSync(
        path,
        stringify([["name", "amount", "notes"], ...rows], {
          delimiter,
          quoted,
          record_delimiter: "windows",
          quoted_match: /[\r\n]/,
        }),
      );
      expect((await readFile(path)).rows.map(({ cells }) => cells)).toEqual(rows);
    },
  );
  await fc.assert(property, { numRuns: 300 });
});

test("records cut by hand or not → the cells that csv-parse gives", async () => {
  const path = join(temporaryDirectory(), "a.csv");
  const piece = fc.constantFrom("a", "b c", '"', '""', ",", "\n", "\r\n", "x,y", '"q"', '"q,r"', '"s\nt"', "1.00");
  const property = fc.asyncProperty(fc.array(piece, { maxLength: 25 }), async (pieces) => {
    const text = `name,amount\n${pieces.join("")}\n`;
    writeFileSync(path, text);
    let expected: string[][] | undefined;
    try {
      const records: string[][] = parse(text, { record_delimiter: ["\r\n", "\n", "\r"], relax_column_count: true });
      expected = records.slice(1).filter((record) => record.some((one) => one.trim() !== ""));
    } catch {
      expected = undefined;
    }
    const found = await readFile(path).then(
      ({ rows }) => rows.map(({ cells }) => cells),
      (error: unknown) => (error as FileRefusedError).faults[0]?.code,
    );
    if (expected === undefined)
      expect(["quote_stray", "quote_unclosed", "quote_after_space", "row_ragged"]).toContain(found);
    else if (expected.length === 0) expect(found).toBe("no_rows");
    else if (typeof found === "string") expect(["row_ragged", "line_under_table"]).toContain(found);
    else expect(found).toEqual(expected.map((record) => record.slice(0, 2)));
  });
  await fc.assert(property, { numRuns: 1000 });
});

test("any bytes under any name → rows, or a refusal with a known code", async () => {
  const folder = temporaryDirectory();
  const texts = fc.array(
    fc.constantFrom(...'name amount , ; " \n \r \0 { } [ ] : "a" \\ 1 null \ufeff é sep=;'.split(" "), " "),
    { maxLength: 40 },
  );
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    texts.map((pieces) => Buffer.from(pieces.join(""))),
    fc.json({ maxDepth: 10 }).map((text) => Buffer.from(`[${text}]`)),
  );
  const property = fc.asyncProperty(bytes, fc.constantFrom("csv", "json", "jsonl", "xlsx"), async (content, format) => {
    const path = join(folder, `a.${format}`);
    writeFileSync(path, content);
    try {
      const { rows } = await readFile(path);
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.every((row) => row.cells.length === row.columns.length)).toBe(true);
    } catch (error) {
      if (!(error instanceof FileRefusedError)) throw error;
      expect(Object.keys(FILE_FAULTS)).toContain(error.faults[0]?.code);
    }
  });
  await fc.assert(property, { numRuns: 1000 });
});

test("any objects as JSON, in a wrapper, by lines → the same members", async () => {
  const folder = temporaryDirectory();
  const key = fc
    .string({ unit: "grapheme", maxLength: 6 })
    .filter((name) => !/^\s*(?:__proto__|constructor|prototype)\s*$/i.test(name));
  const value = fc.oneof(fc.string({ unit: "grapheme" }), fc.double(), fc.bigInt(), fc.boolean(), fc.constant(null));
  const property = fc.asyncProperty(fc.array(fc.array(fc.tuple(key, value)), { minLength: 1 }), async (objects) => {
    const sourceOf = (one: unknown): string => (typeof one === "bigint" ? one.toString() : JSON.stringify(one));
    const members = objects.map((pairs) => [...new Map(pairs)]);
    const texts = members.map(
      (pairs) => `{${pairs.map(([name, one]) => `${JSON.stringify(name)}:${sourceOf(one)}`).join(", ")}}`,
    );
    const expected = members.map((pairs) =>
      pairs.map(([name, one]) => [name, typeof one === "string" ? one : sourceOf(one)]),
    );
    for (const [name, content] of [
      ["a.json", `[${texts.join(",")}]`],
      ["w.json", `{"rows": [${texts.join(",\n")}], "period": "2026-11"}`],
      ["a.jsonl", texts.join("\n")],
    ] as const) {
      writeFileSync(join(folder, name), content);
      const { rows } = await readFile(join(folder, name));
      const found = rows.map(({ columns, cells }) =>
        columns.map((column, at) => [column, typeof cells[at] === "object" ? cells[at].source : cells[at]]),
      );
      expect(found).toEqual(expected);
    }
  });
  await fc.assert(property, { numRuns: 150 });
});
