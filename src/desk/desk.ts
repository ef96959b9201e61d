import { SUMMABLE } from "../amount.ts";
import { actBy, type Acted, type Named, type Open } from "../acts/act.ts";
import { leave, type LetGo } from "../acts/let-go.ts";
import { foreseen, PaydropError } from "../errors.ts";
import type { Act, Who } from "../journal/store.ts";
import { sentenceOf, type Found } from "../messages/acts.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { told, type Facts, type Told } from "../messages/sentence.ts";
import type { Account } from "../acts/accounts.ts";
import type { Figures } from "../figures.ts";
import { markup, type Shown } from "../pages/html.ts";
import type { News } from "./frame.ts";
import { todoShown } from "./places.ts";

/** What the pages stand on. */
export interface Desk extends Open {
  /** Whose process it is. */
  readonly who: Who;
  /** Inboxes that were named; those that files were taken from are known besides. */
  readonly inboxes: readonly string[];
  /** A private folder for files that are looked at before they go into an inbox. */
  readonly staging: string;
  /** How money and times are written. */
  readonly figures: Figures;
  /** For the log. */
  readonly say: (text: string) => void;
  /** When this process looked at an inbox last, where it watches. */
  readonly lastLook?: ((inbox: string) => number | undefined) | undefined;
  /** Rows that a killed process left on their way get their end (I4), before anybody is told of them. */
  readonly endOfDead: () => Promise<void>;
}

/** Whoever acts here has signed in, and pages ask for their role. */
export const personAt = ({ who }: Pick<Desk, "who">, { name }: Account): Named => ({
  ...who,
  by: name,
  proves: () => Promise.resolve(),
});

export const actAt = (desk: Desk, by: Account, kind: Act["kind"]): Act => actBy(desk, personAt(desk, by), kind);

/** A person's act, and what became of it. What was done is told also where something failed after it. */
export async function newsOfAct(desk: Desk, by: Account, act: (who: Named) => Promise<Acted>): Promise<News> {
  try {
    await desk.endOfDead();
    const { found, code, failed } = await act(personAt(desk, by));
    const lines = found.flatMap((one) => linesOf(told(sentenceOf(one), shownFacts(desk, one.facts))));
    if (failed === undefined) return { isGood: code === 0, lines };
    desk.say(`desk: ${failed.message}`);
    return { isGood: false, lines: [...lines, ...linesOfError(failed)] };
  } catch (thrown) {
    const error = foreseen(thrown);
    // the page of what nobody foresaw says so, and the log what it was
    if (!(error instanceof PaydropError)) throw error;
    return { isGood: false, lines: linesOfError(error) };
  }
}

/** Of rows that were let go: they are left to whoever watches the folder, nothing is sent by this process. */
export function newsOfLetting(desk: Desk, by: Account, act: (who: Named) => Promise<LetGo>): Promise<News> {
  return newsOfAct(desk, by, async (who) => {
    const gone = await act(who);
    const { isLeft, code, failed } = await leave(desk, gone);
    const left: readonly Found[] = isLeft ? [{ code: "left_to_watch", facts: {} }] : [];
    return { found: [...gone.stays, ...gone.found, ...left], code, failed };
  });
}

/** Sums and times of an act, as people read them here. */
function shownFacts({ figures, store }: Desk, facts: Facts): Facts {
  const shown: Record<string, string | number | undefined> = { ...facts };
  for (const name of ["amount", "sum", "total"]) {
    const amount = facts[name];
    if (typeof amount === "string" && SUMMABLE.test(amount)) shown[name] = figures.money(amount);
  }
  const until = facts["until_at"];
  if (typeof until === "number") shown["until"] = figures.time(until, store.now());
  return shown;
}

export function linesOfError(thrown: Error): readonly Shown[] {
  const error = foreseen(thrown);
  return linesOf(error instanceof PaydropError ? error : told(DESK_WORDS.broken, { found: DESK_WORDS.unforeseen }));
}

function linesOf(one: Told): readonly Shown[] {
  const todo = todoShown(one);
  return [...one.text.split("\n"), ...(todo.toString() === "" ? [] : [markup`→ ${todo}`])];
}
