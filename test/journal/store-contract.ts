import { describe } from "vitest";
import { knowsItsMarks } from "./contract/marks.ts";
import { letsAPaymentGoOnce } from "./contract/once.ts";
import { movesRowsByTheRules } from "./contract/row-moves.ts";
import { addsUpExactly } from "./contract/sums.ts";
import { keepsWhatIsWrittenDown } from "./contract/written-down.ts";
import type { OpenStore } from "./contract/open-store.ts";

/** What every engine must keep. */
export function describeJournalStore(name: string, open: OpenStore): void {
  describe(`${name} as a JournalStore`, () => {
    keepsWhatIsWrittenDown(open);
    movesRowsByTheRules(open);
    letsAPaymentGoOnce(open);
    addsUpExactly(open);
    knowsItsMarks(open);
  });
}
