import { constants, crc32, deflateRawSync } from "node:zlib";

/** Midnight of 1 January 1980, the first day that a zip file knows: the same rows give the same bytes (I11). */
const DATE = 0x0021;
const TIME = 0;
const VERSION = 20;
/** The sizes follow the packed bytes; names are UTF-8. */
const FLAGS = 0x0808;
const DEFLATE = 8;
const BYTES_MAX = 0xffff_ffff;

interface Part {
  readonly name: string;
  readonly offset: number;
  crc: number;
  packed: number;
  unpacked: number;
}

/**
 * Makes a zip file piece by piece, for a writer that only ever appends. Each call gives the bytes that come next. What
 * one call packs is a whole number of deflate blocks, so that pieces follow one another without a state between them.
 */
export class ZipPieces {
  readonly #parts: Part[] = [];
  #offset = 0;

  begin(name: string): Buffer {
    this.#parts.push({ name, offset: this.#offset, crc: 0, packed: 0, unpacked: 0 });
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x0403_4b50, 0);
    header.writeUInt16LE(VERSION, 4);
    header.writeUInt16LE(FLAGS, 6);
    header.writeUInt16LE(DEFLATE, 8);
    header.writeUInt16LE(TIME, 10);
    header.writeUInt16LE(DATE, 12);
    header.writeUInt16LE(Buffer.byteLength(name), 26);
    return this.#out([header, Buffer.from(name)]);
  }

  /** `isLast`: ends the part's packed bytes. */
  data(text: string, isLast = false): Buffer {
    const bytes = Buffer.from(text);
    const packed = deflateRawSync(bytes, {
      finishFlush: isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
    });
    const part = this.#current();
    part.crc = crc32(bytes, part.crc);
    part.unpacked += bytes.length;
    part.packed += packed.length;
    return this.#out([packed]);
  }

  end(): Buffer {
    const { crc, packed, unpacked } = this.#current();
    if (packed > BYTES_MAX || unpacked > BYTES_MAX) throw new Error("a sheet of more than 4 GB cannot be written");
    const descriptor = Buffer.alloc(16);
    descriptor.writeUInt32LE(0x0807_4b50, 0);
    descriptor.writeUInt32LE(crc, 4);
    descriptor.writeUInt32LE(packed, 8);
    descriptor.writeUInt32LE(unpacked, 12);
    return this.#out([descriptor]);
  }

  whole(name: string, text: string): Buffer {
    return Buffer.concat([this.begin(name), this.data(text, true), this.end()]);
  }

  /** The directory of all parts, which ends the file. */
  directory(): Buffer {
    const start = this.#offset;
    const entries = Buffer.concat(this.#parts.map(directoryEntry));
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x0605_4b50, 0);
    end.writeUInt16LE(this.#parts.length, 8);
    end.writeUInt16LE(this.#parts.length, 10);
    end.writeUInt32LE(entries.length, 12);
    end.writeUInt32LE(start, 16);
    return this.#out([entries, end]);
  }

  #current(): Part {
    const part = this.#parts.at(-1);
    if (!part) throw new Error("no part has begun");
    return part;
  }

  #out(pieces: readonly Buffer[]): Buffer {
    const bytes = Buffer.concat(pieces);
    this.#offset += bytes.length;
    if (this.#offset > BYTES_MAX) throw new Error("a workbook of more than 4 GB cannot be written");
    return bytes;
  }
}

function directoryEntry({ name, offset, crc, packed, unpacked }: Part): Buffer {
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x0201_4b50, 0);
  entry.writeUInt16LE(VERSION, 4);
  entry.writeUInt16LE(VERSION, 6);
  entry.writeUInt16LE(FLAGS, 8);
  entry.writeUInt16LE(DEFLATE, 10);
  entry.writeUInt16LE(TIME, 12);
  entry.writeUInt16LE(DATE, 14);
  entry.writeUInt32LE(crc, 16);
  entry.writeUInt32LE(packed, 20);
  entry.writeUInt32LE(unpacked, 24);
  entry.writeUInt16LE(Buffer.byteLength(name), 28);
  entry.writeUInt32LE(offset, 42);
  return Buffer.concat([entry, Buffer.from(name)]);
}
