import { binaryOfBytes, type FileFormat } from "../format.ts";
import { openCopy } from "../disk/private-copy.ts";
import type { SheetSource } from "./source.ts";

/** What a file is, and what to do about it. */
interface OtherFormat {
  readonly found: string;
  readonly hint: string;
}

const LOOKED_AT_BYTES = 1024;

/**
 * Refuses a file whose name promises text and whose first bytes are those of something else. Read as that text it would
 * be refused as well, but with a wrong reason (a stray quote, a missing column, half a copy) that nobody could mend.
 * Throws FileRefusedError.
 */
export async function refuseOtherFormat(source: SheetSource, format: FileFormat): Promise<void> {
  const beginning = await beginningOf(source.path);
  const other = otherFormatOf(beginning, format);
  if (other) throw source.refuse("format_differs", other);
  if (isEncodedTwice(Buffer.from(visibleText(beginning), "latin1").toString()))
    throw source.refuse("encoded_twice", { row: 1 });
}

/**
 * Whether a text begins with a byte order mark whose bytes were taken for three letters, `ï»¿`, and written as UTF-8
 * once more. A results file of ours (`result_row`) is left out: it is refused for what it is.
 */
export function isEncodedTwice(text: string): boolean {
  return /^\ufeff?"?\u00ef\u00bb\u00bf(?!"?result_row)/.test(text);
}

async function beginningOf(path: string): Promise<Buffer> {
  const file = await openCopy(path);
  try {
    const beginning = Buffer.alloc(LOOKED_AT_BYTES);
    return beginning.subarray(0, await file.read(beginning, 0, LOOKED_AT_BYTES));
  } finally {
    await file.close();
  }
}

function otherFormatOf(beginning: Buffer, format: FileFormat): OtherFormat | undefined {
  const binary = binaryOfBytes(beginning);
  if (binary) return BINARY[binary];
  const text = visibleText(beginning);
  const [, other] = TEXTS.find(([pattern]) => pattern.test(text)) ?? [];
  if (other) return other;
  if (format === "csv") return BEGINS_LIKE_JSON.test(text) ? JSON_TEXT : undefined;
  return BEGINS_LIKE_COLUMNS.test(text) ? COLUMNS : undefined;
}

/** The bytes as letters, without a byte order mark, and without the NUL bytes that UTF-16 has. */
function visibleText(beginning: Buffer): string {
  const text = beginning.toString("latin1").replaceAll("\0", "");
  return text.replace(/^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/, "").trimStart();
}

export const UNPACK = "Unpack it, and use the file that comes out.";
const THE_TABLE = "Save the table itself as an Excel workbook (.xlsx) or CSV UTF-8.";
const SAVE_AS = 'Open it in Excel, choose "Save as", then "Excel Workbook (.xlsx)" or "CSV UTF-8".';

const BINARY = {
  packed: { found: "a packed file", hint: UNPACK },
  pdf: { found: "a PDF document", hint: THE_TABLE },
  picture: { found: "a picture", hint: THE_TABLE },
} as const;

const TEXTS: readonly (readonly [RegExp, OtherFormat])[] = [
  [/^(?:<!doctype html|<(?:html|head|body|table|meta)[\s>])/i, { found: "a web page (HTML)", hint: SAVE_AS }],
  [/^<\?xml\s/i, { found: "an XML file", hint: SAVE_AS }],
  [/^\{\\rtf/, { found: "a document of a word processor", hint: THE_TABLE }],
  [/^-----BEGIN PGP /, { found: "an encrypted message", hint: "Decrypt it, and use the file that comes out." }],
];

const BEGINS_LIKE_JSON = /^(?:\[\s*)?\{\s*"/;
const JSON_TEXT = {
  found: "JSON",
  hint: "Give it a name that ends in .json or, with one object on each line, in .jsonl.",
};

/** A line of words, with something between them that could be a delimiter. */
const BEGINS_LIKE_COLUMNS = /^["\p{L}_][^{}[\]\r\n]*[,;\t|][^{}[\]\r\n]*[\r\n]/u;
const COLUMNS = { found: "text in columns, as of CSV", hint: "Give it a name that ends in .csv." };
