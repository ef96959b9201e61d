import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/**
 * SHA-256 of a file in lower-case hex. Throws what the system says; for a pipe it waits until somebody writes into it.
 */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest("hex");
}
