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

/** Extensions of files that are read. */
export const INPUT_EXTENSIONS: readonly string[] = Object.keys(FORMATS);

/** The format that a file's extension names, in any case; undefined for an extension that is none of ours. */
export function formatOfName(fileName: string): FileFormat | undefined {
  const extension = /\.([a-z]{1,6})$/i.exec(fileName)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(FORMATS, extension) ? FORMATS[extension] : undefined;
}

/** A kind of file that is not read, although a person surely meant what is in it to be sent. */
export type UnreadKind = "workbook" | "packed" | "document";

const UNREAD: readonly (readonly [UnreadKind, RegExp])[] = [
  ["workbook", /^[^.~].*\.(?:xls|xlsb|ods|numbers)$/i],
  ["packed", /^[^.~].*\.(?:zip|gz|7z|rar)$/i],
  ["document", /^[^.~].*\.(?:pdf|docx?|odt|rtf|html?|xml)$/i],
];

/** The kind of an unread file by its name; undefined for any other file. */
export function unreadKind(fileName: string): UnreadKind | undefined {
  return UNREAD.find(([, pattern]) => pattern.test(fileName))?.[0];
}

const BINARY = [
  ["packed", /^(?:\u001f\u008b|7z\u00bc\u00af\u0027\u001c|Rar!\u001a\u0007)/],
  ["pdf", /^%PDF-/],
  ["picture", /^(?:\u0089PNG\r\n|\u00ff\u00d8\u00ff)/],
] as const;

/** What kind of binary file it is, by its first bytes, whatever its name; undefined for text. */
export function binaryOfBytes(beginning: Buffer): (typeof BINARY)[number][0] | undefined {
  const text = beginning.toString("latin1", 0, 8);
  return BINARY.find(([, pattern]) => pattern.test(text))?.[0];
}

/**
 * What kind of workbook it is, by its first bytes, whatever its name: `zip` is .xlsx; `old` is .xls, or a workbook with
 * a password.
 */
export function workbookOfBytes(beginning: Buffer): "zip" | "old" | undefined {
  if (beginning.toString("latin1", 0, 4) === "PK\u0003\u0004") return "zip";
  return beginning.toString("hex", 0, 8) === "d0cf11e0a1b11ae1" ? "old" : undefined;
}

/** Rows and columns with a header, whose cells have names such as G14. */
export function isTable(format: FileFormat): boolean {
  return format === "csv" || format === "xlsx";
}
