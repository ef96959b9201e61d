import { StringDecoder } from "node:string_decoder";
import { crc32 } from "node:zlib";
import { openPromise, type Entry, type ZipFile } from "yauzl";
import { PaydropError } from "../errors.ts";
import type { Refuse } from "./row.ts";

const PARTS_MAX = 10_000;
/** Deflate packs at most 1032 bytes into one; the XML of a million rows that hardly differ comes to about 40. */
const RATIO_MAX = 200;
/** A part this small is unpacked however well it was packed. */
const ALWAYS_UNPACKED_BYTES = 4 * 1024 * 1024;
/** A million rows and fourteen columns are about 0.8 GB of XML. */
const SHEET_BYTES_MAX = 2 * 1024 * 1024 * 1024;
/** Six different texts in each of a million rows are about 0.2 GB; they must be in memory. */
const OTHER_BYTES_MAX = 256 * 1024 * 1024;

/** The parts of a workbook, which is a zip file, by name in small letters. Nothing is unpacked before it is asked for. */
export interface Parts {
  readonly zip: ZipFile;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly refuse: Refuse;
}

/** Throws FileRefusedError for a zip file whose directory of parts cannot be right. */
export async function openParts(path: string, refuse: Refuse): Promise<Parts> {
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(path, { autoClose: false });
    if (zip.entryCount > PARTS_MAX) throw refuse("workbook_too_large");
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
    const packed = entries.values().reduce((sum, { compressedSize }) => sum + compressedSize, 0);
    // entries that share their packed bytes unpack to many times what the file holds (the "better zip bomb")
    if (entries.size < zip.entryCount || packed > zip.fileSize) throw refuse("workbook_damaged");
    return { zip, entries, refuse };
  } catch (error) {
    zip?.close();
    throw asRefusal(error, refuse);
  }
}

/** What the zip library and inflate complain of is damage; errors of the disk stay as they are. */
function asRefusal(error: unknown, refuse: Refuse): unknown {
  const isOther = error instanceof PaydropError || (error instanceof Error && "syscall" in error);
  return isOther ? error : refuse("workbook_damaged");
}

/** The bytes of a part, unpacked as they are asked for, and compared with their checksum at the end. */
async function* readPart({ zip, entries, refuse }: Parts, name: string): AsyncGenerator<Buffer> {
  const entry = entries.get(name.toLowerCase());
  if (!entry?.canDecodeFileData()) throw refuse("workbook_damaged");
  const { compressedSize, uncompressedSize } = entry;
  const isBomb = uncompressedSize > ALWAYS_UNPACKED_BYTES && uncompressedSize > compressedSize * RATIO_MAX;
  const most = /\/worksheets\//i.test(name) ? SHEET_BYTES_MAX : OTHER_BYTES_MAX;
  if (isBomb || uncompressedSize > most) throw refuse("workbook_too_large");
  let sum = 0;
  try {
    // yauzl ends the stream with an error when more bytes come than the directory says
    for await (const bytes of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      sum = crc32(bytes, sum);
      yield bytes;
    }
  } catch (error) {
    throw asRefusal(error, refuse);
  }
  if (sum !== entry.crc32) throw refuse("workbook_damaged");
}

/** An element of XML. Names come without their prefix. */
export interface Element {
  readonly name: string;
  /** As they are written. */
  readonly attributes: string;
  text: string;
  readonly children: Element[];
}

const PIECE =
  /<(?:([\w:.-]+)((?:[^<>"']|"[^"<]*"|'[^'<]*')*?)(\/?)|\/([\w:.-]+)\s*|!--[^]*?--|!\[CDATA\[([^]*?)\]\]|\?[^]*?\?)>|([^<]+)(?=<)/y;
/** A tag, a text, a row larger than these, tags in tags deeper than this: no spreadsheet program wrote them. */
const PIECE_CHARACTERS_MAX = 512 * 1024;
const ELEMENT_CHARACTERS_MAX = 4 * 1024 * 1024;
const DEPTH_MAX = 100;

/**
 * The elements at a place in the XML of a part (`worksheet/sheetData/row`), with all that is in them, as the bytes come.
 * Holds little, and passes over whatever stands elsewhere. A document type is no piece that is known: it refuses the
 * file, and with it all entities that could be declared.
 */
export async function* readElements(parts: Parts, part: string, place: string): AsyncGenerator<readonly Element[]> {
  const { refuse } = parts;
  const names = place.split("/");
  const decoder = new StringDecoder("utf8");
  const open: Element[] = [];
  let found: Element[] = [];
  let isInside = false;
  let [carried, held] = ["", 0];
  for await (const bytes of readPart(parts, part)) {
    const xml = carried + decoder.write(bytes);
    let at = 0;
    for (;;) {
      PIECE.lastIndex = at;
      const match = PIECE.exec(xml);
      if (!match) break;
      const [piece, opened, attributes = "", slash, closed, data, words = ""] = match;
      at += piece.length;
      if (opened !== undefined) {
        open.push({ name: localName(opened), attributes, text: "", children: [] });
        if (open.length > DEPTH_MAX) throw refuse("workbook_damaged");
        if (open.length === names.length) isInside = open.every(({ name }, depth) => name === names[depth]);
      }
      const isHeld = isInside && open.length >= names.length;
      if (isHeld) held += piece.length;
      const ended = slash === "/" ? opened : closed;
      const element = ended === undefined ? open.at(-1) : open.pop();
      if (ended !== undefined) {
        if (element?.name !== localName(ended)) throw refuse("workbook_damaged");
        if (isInside && open.length >= names.length) open.at(-1)?.children.push(element);
        else if (isInside && open.length === names.length - 1) found.push(element);
      } else if (element && isHeld && opened === undefined) {
        element.text += data ?? cellText(words);
      }
    }
    carried = xml.slice(at);
    if (carried.length > PIECE_CHARACTERS_MAX || held > ELEMENT_CHARACTERS_MAX) throw refuse("workbook_damaged");
    if (found.length === 0) continue;
    yield found;
    [found, held] = [[], 0];
  }
  if (open.length > 0 || carried.trim() !== "") throw refuse("workbook_damaged");
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

export function attributesOf({ attributes }: Element): Readonly<Partial<Record<string, string>>> {
  const pairs = attributes.matchAll(ATTRIBUTE);
  return Object.fromEntries(pairs.map(([, name = "", one, two]) => [localName(name), cellText(one ?? two ?? "")]));
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const CODED = /&(?:#([0-9]{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));|_x([0-9a-f]{4})_/gi;

/**
 * Text as XML means it, and `_x000D_`, as workbooks write characters that XML does not have. No entity but XML's own
 * five is known: any other stays as it is written.
 */
function cellText(raw: string): string {
  const text = raw.includes("\r") ? raw.replace(/\r\n?/g, "\n") : raw;
  if (!text.includes("&") && !text.includes("_x")) return text;
  return text.replace(CODED, (all, decimal?: string, hex?: string, name?: string, escaped?: string) => {
    const code = decimal === undefined ? Number.parseInt(hex ?? escaped ?? "", 16) : Number(decimal);
    return ENTITIES[name ?? ""] ?? (code >= 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all);
  });
}
