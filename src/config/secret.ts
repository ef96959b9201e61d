import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { PaydropError, systemCodeOf } from "../errors.ts";
import { asWord, codePointOf } from "../printable.ts";

/** Forms of this process's secrets that must not be seen, and the pattern that finds them. */
const concealed = new Set<string>();
let pattern: RegExp | undefined;

/** Shorter texts would blot out harmless words; no real key is that short. */
const LENGTH_MIN = 8;

/** A secret that cannot be printed by accident: only `reveal()` gives the text. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    if (typeof text !== "string") throw new TypeError("a Secret is made of a text: is the key set?");
    this.#text = text;
    if (text.length < LENGTH_MIN) return;
    for (const form of formsOf(text)) if (form.length >= LENGTH_MIN) concealed.add(RegExp.escape(form));
    const longestFirst = [...concealed].sort((one, other) => other.length - one.length);
    pattern = new RegExp(longestFirst.join("|"), "gi");
  }

  reveal(): string {
    return this.#text;
  }

  get length(): number {
    return this.#text.length;
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [inspect.custom](): string {
    return "[secret]";
  }
}

function formsOf(secret: string): string[] {
  const contents = [Buffer.from(secret)];
  if (/^(?:[0-9a-f]{2})+$/i.test(secret)) contents.push(Buffer.from(secret, "hex"));
  else if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(secret)) contents.push(Buffer.from(secret, "base64"));
  const forms = contents.flatMap((bytes) => {
    return [bytes.toString("hex"), bytes.toString("base64").replace(/=+$/, ""), bytes.toString("base64url")];
  });
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), ...forms];
}

/** The last filter before text goes to a terminal or a log: the net below the other measures, not a licence to print. */
export function conceal(text: string): string {
  return pattern ? text.replace(pattern, "[secret]") : text;
}

/** `text`, which was cut off, without secrets, and without as much of its end as could be the beginning of a secret. */
export function concealOfCut(text: string): string {
  const longest = Math.max(1, ...[...concealed].map((form) => form.length));
  const left = conceal(text);
  return left.slice(0, Math.max(0, left.length - longest + 1));
}

export const SECRETS = {
  ...{ apiKey: "PAYDROP_API_KEY", aesKey: "PAYDROP_AES_KEY", aesIv: "PAYDROP_AES_IV" },
  /** Of a journal that several hosts share: what they seal in it. */
  journalKey: "PAYDROP_JOURNAL_KEY",
  /** The mail server for notices, with user and password. */
  smtpUrl: "PAYDROP_SMTP_URL",
} as const;

export type SecretName = keyof typeof SECRETS;
/** Those that sending needs. */
export const SENDING_SECRETS = ["apiKey", "aesKey", "aesIv"] as const satisfies readonly SecretName[];

export type Secrets = { readonly [Name in SecretName]?: Secret };

export const SECRET_NAMES: readonly SecretName[] = Object.keys(SECRETS) as SecretName[];

/**
 * Reads the secrets and removes them from `env`, so that no child process inherits them; the others are removed without
 * being read. Throws PaydropError `config`.
 */
export function takeSecrets(
  env: NodeJS.ProcessEnv,
  origins: Record<string, string>,
  names: readonly SecretName[] = SECRET_NAMES,
): Secrets {
  const found: { [Name in SecretName]?: Secret } = {};
  try {
    for (const name of names) {
      const [origin, text] = secretText(SECRETS[name], env) ?? [];
      if (origin === undefined) continue;
      found[name] = secretOf(name, text, origin);
      origins[SECRETS[name]] = origin;
    }
  } finally {
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- assigning undefined would leave the text "undefined"
    for (const name of SECRET_NAMES) delete env[SECRETS[name]];
  }
  return found;
}

/** Of somebody with an account at the desk, who acts by a command (README §14). */
export const PASSWORD = "PAYDROP_PASSWORD";

/** From the variable, from the file that `…_FILE` names, or from systemd's credential. Throws PaydropError `config`. */
export function secretText(variable: string, env: NodeJS.ProcessEnv): [origin: string, text: string] | undefined {
  const ofFile = `${variable}_FILE`;
  const { [variable]: direct, [ofFile]: file, CREDENTIALS_DIRECTORY: folder } = env;
  if (direct !== undefined && file !== undefined) throw new PaydropError("secret_both", { variable });
  if (direct !== undefined) return [variable, direct];
  if (file !== undefined) return [ofFile, read(file, ofFile)];
  if (!folder) return undefined;
  // paydrop-api-key
  const path = join(folder, variable.toLowerCase().replaceAll("_", "-"));
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
  return isThere ? ["CREDENTIALS_DIRECTORY", read(path, "CREDENTIALS_DIRECTORY")] : undefined;
}

/** A path that leads nowhere is not repeated: it may be the key itself, put in the wrong variable. */
function read(path: string, origin: string): string {
  let file: ReturnType<typeof readOwn>;
  try {
    file = readOwn(path);
  } catch (error) {
    throw new PaydropError("secret_file_unreadable", { origin, why: systemCodeOf(error) });
  }
  if (file.isOpen) throw new PaydropError("secret_file_open", { origin, word: asWord(path) });
  // only the one newline that `echo` and editors add: more than that was pasted with the key, and a person must look
  return file.text.replace(/\r?\n$/, "");
}

/** A file's text, and whether others than its owner may write it. Throws what the system says. */
export function readOwn(path: string): { readonly text: string; readonly isOpen: boolean } {
  const stats = statSync(path);
  // /dev/null is open to everybody, and says nothing
  const isOpen = process.platform !== "win32" && (stats.mode & 0o022) !== 0 && !stats.isCharacterDevice();
  return { isOpen, text: readFileSync(path, "utf8") };
}

/** The secret of a text. Throws `config` for a text that no key can be, without repeating it; `what`: where it stood. */
export function secretOf(name: SecretName, text: unknown, what: string): Secret {
  const said = text instanceof Secret ? text.reveal() : text;
  const wrong = typeof said === "string" ? whatIsWrong(name, said) : "is not a text";
  if (wrong !== undefined) throw new PaydropError("secret_wrong", { what, wrong });
  return text instanceof Secret ? text : new Secret(String(said));
}

/** Names the character and its place, never the value. */
function whatIsWrong(name: SecretName, text: string): string | undefined {
  if (text.trim() === "") return "is empty";
  const at = text.search(name === "apiKey" ? /[^\x21-\x7e]/ : /[^\x20-\x7e]/);
  if (at < 0) return undefined;
  return `holds ${codePointOf(text.charAt(at))} as character ${at + 1}; a key is plain ASCII without spaces`;
}
