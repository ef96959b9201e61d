export type FileFormat = "csv" | "json" | "jsonl" | "xlsx";

const FORMATS: Readonly<Record<string, FileFormat>> = {
  ...{ csv: "csv", tsv: "csv", txt: "csv", json: "json", jsonl: "jsonl", ndjson: "jsonl", xlsx: "xlsx", xlsm: "xlsx" },
};

/** The format that a file's extension names, in any case; undefined for an extension that is none of ours. */
export function formatOfName(fileName: string): FileFormat | undefined {
  const extension = /\.([a-z]{1,6})$/i.exec(fileName)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(FORMATS, extension) ? FORMATS[extension] : undefined;
}

/** A kind of file that is not read, although a person surely meant what is in it to be sent. */
export type UnreadKind = "spaced" | "workbook" | "packed" | "document" | "encrypted" | "bank";

const UNREAD: readonly (readonly [UnreadKind, RegExp])[] = [
  ["workbook", /\.(?:xls|xlsb|ods|numbers)$/i],
  ["packed", /\.(?:zip|gz|7z|rar)$/i],
  ["document", /\.(?:pdf|docx?|odt|rtf|html?|xml)$/i],
  ["encrypted", /\.(?:pgp|gpg|asc)$/i],
  ["bank", /\.(?:[0-9]{3}|dat|prn)$/i],
];

/** The kind of an unread file by its name; undefined for any other file. */
export function unreadKind(fileName: string): UnreadKind | undefined {
  if (formatOfName(fileName.trim()) && formatOfName(fileName) === undefined) return "spaced";
  return UNREAD.find(([, pattern]) => pattern.test(fileName.trim()))?.[0];
}

/** `zip` is .xlsx, or any other zip file; `xls` an old workbook, or one with a password. */
const BINARY = [
  ["zip", /^PK\u0003\u0004/],
  ["xls", /^\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1/],
  ["packed", /^(?:\u001f\u008b|7z\u00bc\u00af\u0027\u001c|Rar!\u001a\u0007)/],
  ["document", /^%PDF-/],
  ["picture", /^(?:\u0089PNG\r\n|\u00ff\u00d8\u00ff)/],
] as const;

/** What kind of binary file it is, by its first bytes, whatever its name; undefined for text. */
export function binaryOfBytes(beginning: Uint8Array): (typeof BINARY)[number][0] | undefined {
  const text = Buffer.from(beginning.subarray(0, 8)).toString("latin1");
  return BINARY.find(([, pattern]) => pattern.test(text))?.[0];
}
