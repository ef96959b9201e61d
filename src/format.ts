export type FileFormat = "csv" | "json" | "jsonl";

const FORMATS: Readonly<Record<string, FileFormat>> = {
  csv: "csv",
  tsv: "csv",
  txt: "csv",
  json: "json",
  jsonl: "jsonl",
  ndjson: "jsonl",
};

/** The format that a file's extension names, in any case; undefined for an extension that is none of ours. */
export function formatOfName(fileName: string): FileFormat | undefined {
  const extension = /\.([a-z]{1,6})$/i.exec(fileName)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(FORMATS, extension) ? FORMATS[extension] : undefined;
}
