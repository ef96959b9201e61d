import { existsSync, readFileSync } from "node:fs";
import { CAPS, defaultOf, factsOf, FIELD_RULES, flagOf, SETTING_NAMES } from "../config/schema.ts";
import { nearest } from "../config/kinds.ts";
import { rulesExample } from "../config/toml.ts";
import { PaydropError } from "../errors.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import type { Call } from "./command.ts";

const BY_ROLE = ["clerk", "finance", "operate", "develop"];
const BY_QUESTION = [
  "duplicates",
  "periods",
  "corrections",
  "excel",
  "mapping",
  "unknown",
  "folder",
  "settings",
  "json",
];
const TOPICS = { "By role": BY_ROLE, "By question": [...BY_QUESTION, "again"] };

/** Prints a topic, in Markdown, or the list of topics. `help COMMAND` is `COMMAND --help`, which cli.ts knows. */
export async function run(call: Call): Promise<number> {
  const [topic] = call.operands;
  call.stdout.write(topic === undefined ? topics() : await filledIn(textOf(topic)));
  return 0;
}

function topics(): string {
  const listed = Object.entries(TOPICS).flatMap(([heading, names]) => [
    heading,
    ...names.map((name) => `  ${name.padEnd(13)}${/^# (.*)/.exec(textOf(name))?.[1] ?? ""}`),
    "",
  ]);
  return `${listed.join("\n")}\npaydrop help TOPIC prints one; paydrop COMMAND --help says how a command is used.\n`;
}

/** The topics lie beside the sources, and beside the one folder of the built program. */
function textOf(topic: string): string {
  const known = Object.values(TOPICS).flat();
  const words = nearest(topic, known) ?? known.join(", ");
  if (!known.includes(topic)) throw new PaydropError("unknown_word", { thing: "topic", said: topic, words });
  const places = ["../help/", "./help/"].map((folder) => new URL(`${folder}${topic}.md`, import.meta.url));
  return readFileSync(places.find((place) => existsSync(place)) ?? "", "utf8");
}

/** Tables that are made from what the program itself goes by. */
const TABLES: Readonly<Record<string, () => string | Promise<string>>> = {
  settings() {
    const lines = SETTING_NAMES.map((name) => {
      const { once, kind, shown, unless } = factsOf(name);
      const value = `${flagOf(name)}${once ? "*" : ""} ${kind.word}`;
      return `  ${value}\n      ${shown}; ${defaultOf(name) ?? unless ?? "not set"}`;
    });
    return lines.join("\n");
  },
  exit_codes: () =>
    table(
      ["Code", "Meaning", "Do"],
      EXIT_CODES.map(({ code, sentence, todo }) => [code, sentence, todo]),
    ),
  async again() {
    const { againTable } = await import("../submission/again.ts");
    return table(
      ["A row that is", "Goes again"],
      againTable().map(({ text, todo }) => [text, todo]),
    );
  },
  caps: () => rulesExample(CAPS),
  field_rules: () => rulesExample(FIELD_RULES),
};

async function filledIn(text: string): Promise<string> {
  let filled = text;
  for (const [placeholder, name = ""] of text.matchAll(/\{\{(\w+)\}\}/g)) {
    const made = await TABLES[name]?.();
    filled = filled.replace(placeholder, () => made ?? placeholder);
  }
  return filled;
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
