const CHUNK_BYTES = 1024 * 1024;
const SIZE_BYTES = 4;
const UTF8_BYTES_MAX = 3;

/** Many records of short texts outside of the heap: a million of them take little more than their characters. */
export class Packed {
  readonly #chunks: Buffer[] = [];
  #end = CHUNK_BYTES;

  /** Gives its place. Of a text with NUL characters each becomes a space; undefined becomes an empty one. */
  add(texts: readonly (string | undefined)[]): number {
    const record = texts.some((text) => text?.includes("\0")) ? texts.map(withoutNul).join("\0") : texts.join("\0");
    const most = SIZE_BYTES + record.length * UTF8_BYTES_MAX;
    let chunk = this.#chunks.at(-1);
    if (!chunk || this.#end + most > chunk.length) {
      this.#chunks.push((chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, most))));
      this.#end = 0;
    }
    const start = this.#end;
    const size = chunk.write(record, start + SIZE_BYTES, "utf8");
    chunk.writeUInt32LE(size, start);
    this.#end = start + SIZE_BYTES + size;
    return (this.#chunks.length - 1) * CHUNK_BYTES + start;
  }

  at(place: number): string[] {
    const chunk = this.#chunks[Math.floor(place / CHUNK_BYTES)];
    const start = place % CHUNK_BYTES;
    if (!chunk) return [];
    const begin = start + SIZE_BYTES;
    return chunk.toString("utf8", begin, begin + chunk.readUInt32LE(start)).split("\0");
  }
}

const withoutNul = (text = ""): string => text.replaceAll("\0", " ");
