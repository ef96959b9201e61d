import type { Config } from "../config/config.ts";

/** One thing the interface leaves open, and what paydrop does about it (DESIGN §1). */
interface NamedChoice {
  readonly setting: string;
  readonly value: string;
  /** Where the interface is silent. */
  readonly section: string;
  readonly open: string;
}

function rulesSaid(rules: Config["choices"]["rules"]): string {
  const operations = Object.keys(rules);
  return operations.length === 0 ? "none" : `of ${operations.join(", ")}; \`paydrop config show\` lists them`;
}

/** Every named choice in force, in the order of the interface. */
export function namedChoices(config: Config): readonly NamedChoice[] {
  const { choices } = config;
  const choice = (section: string, setting: string, value: string | number | boolean, open: string): NamedChoice => ({
    setting,
    value: String(value),
    section,
    open,
  });
  return [
    choice("§2.6", "empty_fields", choices.emptyFields, "which fields may be left out"),
    choice("§2.6", "required fields", "all of §2 but the optional ones `paydrop template` names", "which are required"),
    choice("§2.6", "rules", rulesSaid(choices.rules), "allowed values, lengths, limits of amounts"),
    choice("§2.5", "ifsc_format", choices.ifscFormat, "the shape of a bank branch code"),
    choice("§4", "accepted", "any 2xx", "the status of an accepted payout"),
    choice("§4", "amounts", "sent with the digits of the file, never scaled", "their unit"),
    choice("§4", "number_grouping", choices.numberGrouping, "how people write amounts"),
    choice("§4", "decimal_sign", choices.decimalSign, "how people write amounts"),
    choice("§5.2", "padding", choices.padding, "the padding of the ciphertext"),
    choice("§5.2", "hex_case", choices.hexCase, "upper or lower case of the HEX"),
    choice("§5.2", "key_encoding", choices.keyEncoding, "how AES key and IV are written"),
    choice(
      "§7",
      "refusals",
      "400 402 406 411 413 414 422 431 reject a row; 401 403 404 405 407 410 415 stop the run",
      "error codes",
    ),
    choice("§7", "everything else", "unknown, never sent again by itself", "whether a failed request was carried out"),
    choice("§8", "retry_429", choices.retry429, "what 429 means"),
    choice("§8", "rate", config.rate ?? "no limit", "rate limits"),
    choice("§8", "concurrency", config.concurrency, "how many requests at once"),
    choice("§8", "amount_digits_max", choices.amountDigitsMax, "bounds of an amount"),
    choice("§8", "amount_decimals_max", choices.amountDecimalsMax, "decimals of an amount"),
  ];
}
