import { createCipheriv } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { AES_IV, AES_KEY } from "../keys.ts";

/** Bodies of a file of JSON lines, built beforehand: encrypted for payouts (§5.2). */
export function writeBodies(jsonLines: string, target: string, isEncrypted: boolean): void {
  const [key, iv] = [Buffer.from(AES_KEY, "hex"), Buffer.from(AES_IV, "hex")];
  const payloads = readFileSync(jsonLines, "utf8").trimEnd().split("\n");
  const bodies = payloads.map((payload) => {
    if (!isEncrypted) return payload;
    const cipher = createCipheriv("aes-256-cbc", key, iv);
    return `{"body":"${cipher.update(payload, "utf8", "hex")}${cipher.final("hex")}"}`;
  });
  writeFileSync(target, bodies.join("\n"));
}
