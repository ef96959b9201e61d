import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { faultOf, read } from "../support/files.ts";

const CSV = "from_account,to_account,amount\r\nA-1,B-1,5\r\n";
const PDF = Buffer.from("%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n1 0 obj, [\nendobj\n", "latin1");
const PAGE = '<!DOCTYPE html>\n<html lang="en"><table><tr><td>from_account</td></tr></table></html>\n';
const JSON_ROWS = '[{"from_account":"A-1","to_account":"B-1","amount":5}]\n';

test.each([
  ["november.csv", gzipSync(CSV), "packed", "Unpack"],
  ["november.json", gzipSync(CSV), "packed", "Unpack"],
  ["november.csv", PDF, "PDF", "the table itself"],
  ["november.jsonl", PDF, "PDF", "the table itself"],
  ["november.csv", PAGE, "web page", "Save as"],
  ["november.csv", `\ufeff  ${PAGE}`, "web page", "Save as"],
  ["november.csv", Buffer.from(`\ufeff${PAGE}`, "utf16le"), "web page", "Save as"],
  ["november.json", PAGE, "web page", "Save as"],
  ["november.csv", '<?xml version="1.0"?>\n<Workbook/>\n', "XML", "Save as"],
  ["november.csv", "{\\rtf1\\ansi from_account,to_account,amount\\par}\n", "word processor", "the table itself"],
  ["november.csv", "-----BEGIN PGP MESSAGE-----\n\nhQEM\n", "encrypted", "Decrypt"],
  ["november.csv", JSON_ROWS, "JSON", ".jsonl"],
  ["november.txt", '\ufeff{"from_account":"A-1","to_account":"B-1","amount":5}\n', "JSON", ".jsonl"],
  ["november.json", CSV, "CSV", "ends in .csv"],
  ["november.ndjson", `\ufeff${CSV.replaceAll(",", ";")}`, "CSV", "ends in .csv"],
])("%s that is something else is told as what it is: %#", async (name, content, what, next) => {
  const fault = await faultOf(read(name, content));
  expect(fault.code).toBe("format_differs");
  expect(fault.message).toContain(what);
  expect(fault.hint).toContain(next);
});

test.each([
  ["a.csv", "[id],name,amount\n1,A,5\n"],
  ["a.csv", "<name>,amount\nA,5\n"],
  ["a.csv", "%,name,amount\n1,A,5\n"],
  ["a.json", ' \n[{"name":"A, B; C"}]'],
])("%s that only begins like something else is read: %j", async (name, content) => {
  expect((await read(name, content)).rows).toHaveLength(1);
});

test.each(["november.csv.gz", "november.ZIP"])("%s is to be unpacked, not renamed", async (name) => {
  const fault = await faultOf(read(name, gzipSync(CSV)));
  expect(fault.code).toBe("format_unknown");
  expect(fault.hint).toContain("Unpack");
});

test.each([
  ["packed", gzipSync(CSV)],
  ["PDF", PDF],
])("a workbook that is something else is told as what it is: %s", async (what, content) => {
  const fault = await faultOf(read("november.xlsx", content));
  expect(fault.code).toBe("workbook_of_another_kind");
  expect(fault.message).toContain(what);
});
