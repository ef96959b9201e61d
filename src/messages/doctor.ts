import { told, type Facts, type Sentence } from "./sentence.ts";

/** One thing that `paydrop doctor` looked at. `look`: somebody should look at it, but rows can go. */
export interface Finding {
  readonly what: string;
  readonly health: "fine" | "look" | "wrong";
  readonly found: string;
  readonly hint?: string;
}

const FINDINGS = {
  fine: { health: "fine", text: "{found}" },
  wrong: { health: "wrong", text: "{found}", todo: "{todo}" },
  not_set: { health: "wrong", text: "not set", todo: "Set {variable}." },
  not_set_for_payouts: { health: "look", text: "not set", todo: "It is needed for payouts only." },
  state_open: { health: "wrong", text: "{path} is open to others (mode {mode})", todo: "chmod 700 {word}" },
  network: {
    health: "wrong",
    text: "lies on a network disk ({disk})",
    todo: "Keep the state folder on a local disk: locks cannot be trusted there, and rows could go twice.",
  },
  inbox_open: {
    health: "look",
    text: "anybody on this machine may write there (mode {mode})",
    todo: "Whoever can drop a file can pay: give the right to one group only.",
  },
  not_apart: {
    health: "wrong",
    text: "the inbox and the {other} lie within each other",
    todo: "Keep them apart: whoever drops files must not reach it.",
  },
  inbox_held: {
    health: "look",
    text: "nothing goes from it: {why}",
    todo: "A person lets it go on: paydrop resume --inbox {word} --by NAME",
  },
  clock_behind: {
    health: "wrong",
    text: "{now}, but the journal has already seen {seen}",
    todo: "Set the clock if it is wrong. If it is right, that of an earlier run was ahead.",
  },
} as const satisfies Readonly<Record<string, Sentence & { readonly health: Finding["health"] }>>;

export function finding(what: string, code: keyof typeof FINDINGS, facts: Facts = {}): Finding {
  const { text, todo } = told(FINDINGS[code], facts);
  return { what, health: FINDINGS[code].health, found: text, ...(todo === "" ? {} : { hint: todo }) };
}

/** What the interface leaves open (DESIGN §1), by its section: the setting that decides, or what always holds. */
export const CHOICES: readonly (readonly [section: string, choice: string, always?: string])[] = [
  ["§2.6", "required fields", "all but the optional ones of `paydrop template`"],
  ["§2.6", "empty_fields"],
  ["§4", "accepted", "any 2xx whose text does not speak of failure"],
  ["§4", "amounts", "sent with the digits of the file, never scaled"],
  ["§4", "amount_format"],
  ["§5.2", "padding"],
  ["§5.2", "hex_case"],
  ["§5.2", "key_encoding"],
  ["§7", "doubtful_2xx"],
  ["§7", "rejected", "400 402 406 411 413 414 422 431; 401 403 404 405 407 410 415 stop the run"],
  ["§7", "every other answer", "unknown, never sent again by itself"],
  ["§8", "concurrency"],
  ["§8", "rate"],
  ["§8", "retry_429"],
  ["§8", "amount_digits_max"],
  ["§8", "amount_decimals_max"],
];
