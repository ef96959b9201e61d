import { createHash } from "node:crypto";
import type { Environment } from "./store.ts";

/** Without I, L, O, U: nobody mistakes a 1 or a 0, and no word comes about. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CHARACTERS = 8;

/**
 * The id of a batch comes from the file's bytes, the environment, the stated period, the sheet of a workbook, and how
 * often that was taken before (`times`).
 */
export function batchIdOf(
  file: {
    readonly sha256: string;
    readonly environment: Environment;
    readonly period?: string | undefined;
    readonly sheet?: string | undefined;
  },
  times: number,
): string {
  const sheet = file.sheet === undefined ? [] : [file.sheet];
  const said = [file.sha256, file.environment, file.period ?? "", String(times), ...sheet];
  const digest = createHash("sha256").update(said.join("\0")).digest();
  let id = "";
  // a spreadsheet would change an id that looks like a number, in the list of rows to settle, and it would be unknown
  for (let from = 0; from <= digest.length - CHARACTERS && LOOKS_LIKE_NUMBER.test(id); from += 1) {
    id = [...digest.subarray(from, from + CHARACTERS)].map((byte) => ALPHABET[byte & 31]).join("");
  }
  return id;
}

const LOOKS_LIKE_NUMBER = /^\d*E?\d*$/;
