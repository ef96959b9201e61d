import { damaged, WorkbookError } from "./fault.ts";
import { xmlText } from "./text.ts";

/** What a scanner tells. Names come without their prefix; text and attributes as `xmlText` takes them. */
export interface XmlHandler {
  open(name: string, attributes: string): void;
  close(name: string): void;
  /** May come in several calls. */
  text(raw: string): void;
}

/** A tag or a text longer than this was not written by a spreadsheet program. */
const PIECE_CHARACTERS_MAX = 512 * 1024;
const DEPTH_MAX = 100;

/** What programs add for themselves, in elements whose names may be the same as ours: it says nothing of the cells. */
const EXTENSIONS = "extLst";

/**
 * Reads XML piece by piece: elements, attributes, text and CDATA, which is all that the parts of a workbook are made of.
 * Linear, and holds no more than one tag or text. Any `<!DOCTYPE` refuses the file, and with it all declared entities.
 */
export class XmlScanner {
  readonly #handler: XmlHandler;
  readonly #open: string[] = [];
  #carried = "";
  #isBegun = false;
  #hasRoot = false;
  /** How deep the element is nested whose inside is left out; 0 where there is none. */
  #leftOutAt = 0;

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  write(bytes: Buffer): void {
    let text = this.#carried + bytes.toString("latin1");
    if (!this.#isBegun) {
      if (text.length < 4) {
        this.#carried = text;
        return;
      }
      if (/^(?:\u00ff\u00fe|\u00fe\u00ff)/.test(text)) throw damaged("its text is not UTF-8");
      if (text.startsWith("\u00ef\u00bb\u00bf")) text = text.slice(3);
      this.#isBegun = true;
    }
    let at = 0;
    for (;;) {
      const tag = text.indexOf("<", at);
      if (tag < 0) break;
      if (tag > at) this.#text(text.slice(at, tag));
      at = tag;
      const next = this.#markup(text, tag);
      if (next < 0) break;
      at = next;
    }
    this.#carried = text.slice(at);
    if (this.#carried.length > PIECE_CHARACTERS_MAX) {
      throw new WorkbookError("workbook_too_large", "a tag or text without an end");
    }
  }

  /** To be called at the end: throws unless the document is complete. */
  end(): void {
    if (!this.#hasRoot || this.#open.length > 0 || this.#carried.trim() !== "") {
      throw damaged("one of its parts ends in the middle");
    }
  }

  #text(raw: string): void {
    if (this.#open.length > 0) {
      if (this.#leftOutAt === 0) this.#handler.text(raw);
    } else if (raw.trim() !== "") throw damaged("text stands outside of its XML");
  }

  /** The index after the markup that begins at `at`; negative where its end has not come yet. */
  #markup(text: string, at: number): number {
    const second = text.charCodeAt(at + 1);
    if (second === EXCLAMATION || Number.isNaN(second)) return this.#declaration(text, at);
    if (second === QUESTION) return this.#instruction(text, at);
    if (second === SLASH) return this.#closeTag(text, at);
    return this.#openTag(text, at);
  }

  #declaration(text: string, at: number): number {
    const start = text.slice(at, at + CDATA.length);
    if (start.startsWith("<!--")) {
      const end = text.indexOf("-->", at + 4);
      return end < 0 ? -1 : end + 3;
    }
    if (start === CDATA) {
      const end = text.indexOf("]]>", at);
      if (end < 0) return -1;
      this.#text(text.slice(at + CDATA.length, end).replaceAll("&", "&amp;"));
      return end + 3;
    }
    if (CDATA.startsWith(start) || "<!--".startsWith(start)) return -1;
    throw damaged("its XML declares a document type, which no spreadsheet program writes");
  }

  #instruction(text: string, at: number): number {
    const end = text.indexOf("?>", at);
    if (end < 0) return -1;
    const encoding = /^<\?xml\s[^]*encoding\s*=\s*["']([^"']*)/.exec(text.slice(at, end))?.[1] ?? "utf-8";
    if (!/^(?:utf-?8|us-ascii)$/i.test(encoding)) throw damaged("its text is not UTF-8");
    return end + 2;
  }

  #closeTag(text: string, at: number): number {
    const end = text.indexOf(">", at);
    if (end < 0) return -1;
    const name = text.slice(at + 2, end).trimEnd();
    if (this.#open.pop() !== name) throw damaged("its XML closes what was not opened");
    if (this.#leftOutAt === 0) this.#handler.close(localName(name));
    else if (this.#open.length < this.#leftOutAt) this.#leftOutAt = 0;
    return end + 1;
  }

  #openTag(text: string, at: number): number {
    const end = endOfTag(text, at);
    if (end < 0) return -1;
    const isClosed = text.charCodeAt(end - 1) === SLASH;
    const inner = text.slice(at + 1, isClosed ? end - 1 : end);
    const space = inner.search(/\s/);
    const name = space < 0 ? inner : inner.slice(0, space);
    if (!NAME.test(name)) throw damaged("its XML has a tag without a name");
    if (this.#open.length === 0 && this.#hasRoot) throw damaged("its XML has two beginnings");
    this.#hasRoot = true;
    const local = localName(name);
    if (local === EXTENSIONS && this.#leftOutAt === 0 && !isClosed) this.#leftOutAt = this.#open.length + 1;
    const isTold = this.#leftOutAt === 0;
    if (isTold) this.#handler.open(local, space < 0 ? "" : inner.slice(space));
    if (isClosed) {
      if (isTold) this.#handler.close(local);
    } else if (this.#open.push(name) > DEPTH_MAX) {
      throw new WorkbookError("workbook_too_large", `tags nested deeper than ${DEPTH_MAX} levels`);
    }
    return end + 1;
  }
}

const CDATA = "<![CDATA[";
const EXCLAMATION = 0x21;
const QUESTION = 0x3f;
const SLASH = 0x2f;
const NAME = /^[A-Za-z_\u0080-\u00ff][\w.:\u0080-\u00ff-]*$/;

/** The index of the `>` that ends the tag: one in an attribute's quotes does not. */
function endOfTag(text: string, at: number): number {
  let quote = 0;
  for (let index = at + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === 0x3e) {
      return index;
    } else if (code === 0x22 || code === 0x27) {
      quote = code;
    } else if (code === 0x3c) {
      throw damaged("its XML has a tag without an end");
    }
  }
  return -1;
}

function localName(name: string): string {
  const colon = name.indexOf(":");
  return colon < 0 ? name : name.slice(colon + 1);
}

const ATTRIBUTE = /\s+([^\s=]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;

/** Attributes by their names as written, with their prefixes. */
export function attributesOf(raw: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let end = 0;
  for (const { 0: whole, 1: name = "", 2: double, 3: single, index } of raw.matchAll(ATTRIBUTE)) {
    if (index !== end || found.has(name)) break;
    found.set(name, xmlText(double ?? single ?? ""));
    end = index + whole.length;
  }
  if (raw.slice(end).trim() !== "") throw damaged("its XML has an attribute that is not well formed");
  return found;
}

/** Whether an attribute, or a cell, says true. */
export function isTrue(said: string | undefined): boolean {
  return said === "1" || said === "true";
}
