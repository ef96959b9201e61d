import { userInfo } from "node:os";
import type { Config } from "../config/config.ts";
import { PaydropError } from "../errors.ts";
import type { Act } from "../journal/store.ts";
import { printable } from "../text/printable.ts";

/** The person whose decision changes what becomes of money. Throws `usage` without `--by`. */
export function personNamed(config: Config, example: string): string {
  if (config.by !== undefined && config.by.trim() !== "") return cleanName(config.by);
  throw new PaydropError("usage", "this needs the name of the person who decides", `add --by NAME: ${example}`);
}

/** Who acts, and the entry of an act in the history. */
export interface Doer {
  readonly by: string;
  act(kind: string, ...noted: readonly (string | undefined)[]): Omit<Act, "at">;
}

/** For acts that anybody at this machine may do: without `--by` the name of the login, and it is noted as such. */
export function personOrLogin({ by: said }: Config): Doer {
  const isNamed = said !== undefined && said.trim() !== "";
  const by = cleanName(isNamed ? said : loginName());
  const remark = isNamed ? "" : "by login name";
  return { by, act: (kind, ...noted) => ({ by, kind, note: [...noted, remark].filter(Boolean).join("; ") }) };
}

/** What stood behind `--note` or `--reason`. */
export function textSaid(value: unknown): string | undefined {
  const text = typeof value === "string" ? printable(value.trim(), TEXT_CHARACTERS_MAX) : "";
  return text === "" ? undefined : text;
}

const NAME_CHARACTERS_MAX = 80;
const TEXT_CHARACTERS_MAX = 1000;

export function cleanName(said: string): string {
  const name = printable(said.trim(), NAME_CHARACTERS_MAX);
  if (name.toLowerCase() !== "paydrop") return name;
  throw new PaydropError("usage", "paydrop is not a person: its own acts stand under that name", "add --by NAME");
}

function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    // a container whose user has no entry
    return process.getuid ? `uid ${process.getuid()}` : "unknown login";
  }
}
