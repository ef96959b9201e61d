import { open } from "node:fs/promises";
import type { FileFault } from "../errors.ts";
import { hasMark, type Encoding } from "./decoders.ts";
import { readText } from "./text.ts";

/**
 * Gives a fault where a file without a byte order mark is UTF-8 and the settings say windows-1252. Any bytes can be
 * read as windows-1252, so `José` in UTF-8 would go out as `JosÃ©` without a word; but a text of windows-1252 that is
 * more than ASCII is not UTF-8 by chance from its first byte to its last.
 */
export async function inspectEncoding(path: string, stated: Encoding): Promise<FileFault | undefined> {
  if (stated === "utf-8" || (await beginsWithMark(path))) return undefined;
  let isAscii = true;
  for await (const { text, broken } of readText(path, "utf-8")) {
    if (broken) return undefined;
    isAscii &&= !/[\u0080-\uffff]/.test(text);
  }
  return isAscii ? undefined : DIFFERS;
}

const DIFFERS: FileFault = {
  code: "encoding_differs",
  message: 'all of its text is UTF-8, and the settings say encoding = "windows-1252"',
  hint: 'Save it as "CSV UTF-8" with a byte order mark, or remove encoding from paydrop.toml.',
};

/** With a byte order mark of UTF-8 or UTF-16 the settings do not count. */
async function beginsWithMark(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(3), 0, 3, 0);
    return hasMark(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}
