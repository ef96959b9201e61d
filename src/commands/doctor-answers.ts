import type { Config } from "../config/schema.ts";
import type { JournalStore } from "../journal/store.ts";
import { finding, type Finding } from "../messages/config.ts";
import { listed } from "../messages/sentence.ts";
import { OPERATION_NAMES, type OperationName } from "../operations/index.ts";
import { jsonOf, meaningOf } from "../submission/verdict.ts";

const BATCHES_MAX = 10;
const ANSWERS_MAX = 500;
const VALUES_MAX = 4;

/**
 * What yes looks like (README §8): proposed, for each operation of which rows were accepted, from the answers that the journal
 * keeps of them; a person puts it into paydrop.toml.
 */
export async function answerFindings(config: Config, store: JournalStore): Promise<Finding[]> {
  const answers = await acceptedAnswers(store, config.environment);
  return OPERATION_NAMES.flatMap((operation): Finding[] => {
    const yes = config.answers[operation];
    const what = `answers to ${operation}s`;
    if (yes) return [finding(what, "fine", { found: `taken when ${yes.field} is ${listed(yes.accepted, "or")}` })];
    const said = answers.get(operation) ?? [];
    const found = proposalOf(said);
    if (!found) return [];
    const accepted = found.values.map((value) => JSON.stringify(value)).join(", ");
    const lines = `[answers.${operation}] field = ${JSON.stringify(found.field)}, accepted = [${accepted}]`;
    const facts = { answers: said.length, operation, field: found.field, values: listed(found.values, "or"), lines };
    return [finding(what, "answers_like", facts)];
  });
}

async function acceptedAnswers(store: JournalStore, environment: Config["environment"]) {
  const batches = (await store.batches({ environment })).filter(({ tallies }) => tallies.accepted).slice(-BATCHES_MAX);
  const answers = new Map<OperationName, string[]>();
  for (const { id } of batches.reverse()) {
    for (const { operation, response } of await store.rows({ batch: id, states: ["accepted"], limit: ANSWERS_MAX })) {
      if (operation === undefined || response === undefined) continue;
      const some = answers.get(operation) ?? [];
      if (some.length < ANSWERS_MAX) answers.set(operation, [...some, response]);
    }
  }
  return answers;
}

/** A key of a state that all of these answers have, with few values. Kept answers are excerpts, perhaps cut at their end. */
export function proposalOf(
  answers: readonly string[],
): { readonly field: string; readonly values: readonly string[] } | undefined {
  const values = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  for (const answer of answers) {
    for (const [field, value] of fieldsIn(answer)) {
      if (!["state", "code", "verdict"].includes(meaningOf(field.replace(/^.*\./, "")))) continue;
      counts.set(field, (counts.get(field) ?? 0) + 1);
      values.set(field, (values.get(field) ?? new Set()).add(value));
    }
  }
  const fits = [...values].filter(([key, some]) => counts.get(key) === answers.length && some.size <= VALUES_MAX);
  // a word says more than a number
  const [best] = fits.sort(([, one], [, other]) => Number(isNumber(one)) - Number(isNumber(other)));
  return best && { field: best[0], values: [...best[1]].sort() };
}

/** By the way to each: `data.status`. Of an excerpt that was cut, those before its first inner object. */
function fieldsIn(answer: string): readonly (readonly [field: string, value: string])[] {
  const read = jsonOf(answer);
  if (read !== undefined) return leavesOf(read, "");
  const head = /^\s*\{[^{[]*/.exec(answer)?.[0] ?? "";
  return Array.from(head.matchAll(CUT), ([, field = "", text, other]) => [field, text ?? other ?? ""] as const);
}

const CUT = /"([\w.-]+)"\s*:\s*(?:"([^"\\]*)"|(\d+|true|false))\s*(?=[,}])/g;
const LEVELS_MAX = 3;

function leavesOf(value: unknown, way: string): (readonly [string, string])[] {
  if (typeof value !== "object" || value === null) return way === "" ? [] : [[way, String(value)]];
  if (Array.isArray(value) || way.split(".").length > LEVELS_MAX) return [];
  return Object.entries(value).flatMap(([key, one]) => leavesOf(one, way === "" ? key : `${way}.${key}`));
}

const isNumber = (values: ReadonlySet<string>): boolean => [...values].every((value) => /^\d+$/.test(value));
