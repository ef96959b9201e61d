/**
 * The script that people write: the whole file in memory, p-limit, fetch, a results file at the end. It remembers
 * nothing: killed in the middle and started again it pays again. `node usual-script.ts FILE URL PATH LANES`
 */
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { createCipheriv } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import pLimit from "p-limit";
import { AES_IV, AES_KEY, API_KEY } from "../keys.ts";
import { NUMBERS } from "../payment-files.ts";

const [file = "", url = "", path = "", lanes = "50"] = process.argv.slice(2);
const text = readFileSync(file, "utf8");
const rows = readRows();
const limit = pLimit(Number(lanes));
const results = await Promise.all(rows.map((row) => limit(() => send(row))));
writeFileSync(`${file}.usual.csv`, stringify(results, { header: true }));

type Row = Record<string, string | number>;

function readRows(): Row[] {
  if (file.endsWith(".json")) return JSON.parse(text) as Row[];
  const lines = text.trimEnd().split("\n");
  if (file.endsWith(".jsonl")) return lines.map((line) => JSON.parse(line) as Row);
  const cast = (cell: string, { column, header }: { column: string | number; header: boolean }): string | number =>
    !header && NUMBERS.has(String(column)) ? Number(cell) : cell;
  return parse(text, { columns: true, bom: true, cast });
}

async function send(row: Row): Promise<Row> {
  const payload = JSON.stringify(row);
  const answer = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": API_KEY },
    body: path.includes("payouts") ? JSON.stringify({ body: encrypted(payload) }) : payload,
  });
  return { ...row, status: answer.status, response: await answer.text() };
}

function encrypted(payload: string): string {
  const cipher = createCipheriv("aes-256-cbc", Buffer.from(AES_KEY, "hex"), Buffer.from(AES_IV, "hex"));
  return cipher.update(payload, "utf8", "hex") + cipher.final("hex");
}
