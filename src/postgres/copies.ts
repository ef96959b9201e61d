import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { createFile, makePrivateFolder } from "../disk.ts";
import { PaydropError } from "../errors.ts";
import type { Postgres } from "./postgres.ts";

const PIECE_BYTES = 4 * 1024 * 1024;
const [NONCE_BYTES, TAG_BYTES] = [12, 16];

/**
 * What leaves this host for the journal's server is sealed: AES-256-GCM under a key that is derived from
 * `PAYDROP_JOURNAL_KEY`. `name` says what it is and where it belongs: nothing can be put in another's place.
 */
export class Seal {
  readonly #key: Buffer;
  /** Says of a key that it is this one, and nothing of the key. */
  readonly fingerprint: string;

  /** `journalKey`: 32 bytes. */
  constructor(journalKey: Buffer) {
    const derived = (purpose: string, bytes: number): Buffer =>
      Buffer.from(hkdfSync("sha256", journalKey, "paydrop", purpose, bytes));
    this.#key = derived("copies", 32);
    this.fingerprint = derived("fingerprint", 16).toString("hex");
  }

  close(bytes: Buffer, name: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce).setAAD(Buffer.from(name));
    return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }

  /** Throws where the bytes are not what was sealed under this name. */
  open(sealed: Buffer, name: string): Buffer {
    const [nonce, tag] = [sealed.subarray(0, NONCE_BYTES), sealed.subarray(-TAG_BYTES)];
    const decipher = createDecipheriv("aes-256-gcm", this.#key, nonce).setAAD(Buffer.from(name)).setAuthTag(tag);
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  }
}

/** Copies a private file into the journal, unless it is there. Memory is that of a piece. */
export async function keepCopy(postgres: Postgres, seal: Seal, sha256: string, path: string): Promise<void> {
  const there = await postgres.get("SELECT 1 FROM piece WHERE sha256 = $1 LIMIT 1", sha256);
  if (there) return;
  await postgres.write(async () => {
    for await (const [piece, bytes] of piecesOf(path)) {
      const sealed = seal.close(bytes, `${sha256} ${piece}`);
      const sql = "INSERT INTO piece (sha256, piece, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
      await postgres.query(sql, sha256, piece, sealed);
    }
  });
}

/** Puts it at the path where there is none. Rejects with PaydropError `copy_missing` where the journal has none, or another. */
export async function bringCopy(postgres: Postgres, seal: Seal, sha256: string, path: string): Promise<void> {
  if (existsSync(path)) return;
  makePrivateFolder(dirname(path));
  const copy = await createFile(path, { mode: 0o600 });
  const hash = createHash("sha256");
  try {
    for (let piece = 0; ; piece += 1) {
      const sql = "SELECT bytes FROM piece WHERE sha256 = $1 AND piece = $2";
      const found = await postgres.get<{ bytes: Buffer }>(sql, sha256, piece);
      if (!found) break;
      const bytes = seal.open(found.bytes, `${sha256} ${piece}`);
      hash.update(bytes);
      await copy.write(bytes);
    }
    if (hash.digest("hex") !== sha256) throw new PaydropError("copy_missing", { name: basename(path), path: sha256 });
    await copy.finish();
    await copy.publish({ replace: true, as: path });
  } finally {
    await copy.discard();
  }
}

/** The payloads of each share, from the spool of its batch (I7): the hosts that send need no file. */
export async function keepPayloads(postgres: Postgres, seal: Seal, batch: string, spool: string): Promise<void> {
  const places = await postgres.query<{ seq: number; share: number; first: number; end: number }>(
    `SELECT b.seq, r.share, min(r.place) AS first, max(r.place + r.size) AS end FROM batch b JOIN rows r ON r.batch = b.seq
     WHERE b.id = $1 AND r.place IS NOT NULL GROUP BY b.seq, r.share ORDER BY r.share`,
    batch,
  );
  if (places.length === 0) return;
  await using file: FileHandle = await open(spool, "r");
  for (const { seq, share, first, end } of places) {
    const bytes = Buffer.alloc(end - first);
    await file.read(bytes, 0, bytes.length, first);
    const sql = "UPDATE share SET place = $3, payloads = $4 WHERE batch = $1 AND share = $2";
    await postgres.query(sql, seq, share, first, seal.close(bytes, nameOfShare(batch, share)));
  }
}

export const nameOfShare = (batch: string, share: number): string => `${batch} ${share}`;

async function* piecesOf(path: string): AsyncIterable<readonly [piece: number, bytes: Buffer]> {
  await using file: FileHandle = await open(path, "r");
  for (let piece = 0; ; piece += 1) {
    const bytes = Buffer.alloc(PIECE_BYTES);
    const { bytesRead } = await file.read(bytes, 0, PIECE_BYTES, piece * PIECE_BYTES);
    // an empty file is a piece, too
    if (bytesRead > 0 || piece === 0) yield [piece, bytes.subarray(0, bytesRead)];
    if (bytesRead < PIECE_BYTES) return;
  }
}
