import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { FileRefusedError } from "../../src/errors.ts";
import { parseRecords, readRecords } from "../../src/reader/records.ts";
import { refuserOf } from "../../src/reader/refusals.ts";
import { temporaryFolder } from "../support/files.ts";

const CHUNK_BYTES = 64 * 1024;

/** The file's records, or the row that refuses it. */
async function recordsOf(path: string, delimiter: string, recordCharactersMax = CHUNK_BYTES): Promise<unknown> {
  const limits = { recordCharactersMax, columnsMax: 1000, nestingMax: 8 };
  const source = { path, encoding: "utf-8", knownNames: [], limits, refuse: refuserOf("a.csv") } as const;
  const records: string[][] = [];
  try {
    for await (const batch of readRecords(source, { delimiter, hasSepLine: false })) records.push(...batch.records);
    return records;
  } catch (error) {
    if (error instanceof FileRefusedError) return `${error.faults[0]?.code} ${error.faults[0]?.row}`;
    throw error;
  }
}

/** What csv-parse alone makes of the text: its word for a quote that stands where none may. */
function parsedWhole(text: string, delimiter: string): unknown {
  try {
    return parseRecords(text, delimiter);
  } catch (error) {
    const { code, records } = error as { readonly code?: string; readonly records?: number };
    if (code === undefined || records === undefined) throw error;
    return `${code === "CSV_QUOTE_NOT_CLOSED" ? "quote_unclosed" : "quote_stray"} ${records + 1}`;
  }
}

// mostly good ones: a bad quote hides whatever comes after it
const cell = fc.oneof(
  {
    weight: 80,
    arbitrary: fc.constantFrom("", "a", "₹1", '""', '"b"', '"c,d;e\tf|g"', '"h\r\ni"', '"j ""k"""', '"="'),
  },
  { weight: 1, arbitrary: fc.constantFrom('"', '"l"m', 'n"', 'o"p"', ' "q"', '"r" ') },
);

const files = fc.record({
  delimiter: fc.constantFrom(",", ";", "\t", "|"),
  rows: fc.array(fc.array(cell, { maxLength: 6 }), { maxLength: 12 }),
  lineEnds: fc.array(fc.constantFrom("\r\n", "\n", "\r"), { minLength: 1, maxLength: 3 }),
  isOpenEnd: fc.boolean(),
  mark: fc.constantFrom("", "\ufeff"),
  /** Bytes of the rows that still stand in the first chunk. */
  bytesBeforeBorder: fc.option(fc.integer({ min: 1, max: 120 })),
});

test("quotes anywhere, and the end of a chunk anywhere among them, read as csv-parse alone reads the text", async () => {
  const path = join(temporaryFolder(), "a.csv");
  const property = fc.asyncProperty(
    files,
    async ({ delimiter, rows, lineEnds, isOpenEnd, mark, bytesBeforeBorder }) => {
      const first =
        bytesBeforeBorder === null ? "" : `${"x".repeat(CHUNK_BYTES - bytesBeforeBorder - mark.length * 3 - 1)}\n`;
      const endOf = (index: number): string =>
        isOpenEnd && index === rows.length - 1 ? "" : (lineEnds[index % lineEnds.length] ?? "");
      const text = first + rows.map((cells, index) => cells.join(delimiter) + endOf(index)).join("");
      writeFileSync(path, mark + text);
      expect(await recordsOf(path, delimiter)).toEqual(parsedWhole(text, delimiter));
    },
  );
  await fc.assert(property, { numRuns: 500 });
});

test("a record as long as a record may be is read, and so is the one behind it", async () => {
  const path = join(temporaryFolder(), "a.csv");
  for (const record of ['"aaaa","b"', '"aa""a","b"', "aaaaaaaa,b"]) {
    const text = `${record}\n"c","d"\n"e","""f"\n`;
    writeFileSync(path, text);
    expect(await recordsOf(path, ",", record.length)).toEqual(parseRecords(text, ","));
  }
});
