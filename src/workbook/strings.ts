import { damaged, WorkbookError } from "./fault.ts";
import { cellText } from "./text.ts";
import { XmlScanner, type XmlHandler } from "./xml.ts";

const STRINGS_MAX = 32 * 1024 * 1024;
const FIRST_BYTES = 64 * 1024;
const FIRST_STRINGS = 4096;

/**
 * The texts that the cells of a workbook share, which must be at hand for every cell: kept as UTF-8 outside of the
 * heap, with four more bytes for each.
 */
export class SharedStrings {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #used = 0;
  #ends = new Uint32Array(FIRST_STRINGS);
  #count = 0;

  static async read(part: AsyncIterable<Buffer>): Promise<SharedStrings> {
    const strings = new SharedStrings();
    const scanner = new XmlScanner(new StringsHandler(strings));
    for await (const bytes of part) scanner.write(bytes);
    scanner.end();
    return strings;
  }

  get(index: number): string {
    if (!(index >= 0 && index < this.#count)) throw damaged("a cell asks for a text that is not there");
    return this.#bytes.toString("utf8", index === 0 ? 0 : this.#ends[index - 1], this.#ends[index]);
  }

  /** `raw`: the bytes of the text, one character each, ready to be kept as they are. */
  append(raw: string, isPlain: boolean): void {
    const needed = this.#used + (isPlain ? raw.length : Buffer.byteLength(raw));
    if (needed > this.#bytes.length) this.#bytes = grown(this.#bytes, needed);
    this.#used += this.#bytes.write(raw, this.#used, isPlain ? "latin1" : "utf8");
  }

  endText(): void {
    if (this.#count === STRINGS_MAX) {
      throw new WorkbookError("workbook_too_large", `more than ${STRINGS_MAX / 1024 / 1024} million texts`);
    }
    if (this.#count === this.#ends.length) {
      const ends = new Uint32Array(this.#ends.length * 2);
      ends.set(this.#ends);
      this.#ends = ends;
    }
    this.#ends[this.#count] = this.#used;
    this.#count += 1;
  }
}

function grown(bytes: Buffer, needed: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, bytes.length * 2));
  bytes.copy(larger);
  return larger;
}

/** A text is one `t`, or the `t` of all its runs `r`; the reading aids of `rPh` are not part of it. */
class StringsHandler implements XmlHandler {
  readonly #strings: SharedStrings;
  #isInText = false;
  #aids = 0;
  #isInItem = false;
  /** A `t` comes in several pieces where CDATA or comments stand in it. */
  #raw = "";

  constructor(strings: SharedStrings) {
    this.#strings = strings;
  }

  open(name: string): void {
    if (name === "si") this.#isInItem = true;
    else if (name === "rPh") this.#aids += 1;
    else if (name === "t") this.#isInText = this.#isInItem && this.#aids === 0;
  }

  text(raw: string): void {
    if (this.#isInText) this.#raw = this.#raw === "" ? raw : this.#raw + raw;
  }

  close(name: string): void {
    if (name === "t") {
      this.#isInText = false;
      const isPlain = !/[&\r\u0080-\u00ff]|_x/.test(this.#raw);
      if (this.#raw !== "") this.#strings.append(isPlain ? this.#raw : cellText(this.#raw), isPlain);
      this.#raw = "";
    } else if (name === "rPh") {
      this.#aids -= 1;
    } else if (name === "si") {
      this.#isInItem = false;
      this.#strings.endText();
    }
  }
}
