import type { Config } from "../config/config.ts";
import { settingsInForce, type InForce } from "../config/in-force.ts";
import { loadSettings } from "../config/load.ts";
import { usualPlaces } from "../config/toml-file.ts";
import { tomlExample } from "../config/toml-example.ts";
import { tomlSchema } from "../config/toml-schema.ts";
import { PaydropError } from "../errors.ts";
import { printable } from "../text/printable.ts";
import type { Call } from "./command.ts";

/** `show`: every value and where it came from. `example`, `schema`: what may stand in a paydrop.toml. */
export function run(call: Call): Promise<number> {
  const what = call.operands[0] ?? "show";
  if (what === "example") call.stdout.write(tomlExample());
  else if (what === "schema") call.stdout.write(`${JSON.stringify(tomlSchema(), undefined, 2)}\n`);
  else if (what === "show") show(call);
  else throw new PaydropError("usage", `there is no config ${what}`, "write one of show, example, schema");
  return Promise.resolve(0);
}

function show(call: Call): void {
  const settings = loadSettings({ flags: call.flags, env: call.env });
  const all = settingsInForce(settings);
  const looked = usualPlaces(call.env);
  if (settings.config.json) {
    const values = all.map(({ name, value = null, origin }) => ({ name, value, origin }));
    const mappings = settings.config.mappings.map(({ name }) => name);
    call.stdout.write(`${JSON.stringify({ type: "config", file: settings.file ?? null, values, mappings })}\n`);
  } else {
    const file = settings.file ?? `none (looked for ${looked.join(", ")})`;
    call.stdout.write(`settings file: ${printable(file)}\n${table(all)}${mappingsLine(settings.config)}`);
  }
}

function mappingsLine({ mappings }: Config): string {
  const told = mappings.map(({ name, operation, amountUnit }) => `${name} (${operation}, ${amountUnit})`);
  return told.length === 0 ? "" : `mappings: ${told.join(", ")}\n`;
}

function table(all: readonly InForce[]): string {
  const nameWidth = Math.max(...all.map(({ name }) => name.length));
  const valueWidth = Math.min(40, Math.max(...all.map(({ value = "" }) => value.length)));
  const lines = all.map(({ name, value = "-", origin }) =>
    printable(`${name.padEnd(nameWidth)}  ${value.padEnd(valueWidth)}  ${origin}`),
  );
  return lines.map((line) => `${line}\n`).join("");
}
