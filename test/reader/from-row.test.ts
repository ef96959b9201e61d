import { expect, test } from "vitest";
import type { Row } from "../../src/reader/row.ts";
import { readFile, fileOf } from "../support/files.ts";

const ROWS = 6000;

/** Several chunks long, with everything that makes a row's number differ from its line's. */
function csvOf(lineEnd: string): string {
  const lines = ["sep=,", "name,amount,narration"];
  for (let number = 2; number <= ROWS; number += 1) {
    if (number % 97 === 0) lines.push("");
    else if (number % 11 === 0) lines.push(`"Asha ""A"" ${number}",${number},"rent${lineEnd}May, ${number}"`);
    else if (number % 501 === 0) lines.push(`Ravi,${number},="0${number}"`);
    else lines.push(`Ravi ₹,${number},${"x".repeat(number % 40)}`);
  }
  return lines.join(lineEnd) + lineEnd;
}

const objects = Array.from({ length: ROWS }, (_, index) => ({ name: `A "${index}"\n`, amount: `${index}` }));

test.each([
  ["a.csv", csvOf("\n")],
  ["b.csv", csvOf("\r\n")],
  ["c.csv", csvOf("\r")],
  ["d.csv", Buffer.from(`\ufeff${csvOf("\r\n")}`, "utf16le")],
  ["a.jsonl", objects.map((one) => JSON.stringify(one)).join("\n\n")],
  ["a.json", JSON.stringify({ period: "2026-11", rows: objects }, undefined, 1)],
])("rows from a row on are the very rows that stand there: %s", async (name, content) => {
  const { sheet, rows } = await readFile(fileOf(name, content));
  const remarks = [...sheet.remarks];
  const last = rows.at(-1)?.number ?? 0;
  expect(last).toBe(ROWS);
  for (const from of [0, 1, 2, 3, 96, 97, 98, 1234, 1999, 2500, 3333, ROWS - 12, ROWS - 1, ROWS, ROWS + 1]) {
    const found: Row[] = [];
    for await (const chunk of sheet.rows(from)) found.push(...chunk);
    const wanted = rows.filter((row) => row.number >= from);
    expect(found.slice(found.length - wanted.length)).toEqual(wanted);
    if (from === ROWS) expect(found.length).toBeLessThan(ROWS / 4);
  }
  expect(sheet.remarks).toEqual(remarks);
});
