import { open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { openPromise, type Entry, type ZipFile } from "yauzl";
import { messageOf } from "../errors.ts";
import { binaryOfBytes } from "../format.ts";
import { damaged, WorkbookError } from "./fault.ts";

const PARTS_MAX = 10_000;
/** Deflate packs at most 1032 bytes into one. The XML of a million rows that hardly differ comes to about 40. */
const RATIO_MAX = 200;
/** A part this small is unpacked however well it was packed. */
const ALWAYS_UNPACKED_BYTES = 4 * 1024 * 1024;
/** Local header of a zip entry without its name. */
const LOCAL_HEADER_BYTES = 30;
const LOOKED_AT_BYTES = 64 * 1024;

/** The parts of a workbook, which is a zip file, by name. Nothing is unpacked before it is asked for, or to disk. */
export class Package {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip;
    this.#entries = entries;
  }

  /** Throws WorkbookError for what is no workbook, or one whose directory of parts cannot be right. */
  static async open(path: string): Promise<Package> {
    await assertZip(path);
    const zip = await translated(() => openPromise(path, { autoClose: false }));
    try {
      return new Package(zip, await translated(() => entriesOf(zip)));
    } catch (error) {
      zip.close();
      throw error;
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase());
  }

  names(): Iterable<string> {
    return this.#entries.keys();
  }

  /** The bytes of a part, unpacked as they are asked for, and compared with their checksum at the end. */
  async *read(name: string, bytesMax: number): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(name.toLowerCase());
    if (!entry) throw damaged("one of its parts is missing");
    assertUnpackable(entry, bytesMax);
    const stream = await translated(() => this.#zip.openReadStreamPromise(entry));
    const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    let sum = 0;
    try {
      for (;;) {
        // yauzl ends the stream with an error when more bytes come than the directory says
        const next = await translated(() => chunks.next());
        if (next.done) break;
        sum = crc32(next.value, sum);
        yield next.value;
      }
    } finally {
      await chunks.return?.();
    }
    if (sum !== entry.crc32) throw damaged("the checksum of one of its parts is wrong");
  }

  close(): void {
    this.#zip.close();
  }
}

/** Refuses by the first bytes what is no zip file: many files only have the name of a workbook. */
async function assertZip(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(LOOKED_AT_BYTES), 0, LOOKED_AT_BYTES, 0);
    const beginning = buffer.subarray(0, bytesRead);
    if (beginning.toString("latin1", 0, 2) === "PK") return;
    if (beginning.subarray(0, 8).toString("hex") !== "d0cf11e0a1b11ae1") throw notAZip(beginning);
  } finally {
    await file.close();
  }
  // the old container of Office: an old workbook, or a new one that is encrypted as a whole
  if (await holds(path, Buffer.from("EncryptedPackage", "utf16le"))) {
    throw new WorkbookError("workbook_encrypted", "a password");
  }
  throw new WorkbookError("workbook_of_another_kind", "in the format of Excel 97 (.xls)");
}

function notAZip(beginning: Buffer): WorkbookError {
  if (beginning.length === 0) return damaged("it is empty (0 bytes)");
  if (beginning.every((byte) => byte === 0)) return damaged("it holds nothing but NUL bytes");
  const binary = binaryOfBytes(beginning);
  if (binary) throw new WorkbookError("workbook_of_another_kind", BINARY[binary]);
  const text = beginning.toString("latin1").trimStart().toLowerCase();
  const kind = /^(?:<!doctype html|<html|<table|<meta)/.test(text)
    ? "a web page (HTML) under the name of a workbook"
    : text.startsWith("<?xml")
      ? "an XML file under the name of a workbook"
      : beginning.includes(0)
        ? undefined
        : "a text file (perhaps CSV) under the name of a workbook";
  return kind === undefined
    ? damaged("it does not begin like a workbook")
    : new WorkbookError("workbook_of_another_kind", kind);
}

const BINARY = {
  packed: "a packed file, which has to be unpacked first",
  pdf: "a PDF document",
  picture: "a picture",
} as const;

async function holds(path: string, wanted: Buffer): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.alloc(LOOKED_AT_BYTES + wanted.length);
    for (let position = 0; ; position += LOOKED_AT_BYTES) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
      if (buffer.subarray(0, bytesRead).includes(wanted)) return true;
      if (bytesRead < buffer.length) return false;
    }
  } finally {
    await file.close();
  }
}

async function entriesOf(zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  if (zip.entryCount > PARTS_MAX) throw new WorkbookError("workbook_too_large", `more than ${PARTS_MAX} parts`);
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName.toLowerCase();
    if (entries.has(name)) throw damaged("two of its parts have the same name");
    entries.set(name, entry);
  }
  assertApart([...entries.values()]);
  return entries;
}

/** Entries that share their packed bytes unpack to many times what the file holds (the "better zip bomb"). */
function assertApart(entries: readonly Entry[]): void {
  let end = 0;
  for (const entry of entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)) {
    if (entry.relativeOffsetOfLocalHeader < end) throw damaged("two of its parts lie on the same bytes");
    end = entry.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES + entry.fileNameLength + entry.compressedSize;
  }
}

function assertUnpackable(entry: Entry, bytesMax: number): void {
  if (entry.isEncrypted()) throw new WorkbookError("workbook_encrypted", "a password");
  if (!entry.canDecodeFileData()) throw damaged("one of its parts is packed in a way that workbooks do not use");
  const { compressedSize, uncompressedSize } = entry;
  if (uncompressedSize > bytesMax) {
    const megabytes = Math.round(bytesMax / 1024 / 1024);
    throw new WorkbookError("workbook_too_large", `a part of more than ${megabytes} MB when it is unpacked`);
  }
  if (uncompressedSize > ALWAYS_UNPACKED_BYTES && uncompressedSize > compressedSize * RATIO_MAX) {
    throw new WorkbookError("workbook_too_large", `a part that unpacks to more than ${RATIO_MAX} times its size`);
  }
}

/** Turns errors of the zip library and of inflate into ours; errors of the disk stay as they are. */
async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof WorkbookError) throw error;
    if (error instanceof Error && "syscall" in error) throw error;
    const said = messageOf(error);
    const found = /end of central directory/i.test(said)
      ? "its end is missing"
      : /encrypted/i.test(said)
        ? "it is encrypted"
        : "its parts cannot be unpacked";
    throw damaged(found, error);
  }
}
