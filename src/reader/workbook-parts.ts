import { StringDecoder } from "node:string_decoder";
import { crc32 } from "node:zlib";
import { openPromise, type Entry, type ZipFile } from "yauzl";
import { PaydropError } from "../errors.ts";
import type { Refuse } from "./source.ts";

const PARTS_MAX = 10_000;
/** Deflate packs at most 1032 bytes into one; the XML of a million rows that hardly differ comes to about 40. */
const RATIO_MAX = 200;
/** A part this small is unpacked however well it was packed. */
const ALWAYS_UNPACKED_BYTES = 4 * 1024 * 1024;
/** A million rows and fourteen columns are about 0.8 GB of XML. */
const PART_BYTES_MAX = 2 * 1024 * 1024 * 1024;
/** Six different texts in each of a million rows are about 0.2 GB; they must be in memory. */
const STRINGS_BYTES_MAX = 256 * 1024 * 1024;
const LOCAL_HEADER_BYTES = 30;

/** The parts of a workbook, which is a zip file, by name in small letters. Nothing is unpacked before it is asked for. */
export interface Parts {
  readonly zip: ZipFile;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly refuse: Refuse;
}

/** Throws FileRefusedError for a zip file whose directory of parts cannot be right. */
export async function openParts(path: string, refuse: Refuse): Promise<Parts> {
  const zip = await damagedIf(refuse, () => openPromise(path, { autoClose: false }));
  try {
    if (zip.entryCount > PARTS_MAX) throw refuse("workbook_too_large");
    const entries = new Map<string, Entry>();
    await damagedIf(refuse, async () => {
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
    });
    if (entries.size < zip.entryCount) throw refuse("workbook_damaged");
    // entries that share their packed bytes unpack to many times what the file holds (the "better zip bomb")
    let end = 0;
    for (const entry of [...entries.values()].sort(byPlace)) {
      if (entry.relativeOffsetOfLocalHeader < end) throw refuse("workbook_damaged");
      end = entry.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES + entry.fileNameLength + entry.compressedSize;
    }
    return { zip, entries, refuse };
  } catch (error) {
    zip.close();
    throw error;
  }
}

function byPlace(left: Entry, right: Entry): number {
  return left.relativeOffsetOfLocalHeader - right.relativeOffsetOfLocalHeader;
}

/** Turns errors of the zip library and of inflate into refusals; errors of the disk stay as they are. */
async function damagedIf<T>(refuse: Refuse, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || "syscall" in error || error instanceof PaydropError) throw error;
    throw refuse("workbook_damaged");
  }
}

/** The bytes of a part, unpacked as they are asked for, and compared with their checksum at the end. */
async function* readPart({ zip, entries, refuse }: Parts, name: string): AsyncGenerator<Buffer> {
  const entry = entries.get(name.toLowerCase());
  if (!entry?.canDecodeFileData()) throw refuse("workbook_damaged");
  const { compressedSize, uncompressedSize } = entry;
  const isBomb = uncompressedSize > ALWAYS_UNPACKED_BYTES && uncompressedSize > compressedSize * RATIO_MAX;
  if (isBomb || uncompressedSize > (/sharedStrings/i.test(name) ? STRINGS_BYTES_MAX : PART_BYTES_MAX)) {
    throw refuse("workbook_too_large");
  }
  const stream = await damagedIf(refuse, () => zip.openReadStreamPromise(entry));
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let sum = 0;
  try {
    for (;;) {
      // yauzl ends the stream with an error when more bytes come than the directory says
      const next = await damagedIf(refuse, () => chunks.next());
      if (next.done) break;
      sum = crc32(next.value, sum);
      yield next.value;
    }
  } finally {
    await chunks.return?.();
  }
  if (sum !== entry.crc32) throw refuse("workbook_damaged");
}

/** What is told of the XML of a part. Names come without their prefix; texts as they are written, in pieces. */
export interface XmlHandler {
  open(name: string, attributes: string): void;
  close?(name: string): void;
  text?(raw: string): void;
}

