import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PaydropError, messageOf, systemCodeOf } from "../errors.ts";
import { codePointOf } from "../text/printable.ts";
import { Secret } from "./secret.ts";

/** The three secrets of §5, each with its variable and the name of its credential file. */
export const SECRETS = {
  apiKey: { variable: "PAYDROP_API_KEY", credential: "paydrop-api-key" },
  aesKey: { variable: "PAYDROP_AES_KEY", credential: "paydrop-aes-key" },
  aesIv: { variable: "PAYDROP_AES_IV", credential: "paydrop-aes-iv" },
} as const;

export type SecretName = keyof typeof SECRETS;

export interface FoundSecret {
  readonly secret: Secret;
  /** Where it came from: a variable, or a file named by one. */
  readonly origin: string;
}

const SECRET_NAMES = Object.keys(SECRETS) as SecretName[];

/** Reads the secrets and removes them from `env`, so that no child process inherits them. Throws `config`. */
export function takeSecrets(env: NodeJS.ProcessEnv): Partial<Record<SecretName, FoundSecret>> {
  const found: Partial<Record<SecretName, FoundSecret>> = {};
  try {
    for (const name of SECRET_NAMES) {
      const secret = takeSecret(name, env);
      if (secret) found[name] = secret;
    }
  } finally {
    forgetSecrets(env);
  }
  return found;
}

/** Removes the secrets from `env` without reading them: for commands that never send. */
export function forgetSecrets(env: NodeJS.ProcessEnv): void {
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- assigning undefined would leave the text "undefined"
  for (const name of SECRET_NAMES) delete env[SECRETS[name].variable];
}

function takeSecret(name: SecretName, env: NodeJS.ProcessEnv): FoundSecret | undefined {
  const { variable, credential } = SECRETS[name];
  const direct = env[variable];
  const file = env[`${variable}_FILE`];
  if (direct !== undefined && file !== undefined) {
    throw new PaydropError("config", `${variable} and ${variable}_FILE are both set`, "unset one of the two");
  }
  if (direct !== undefined) return { secret: checked(name, direct, variable), origin: variable };
  if (file !== undefined) {
    if (file === "") throw new PaydropError("config", `${variable}_FILE is empty`, "put the path of the file in it");
    return fromFile(name, file, `${variable}_FILE`);
  }
  const folder = env["CREDENTIALS_DIRECTORY"];
  return folder ? fromFile(name, join(folder, credential), "CREDENTIALS_DIRECTORY", "may be missing") : undefined;
}

function fromFile(name: SecretName, file: string, origin: string, missing?: "may be missing"): FoundSecret | undefined {
  const what = `${origin} (${file})`;
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if (missing && systemCodeOf(error) === "ENOENT") return undefined;
    if (mayBeTheKey(file) && !existsSync(file)) throw noPath(name, origin);
    const why = systemCodeOf(error) === "ENOENT" ? "there is no such file" : messageOf(error);
    throw new PaydropError("config", `${what}: ${why}`, "check the path and who may read the file", { cause: error });
  }
  // only the one newline that `echo` and editors add: more than that was pasted with the key, and a person must look
  const text = bytes.toString("utf8").replace(/\r?\n$/, "");
  return { secret: checked(name, text, what), origin };
}

/** Whether `file` may be a key that was put where its path belongs: then it must not get into a log. */
function mayBeTheKey(file: string): boolean {
  return !/^(?:[./~\\]|[a-z]:)/i.test(file) || /[\r\n]/.test(file);
}

function noPath(name: SecretName, origin: string): PaydropError {
  return new PaydropError(
    "config",
    `${origin}: there is no file of this name (not repeated here: it may be the key itself)`,
    `put the path of the file in it; the key itself belongs in ${SECRETS[name].variable}`,
  );
}

/** The secret of a text. Throws `config` for a text that no key can be; `what` says where it stood. */
export function checked(name: SecretName, text: string, what: string): Secret {
  const wrong = whatIsWrong(name, text);
  if (!wrong) return new Secret(text);
  throw new PaydropError(
    "config",
    `${what} ${wrong}`,
    "copy the key again from the service's dashboard, as plain text",
  );
}

/** Names the kind of character and its place, never the value. */
function whatIsWrong(name: SecretName, text: string): string | undefined {
  if (text === "") return "is empty";
  if (text.startsWith("\ufeff")) return "begins with a byte order mark (save it as UTF-8 without BOM)";
  const at = text.search(name === "apiKey" ? /[^\x21-\x7e]/ : /[^\x20-\x7e]/);
  if (at < 0) return text.trim() === "" ? "holds only spaces" : undefined;
  return `holds ${describe(text.charAt(at))} as character ${at + 1}; a key is plain ASCII${name === "apiKey" ? " without spaces" : ""}`;
}

function describe(character: string): string {
  if (character === " ") return "a space";
  if (character === "\n" || character === "\r") return "a line break";
  if (/[\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb]/.test(character)) return "a curly quotation mark";
  if (character === "\ufffd") return "a byte that is not UTF-8";
  return codePointOf(character);
}
