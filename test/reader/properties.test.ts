import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FileRefusedError } from "../../src/errors.ts";
import { READER_FAULT_CODES } from "../../src/reader/refusals.ts";
import type { FileFormat } from "../../src/format.ts";
import { readFile, temporaryFolder } from "../support/files.ts";

const SAMPLES = join(import.meta.dirname, "../../samples");

const cell = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }).filter((text) => !text.includes("\0") && text.isWellFormed()),
  fc.stringMatching(/^[ ,;|\t"'\r\n=a1]{0,8}$/),
  fc.constantFrom("", "100.00", "Ravi", "\ufeff", '"', "\r\n", "'=1"),
);

function quotedIfNeeded(text: string, delimiter: string, always: boolean): string {
  const needsQuotes = always || /["\r\n]/.test(text) || text.includes(delimiter);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}

function withoutGuard(text: string): string {
  return /^'[=+\-@\t\r\n＝＋－＠]/.test(text) ? text.slice(1) : text;
}

const encodings = {
  "utf-8": (text: string) => Buffer.from(text),
  "utf-8 with mark": (text: string) => Buffer.from(`\ufeff${text}`),
  "utf-16 le": (text: string) => Buffer.from(`\ufeff${text}`, "utf16le"),
  "utf-16 be": (text: string) => Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
};

describe("properties", () => {
  test("any table written as CSV in any dialect reads back the same", async () => {
    const path = join(temporaryFolder(), "table.csv");
    const tables = fc.integer({ min: 1, max: 5 }).chain((width) =>
      fc.record({
        width: fc.constant(width),
        rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 12 }),
        delimiter: fc.constantFrom(",", ";", "\t", "|"),
        lineEnds: fc.array(fc.constantFrom("\r\n", "\n", "\r"), { minLength: 1, maxLength: 3 }),
        /** Of cells that need no quotes, in turn. */
        inQuotes: fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
        isOpenEnd: fc.boolean(),
        encoding: fc.constantFrom(...(Object.keys(encodings) as (keyof typeof encodings)[])),
        repeat: fc.constantFrom(1, 1, 1, 2000),
      }),
    );
    const property = fc.asyncProperty(tables, async (table) => {
      const { width, lineEnds, inQuotes, isOpenEnd, encoding } = table;
      const delimiter = width === 1 ? "," : table.delimiter;
      const header = Array.from({ length: width }, (_, index) => (index === 0 ? "amount" : `field ${index}`));
      const rows = Array.from({ length: table.repeat }, () => table.rows).flat();
      let cellsWritten = 0;
      const written = (text: string): string => {
        const always = inQuotes[cellsWritten++ % inQuotes.length] ?? false;
        return quotedIfNeeded(text, delimiter, always || (width === 1 && text === ""));
      };
      const lines = [header, ...rows].map((row) => row.map(written).join(delimiter));
      const ends: string[] = lines.map((_, index) => lineEnds[index % lineEnds.length] ?? "\n");
      if (isOpenEnd) ends[rows.length] = "";
      const text = lines.map((line, index) => line + (ends[index] ?? "")).join("");
      writeFileSync(path, encodings[encoding](text));

      const expected = rows
        .map((cells, index) => ({ number: index + 2, cells }))
        .filter((row) => row.cells.some((text) => text.trim() !== ""))
        .map((row) => ({ ...row, cells: row.cells.map(withoutGuard) }));
      if (expected.length === 0) {
        await expect(readFile(path)).rejects.toBeInstanceOf(FileRefusedError);
        return;
      }
      const read = await readFile(path, { knownNames: ["amount"] });
      expect(read.rows.map(({ number, cells }) => ({ number, cells }))).toEqual(expected);
    });
    await fc.assert(property, { numRuns: 150 });
  });

  test("whatever bytes a file holds, it is read or refused with a known code and never anything else", async () => {
    const folder = temporaryFolder();
    const files: Record<FileFormat, string> = {
      csv: join(folder, "a.csv"),
      json: join(folder, "a.json"),
      jsonl: join(folder, "a.jsonl"),
      xlsx: join(folder, "a.xlsx"),
    };
    const csvPieces = fc.array(fc.constantFrom("name", "amount", ",", ";", '"', "\n", "\r", "'=", " ", "é", "sep=;"));
    const jsonPieces = fc.array(
      fc.constantFrom(
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        '"a"',
        '"rows"',
        '"',
        "\\",
        "1",
        "null",
        " ",
        "\n",
        '"\\u00e9"',
        "-",
      ),
    );
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      csvPieces.map((pieces) => Buffer.from(pieces.join(""))),
      jsonPieces.map((pieces) => Buffer.from(pieces.join(""))),
      fc.json({ maxDepth: 10 }).map((text) => Buffer.from(`[${text}]`)),
    );
    const property = fc.asyncProperty(
      bytes,
      fc.constantFrom("csv", "json", "jsonl", "xlsx"),
      async (content, format) => {
        writeFileSync(files[format], content);
        try {
          const { rows } = await readFile(files[format]);
          expect(rows.length).toBeGreaterThan(0);
          expect(rows.every((row) => row.cells.length === row.columns.length)).toBe(true);
        } catch (error) {
          if (!(error instanceof FileRefusedError)) throw error;
          expect(READER_FAULT_CODES).toContain(error.faults[0]?.code);
        }
      },
    );
    await fc.assert(property, { numRuns: 1000 });
  });

  test("real files that were cut, spliced or changed in a few bytes are read or refused, never anything else", async () => {
    const folder = temporaryFolder();
    const samples = readdirSync(SAMPLES).filter((name) => /\.(?:csv|txt|jsonl?)$/.test(name));
    const contents = new Map(samples.map((name) => [name, readFileSync(join(SAMPLES, name))]));
    const change = fc.record({
      at: fc.nat(),
      length: fc.nat({ max: 40 }),
      by: fc.oneof(
        fc.uint8Array({ maxLength: 6 }),
        fc.constantFrom(
          ...['"', '""', ",", "\r", "\n", "\0", "=", '="', "\ufeff", "{", "]", "\\"].map((text) => Buffer.from(text)),
        ),
      ),
    });
    const property = fc.asyncProperty(
      fc.constantFrom(...samples),
      fc.array(change, { minLength: 1, maxLength: 4 }),
      async (name, changes) => {
        let content = contents.get(name) ?? Buffer.alloc(0);
        for (const { at, length, by } of changes) {
          const from = at % (content.length + 1);
          content = Buffer.concat([content.subarray(0, from), by, content.subarray(from + length)]);
        }
        const path = join(folder, name);
        writeFileSync(path, content);
        const outcome = await readFile(path).then(
          ({ rows }) => rows.every((row) => row.cells.length === row.columns.length),
          (error: unknown) => (error instanceof FileRefusedError ? error.faults[0]?.code : error),
        );
        expect([true, ...READER_FAULT_CODES]).toContain(outcome);
      },
    );
    await fc.assert(property, { numRuns: 1000 });
  });

  test("any objects written as JSON, as JSON lines or in a wrapper read back the same", async () => {
    const folder = temporaryFolder();
    const key = fc.string({ unit: "grapheme", maxLength: 6 });
    const value = fc.oneof(fc.string({ unit: "grapheme" }), fc.double(), fc.bigInt(), fc.boolean(), fc.constant(null));
    const property = fc.asyncProperty(fc.array(fc.array(fc.tuple(key, value)), { minLength: 1 }), async (objects) => {
      const forbidden = ["__proto__", "constructor", "prototype"];
      fc.pre(objects.flat().every(([name]) => !forbidden.includes(name.trim().toLowerCase())));
      const sourceOf = (text: unknown): string => (typeof text === "bigint" ? text.toString() : JSON.stringify(text));
      const members = objects.map((pairs) => [...new Map(pairs)]);
      const texts = members.map(
        (pairs) => `{${pairs.map(([name, text]) => `${JSON.stringify(name)}:${sourceOf(text)}`).join(", ")}}`,
      );
      const expected = members.map((pairs) =>
        pairs.map(([name, text]) => [name, typeof text === "string" ? text : sourceOf(text)]),
      );
      for (const [name, content] of [
        ["a.json", `[${texts.join(",")}]`],
        ["w.json", `{"rows": [${texts.join(",\n")}], "period": "2026-11"}`],
        ["a.jsonl", texts.join("\n")],
      ] as const) {
        const path = join(folder, name);
        writeFileSync(path, content);
        const { rows } = await readFile(path);
        const found = rows.map((row) =>
          row.columns.map((column, index) => {
            const read = row.cells[index] ?? "";
            return [column, typeof read === "string" ? read : read.source];
          }),
        );
        expect(found).toEqual(expected);
      }
    });
    await fc.assert(property, { numRuns: 150 });
  });
});
