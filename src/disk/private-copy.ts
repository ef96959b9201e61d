import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { open } from "node:fs/promises";

/** A private copy of a file, read from its beginning to its end. */
interface PrivateCopy {
  readonly sizeBytes: number;
  /** How many bytes came into `buffer` from `at` on, at most `bytesMax`; 0 at the end. */
  read(buffer: Buffer, at: number, bytesMax: number): number | Promise<number>;
  close(): Promise<void>;
}

const SMALL_BYTES_MAX = 64 * 1024;
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW;

/**
 * Opens what lies in the state directory. A small copy is read at once: the calls take microseconds on a disk of this
 * machine, and waiting for another thread to make each of them takes many times as long. Throws what the system says.
 */
export async function openCopy(path: string): Promise<PrivateCopy> {
  const small = readSmall(path);
  if (typeof small !== "number") return inMemory(small);
  const file = await open(path, FLAGS);
  return {
    sizeBytes: small,
    read: (buffer, at, bytesMax) => file.read(buffer, at, bytesMax).then(({ bytesRead }) => bytesRead),
    close: () => file.close(),
  };
}

/** The bytes of a small copy; for a large one its size. */
function readSmall(path: string): Buffer | number {
  const file = openSync(path, FLAGS);
  try {
    const { size } = fstatSync(file);
    if (size > SMALL_BYTES_MAX) return size;
    const bytes = Buffer.allocUnsafe(size);
    return bytes.subarray(0, readSync(file, bytes, 0, size, 0));
  } finally {
    closeSync(file);
  }
}

function inMemory(bytes: Buffer): PrivateCopy {
  let left = bytes;
  return {
    sizeBytes: bytes.length,
    read: (buffer, at, bytesMax) => {
      const copied = left.copy(buffer, at, 0, bytesMax);
      left = left.subarray(copied);
      return copied;
    },
    close: () => Promise.resolve(),
  };
}
