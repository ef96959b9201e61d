import { loadSettings } from "../config/load.ts";
import { inForce, tomlExample, tomlSchema } from "../config/shown.ts";
import { usualPlaces } from "../config/toml.ts";
import { PaydropError } from "../errors.ts";
import { printable } from "../printable.ts";
import { inColumns } from "../screen/look.ts";
import type { Call } from "./command.ts";

/** `show`: every value and where it came from. `example`, `schema`: what may stand in a paydrop.toml. */
export function run(call: Call): Promise<number> {
  const [what = "show"] = call.operands;
  const made = { show: shown, example: tomlExample, schema: () => `${JSON.stringify(tomlSchema(), undefined, 2)}\n` };
  const text = Object.entries(made).find(([name]) => name === what)?.[1];
  if (!text)
    throw new PaydropError("unknown_word", { thing: "config", said: what, words: Object.keys(made).join(", ") });
  call.stdout.write(text(call));
  return Promise.resolve(0);
}

function shown(call: Call): string {
  const loaded = loadSettings(call, "read");
  const { config, file } = loaded;
  const values = inForce(loaded).map(({ name, value = null, origin }) => ({ name, value, origin }));
  const sections = { mappings: config.mappings.map(({ name }) => name), rules: Object.keys(config.rules) };
  if (config.json) return `${JSON.stringify({ type: "config", file: file ?? null, values, ...sections })}\n`;
  const lines = inColumns(values.map(({ name, value, origin }) => [name, value ?? "-", origin]));
  const from = `settings file: ${file ?? `none (looked for ${usualPlaces(call.env).join(", ")})`}`;
  const names = Object.entries(sections).map(([section, some]) => `${section}: ${some.join(", ") || "none"}`);
  return [from, ...lines, ...names].map((line) => `${printable(line)}\n`).join("");
}
