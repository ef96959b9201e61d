import { isAscii, isUtf8 } from "node:buffer";
import { FileRefusedError } from "../errors.ts";
import { binaryOfBytes, formatOfName, unreadKind, type FileFormat } from "../file-format.ts";
import { openCsv } from "./csv.ts";
import type { Asked, Refuse, Source, Table } from "./row.ts";
import { beginningOf, markOf, wholeUtf8 } from "./text.ts";

/**
 * Opens a private copy for reading. `fileName`: its own name, for messages and for the format. It may be opened, and its
 * rows read, as often as one likes: the same bytes give the same rows. Throws FileRefusedError here or while the rows
 * are read.
 */
export async function openTable(copy: string, fileName: string, asked: Asked = {}): Promise<Table> {
  const refuse: Refuse = (code, facts, place) =>
    new FileRefusedError(fileName, [{ code, ...place, ...(facts ? { facts } : {}) }]);
  const format = asked.format ?? formatOfName(fileName);
  if (format === undefined) throw refuse("format_unknown", { is: unreadKind(fileName) });
  const source: Source = { ...asked, path: copy, encoding: asked.encoding ?? "utf-8", refuse };
  // a file that was read before was looked at then
  if (asked.format === undefined) await assertIsAsNamed(source, format);
  switch (format) {
    case "csv":
      return openCsv(source);
    case "json":
      return (await import("./json.ts")).openJson(source);
    case "jsonl":
      return (await import("./json.ts")).openJsonLines(source);
    case "xlsx":
      return (await import("./workbook.ts")).openWorkbook(source);
    default:
      return format satisfies never;
  }
}

export const LOOKED_AT_BYTES = 64 * 1024;

/**
 * Refuses a file whose first bytes are those of something else than its name says. Read as that it would be refused as
 * well, but for a reason that nobody could mend.
 */
async function assertIsAsNamed({ path, encoding, refuse }: Source, format: FileFormat): Promise<void> {
  const beginning = await beginningOf(path, LOOKED_AT_BYTES);
  if (beginning.length === 0) throw refuse("file_empty");
  const is = binaryOfBytes(beginning) ?? textKindOf(beginning, format);
  if (format === "xlsx" && is === "zip") return;
  if (is !== undefined) throw refuse("format_differs", { is });
  assertEncoding(beginning, encoding, refuse);
}

/** Any bytes can be read as windows-1252, so that `José` in UTF-8 would go out as `JosÃ©`. Throws FileRefusedError. */
export function assertEncoding(beginning: Buffer, encoding: string, refuse: Refuse): void {
  const whole = wholeUtf8(beginning);
  const isOther = encoding !== "utf-8" && markOf(beginning) === undefined && isUtf8(whole) && !isAscii(whole);
  if (isOther) throw refuse("encoding_differs", { encoding });
}

function textKindOf(beginning: Buffer, format: FileFormat): string | undefined {
  const text = beginning.toString("utf8").replace("\ufeff", "").trimStart();
  if (/^<(?:!doctype|\?xml|html|head|body|table|meta)[\s>]/i.test(text)) return "page";
  if (format === "csv" && /^(?:\[\s*)?\{\s*"/.test(text)) return "json";
  return format === "xlsx" && !text.includes("\0") ? "text" : undefined;
}
