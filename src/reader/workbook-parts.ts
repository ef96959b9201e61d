import { StringDecoder } from "node:string_decoder";
import { crc32 } from "node:zlib";
import { openPromise, type Entry, type ZipFile } from "yauzl";
import { PaydropError } from "../errors.ts";
import type { Refuse } from "./row.ts";

const PARTS_MAX = 10_000;
/** A part this small is unpacked however well it was packed. */
const ALWAYS_UNPACKED_BYTES = 4 * 1024 * 1024;

/** What a part may be: how many times its packed bytes, how many bytes, how many elements; and how many of these are kept. */
export interface Limits {
  readonly ratio: number;
  readonly bytes: number;
  /** So many, and `perPackedByte` more. */
  readonly elements: number;
  readonly perPackedByte: number;
}

/** Deflate packs at most 1032 bytes into one. */
export const LIMITS = {
  /** The XML of a million rows that hardly differ comes to about 40; with fourteen columns it is about 0.8 GB. */
  sheet: { ratio: 200, bytes: 2 * 1024 ** 3, elements: Number.POSITIVE_INFINITY, perPackedByte: 0 },
  /** Six different texts in each of a million rows are about 0.2 GB, in memory. No two are the same: each takes its bytes. */
  strings: { ratio: 60, bytes: 256 * 1024 ** 2, elements: 200_000, perPackedByte: 1 },
  /** What stands around them: sheets, relations, styles, merged cells. */
  book: { ratio: 200, bytes: 32 * 1024 ** 2, elements: 400_000, perPackedByte: 0 },
} as const satisfies Readonly<Record<string, Limits>>;

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
async function* readPart({ zip, entries, refuse }: Parts, name: string, limits: Limits): AsyncGenerator<Buffer> {
  const entry = entries.get(name.toLowerCase());
  if (!entry?.canDecodeFileData()) throw refuse("workbook_damaged");
  const { compressedSize, uncompressedSize } = entry;
  const isBomb = uncompressedSize > ALWAYS_UNPACKED_BYTES && uncompressedSize > compressedSize * limits.ratio;
  if (isBomb || uncompressedSize > limits.bytes) throw refuse("workbook_too_large");
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
const ELEMENTS_IN_ONE_MAX = 100_000;
/** A closing tag is not longer. */
const TAG_CHARACTERS_MAX = 200;

/**
 * The elements at places in the XML of a part (`worksheet/sheetData/row`), with all that is in them, as the bytes come.
 * Holds little, and passes over whatever stands elsewhere; `passed`: an element into which it does not even look. A document
 * type is no piece that is known: it refuses the file, and with it all entities that could be declared.
 */
export async function* readElements(
  parts: Parts,
  part: string,
  places: readonly string[],
  limits: Limits,
  passed?: string,
): AsyncGenerator<readonly Element[]> {
  const { refuse } = parts;
  const pile = new Pile(places, refuse);
  const most = limits.elements + limits.perPackedByte * (parts.entries.get(part.toLowerCase())?.compressedSize ?? 0);
  const end = passed === undefined ? undefined : new RegExp(`</(?:[\\w.-]+:)?${passed}\\s*>`, "g");
  const decoder = new StringDecoder("utf8");
  let carried = "";
  let isPassing = false;
  for await (const bytes of readPart(parts, part, limits)) {
    const xml = carried + decoder.write(bytes);
    let at = 0;
    for (;;) {
      if (isPassing && end) {
        end.lastIndex = at;
        isPassing = !end.test(xml);
        at = isPassing ? Math.max(at, xml.length - TAG_CHARACTERS_MAX) : xml.lastIndexOf("<", end.lastIndex - 1);
        if (isPassing) break;
      }
      PIECE.lastIndex = at;
      const match = PIECE.exec(xml);
      if (!match) break;
      at += match[0].length;
      pile.add(match);
      isPassing = match[1] !== undefined && match[3] !== "/" && localName(match[1]) === passed;
    }
    carried = xml.slice(at);
    if (carried.length > PIECE_CHARACTERS_MAX) throw refuse("workbook_damaged");
    if (pile.count > most) throw refuse("workbook_too_large");
    if (pile.found.length > 0) yield pile.take();
  }
  if (pile.isOpen || carried.trim() !== "") throw refuse("workbook_damaged");
}

/** The elements that are open, and what was found at the places. */
class Pile {
  readonly #places: readonly (readonly string[])[];
  readonly #refuse: Refuse;
  readonly #open: Element[] = [];
  /** At which depth the element began that is kept whole; 0: none. */
  #inside = 0;
  #held = 0;
  #heldElements = 0;
  found: Element[] = [];
  /** Of all elements so far. */
  count = 0;

  constructor(places: readonly string[], refuse: Refuse) {
    this.#places = places.map((place) => place.split("/"));
    this.#refuse = refuse;
  }

  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  take(): readonly Element[] {
    const { found } = this;
    this.found = [];
    return found;
  }

  add([piece, opened, attributes = "", slash, closed, data, words = ""]: RegExpExecArray): void {
    const open = this.#open;
    if (opened !== undefined) this.#begin(localName(opened), attributes);
    if (this.#inside > 0) this.#held += piece.length;
    if (this.#held > ELEMENT_CHARACTERS_MAX) throw this.#refuse("workbook_damaged");
    const ended = slash === "/" ? opened : closed;
    if (ended !== undefined) this.#end(localName(ended));
    else if (this.#inside > 0 && opened === undefined) {
      const element = open.at(-1);
      if (element) element.text += data ?? cellText(words);
    }
  }

  #begin(name: string, attributes: string): void {
    const open = this.#open;
    open.push({ name, attributes, text: "", children: [] });
    this.count += 1;
    if (open.length > DEPTH_MAX) throw this.#refuse("workbook_damaged");
    if (this.#inside > 0) {
      this.#heldElements += 1;
      if (this.#heldElements > ELEMENTS_IN_ONE_MAX) throw this.#refuse("workbook_too_large");
    } else if (
      this.#places.some((names) => names.length === open.length && names.every((one, at) => one === open[at]?.name))
    ) {
      [this.#inside, this.#held, this.#heldElements] = [open.length, 0, 0];
    }
  }

  #end(name: string): void {
    const element = this.#open.pop();
    if (element?.name !== name) throw this.#refuse("workbook_damaged");
    if (this.#inside === 0) return;
    if (this.#open.length >= this.#inside) this.#open.at(-1)?.children.push(element);
    else {
      this.found.push(element);
      this.#inside = 0;
    }
  }
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
