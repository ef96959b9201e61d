import * as z from "zod/mini";
import { countSlips } from "../column-name.ts";
import { maskNumbers } from "../mask.ts";
import { SETTING_FAULTS } from "../messages/config.ts";
import { told, type Facts } from "../messages/sentence.ts";
import { printable } from "../printable.ts";
import { conceal } from "./secret.ts";

/** One thing that is wrong with the settings: a code of `SETTING_FAULTS` and where it stands. */
export interface Wrong {
  readonly code: keyof typeof SETTING_FAULTS;
  readonly facts: Facts;
}

/** A table of paydrop.toml without other keys than these. */
export function table<Shape extends z.core.$ZodLooseShape>(
  name: string,
  shape: Shape,
): z.ZodMiniObject<Shape, z.core.$strict> {
  const known = Object.keys(shape).join(" ");
  const error = ({ code }: { readonly code?: string }): string =>
    code === "unrecognized_keys" ? known : `a table: write ${name} and its lines below it`;
  return z.strictObject(shape, { error });
}

/** Every complaint of zod about `raw`, with the place where it stands: `rules.payouts.narration.max_length`. */
export function wrongsIn(
  error: z.core.$ZodError,
  raw: unknown,
  placeOf: (path: readonly PropertyKey[]) => string,
  isHidden: (path: readonly PropertyKey[]) => boolean = () => false,
): Wrong[] {
  return error.issues.flatMap((issue): Wrong[] => {
    const place = placeOf(issue.path);
    if (issue.code === "unrecognized_keys") {
      const known = issue.message.split(" ");
      return issue.keys.map((key) => unknownKey(place, key, known));
    }
    const said = isHidden(issue.path)
      ? {}
      : issue.path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], raw);
    if (said === undefined) return [{ code: "missing", facts: { place, right: issue.message } }];
    return [{ code: "value", facts: { place, shown: shown(said), right: issue.message } }];
  });
}

export function unknownKey(place: string, key: string, known: readonly string[]): Wrong {
  const meant = nearest(key, known);
  const advice = meant === undefined ? `there are ${known.join(", ")}` : `did you mean ${meant}?`;
  return { code: "unknown_key", facts: { place, key: printable(key), advice } };
}

/** A table or list may hold account numbers: it is not repeated. A masked key would not be known as one any more. */
function shown(said: unknown): string {
  return typeof said === "object" ? "what stands there" : printable(maskNumbers(conceal(JSON.stringify(said))), 80);
}

export function wrongTexts(wrongs: readonly Wrong[]): string[] {
  return wrongs.map(({ code, facts }) => {
    const { text, todo } = told(SETTING_FAULTS[code], facts);
    return todo === "" ? text : `${text}: ${todo}`;
  });
}

/** The name that a person most likely meant, at most a third of its letters away; undefined where none is so near. */
export function nearest(said: string, names: readonly string[]): string | undefined {
  const bare = (name: string): string => name.toLowerCase().replaceAll("-", "_");
  const slips = names.map((name) => countSlips(bare(said), bare(name)));
  const fewest = Math.min(...slips);
  return fewest <= Math.max(1, Math.floor(said.length / 3)) ? names[slips.indexOf(fewest)] : undefined;
}
