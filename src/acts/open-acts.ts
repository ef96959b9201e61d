/** What people do, for a program: the acts that commands and desk call. */
import { resolve } from "node:path";
import { leave, type LetGo } from "./let-go.ts";
import { nameSaid, type Named, type Open, type Person } from "./act.ts";
import { release as releaseRows } from "./release.ts";
import { resume as resumeBatch, retry as retryRows } from "./retry-resume.ts";
import { endOfDead, openWork } from "./open.ts";
import { assertIs } from "./prove.ts";
import { loadOptions, type Options } from "../config/load.ts";
import { PaydropError } from "../errors.ts";
import { sentenceOf, type Found } from "../messages/acts.ts";
import { told, type Told } from "../messages/sentence.ts";

/** A state folder, or the journal of several hosts, in which people act. */
export interface OpenedActs extends Open {
  /**
   * Somebody by name, for an act. Who has accounts at the desk proves the name by `password` where one person is not to
   * decide alone. Throws PaydropError `usage` for no name.
   */
  person(name: string, password?: string): Named;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens the journal for acts, beside whatever process sends from it:
 *
 *     await using open = await openActs({ stateDir });
 *     const { found } = await release(open, open.person("Asha"), { batch, which: [3], reason: "two are meant" });
 *
 * An act gives what it did and found as codes with facts, which `tell` puts into words. Rejects with PaydropError `usage` where it
 * is not possible, and nothing was changed. Nothing is sent: what may go is sent by the next run of its file, or the watch.
 */
export async function openActs(options: Options): Promise<OpenedActs> {
  const { config } = loadOptions(options);
  const work = await openWork(config, {}, "act");
  await endOfDead(work, (mode) => openWork(config, {}, mode));
  const { store, who } = work;
  const close = (): Promise<void> => work.close();
  const all = options.stateDir === undefined ? {} : { state_dir: resolve(options.stateDir) };
  const person = (name: string, password?: string): Named => {
    const by = nameSaid(name);
    if (by === undefined) throw new PaydropError("left_empty", { what: "name" });
    return { ...who, by, proves: (role) => assertIs(store, by, role, () => Promise.resolve(password)) };
  };
  return { config, store, again: all, person, close, [Symbol.asyncDispose]: close };
}

/** What an act found, in words, with its commands as data. */
export function tell(found: Found): Told {
  return told(sentenceOf(found), found.facts);
}

/** Rows that were let go are left to whoever sends. */
function left<Who extends Person, Values>(act: (open: Open, who: Who, values: Values) => Promise<LetGo>) {
  return async (open: Open, who: Who, values: Values): Promise<LetGo> => {
    const gone = await act(open, who, values);
    return { ...gone, ...(await leave(open, gone)) };
  };
}

/** Held rows go, and duplicate ones that are named. */
export const release = left(releaseRows);
/** What may go again; with `rejected` also rows that were refused for themselves, as they are. */
export const retry = left(retryRows);
/** A batch goes on, paused or not. */
export const resume = left(resumeBatch);
