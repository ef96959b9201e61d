export type FileFormat = "csv" | "json" | "jsonl" | "xlsx";

const FORMATS: Readonly<Record<string, FileFormat>> = {
  csv: "csv",
  tsv: "csv",
  txt: "csv",
  json: "json",
  jsonl: "jsonl",
  ndjson: "jsonl",
  xlsx: "xlsx",
  xlsm: "xlsx",
};

/** The format that a file's extension names, in any case; undefined for an extension that is none of ours. */
export function formatOfName(fileName: string): FileFormat | undefined {
  const extension = /\.([a-z]{1,6})$/i.exec(fileName)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(FORMATS, extension) ? FORMATS[extension] : undefined;
}

/** A file of a spreadsheet program that is not read: a person surely meant it to be sent. */
export function isOtherWorkbook(fileName: string): boolean {
  return /^[^.~].*\.(?:xls|xlsb|ods|numbers)$/i.test(fileName);
}

/** Rows and columns with a header, whose cells have names such as G14. */
export function isTable(format: FileFormat): boolean {
  return format === "csv" || format === "xlsx";
}