const PIECE =
  /<(?:([\w:.-]+)((?:[^<>"']|"[^"<]*"|'[^'<]*')*?)(\/?)|\/([\w:.-]+)\s*|!--[^]*?--|!\[CDATA\[([^]*?)\]\]|\?[^]*?\?)>|([^<]+)/y;
/** A tag or a text longer than this was not written by a spreadsheet program. */
const PIECE_CHARACTERS_MAX = 512 * 1024;
/** What programs add for themselves, and how a text is spoken: the names inside may be the same as ours. */
const LEFT_OUT = new Set(["extLst", "rPh"]);

/**
 * Reads XML piece by piece, which is all that the parts of a workbook are made of. Holds no more than one tag or text.
 * Gives back after each piece of bytes, so that what the handler gathered can be taken. A document type is no such
 * piece: it refuses the file, and with it all entities that could be declared.
 */
export async function* scanXml<H extends XmlHandler>(parts: Parts, part: string, handler: H): AsyncGenerator<H> {
  const { refuse } = parts;
  const decoder = new StringDecoder("utf8");
  let depth = 0;
  let leftOutAt = 0;
  let carried = "";
  for await (const bytes of readPart(parts, part)) {
    const text = carried + decoder.write(bytes);
    let at = 0;
    for (;;) {
      PIECE.lastIndex = at;
      const piece = PIECE.exec(text);
      if (!piece) break;
      at = PIECE.lastIndex;
      const [, opened, attributes = "", slash, closed, data, words] = piece;
      if (opened !== undefined) {
        depth += 1;
        if (leftOutAt === 0 && LEFT_OUT.has(localName(opened))) leftOutAt = depth;
        if (leftOutAt === 0) handler.open(localName(opened), attributes);
      }
      const ended = slash === "/" ? opened : closed;
      if (ended !== undefined) {
        if (leftOutAt === 0) handler.close?.(localName(ended));
        if (leftOutAt === depth) leftOutAt = 0;
        depth -= 1;
      } else if (opened === undefined && leftOutAt === 0) {
        handler.text?.(data?.replaceAll("&", "&amp;") ?? words ?? "");
      }
    }
    carried = text.slice(at);
    if (carried.length > PIECE_CHARACTERS_MAX) throw refuse("workbook_damaged");
    yield handler;
  }
  if (depth !== 0 || carried.trim() !== "") throw refuse("workbook_damaged");
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** Reads a small part to its end. */
export async function readXml(parts: Parts, part: string, handler: XmlHandler): Promise<void> {
  const scanning = scanXml(parts, part, handler);
  while (!(await scanning.next()).done);
}

const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** Attributes by their names without prefix. */
export function attributesOf(raw: string): Readonly<Partial<Record<string, string>>> {
  const pairs = [...raw.matchAll(ATTRIBUTE)];
  return Object.fromEntries(pairs.map(([, name = "", one, two]) => [localName(name), cellText(one ?? two ?? "")]));
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const CODED = /&(?:#([0-9]{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));|_x([0-9a-f]{4})_/gi;

/**
 * Text as XML means it, and `_x000D_`, as workbooks write characters that XML does not have. No entity but XML's own
 * five is known: any other stays as it is written.
 */
export function cellText(raw: string): string {
  const text = raw.includes("\r") ? raw.replace(/\r\n?/g, "\n") : raw;
  if (!text.includes("&") && !text.includes("_x")) return text;
  return text.replace(CODED, (all, decimal?: string, hex?: string, name?: string, escaped?: string) => {
    const code = decimal === undefined ? Number.parseInt(hex ?? escaped ?? "", 16) : Number(decimal);
    return ENTITIES[name ?? ""] ?? (code >= 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all);
  });
}

export function isTrue(said: string | undefined): boolean {
  return said === "1" || said === "true";
}
