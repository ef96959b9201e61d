import type { HoldCode } from "../../../checks/duplicates/duplicates.ts";
import { DAY_MS } from "../../../day.ts";
import type { AttemptCalls } from "../../attempt-calls.ts";
import type { Parts } from "../parts.ts";

/** What sends a row, and what lets it go again. */
export function attemptCalls(parts: Parts): AttemptCalls {
  const { archives, attempts, batches, decisions, group, history, judge, laidBefore, near, now, telling, verdicts } =
    parts;
  return {
    begin: (batchId, row, rules) => group.run(() => attempts.begin(batches.seqOf(batchId), row, judge(rules), now())),

    end: (attempt, end) => group.runToTheLast(() => attempts.end(attempt, end, now())),

    recover: () =>
      group.run(() => {
        for (const id of batches.unopened()) batches.drop(id);
        return attempts.recover(now());
      }),

    judgeAgain: (batchId, rules) =>
      group.run(() => {
        const batch = batches.seqOf(batchId);
        attempts.changed(batch.seq);
        const ofFile = {
          holdsWholeFile: batches.isSameFileAgain(batch.seq),
          laidBefore: laidBefore.heldFor(batch.seq),
          waited: true,
        };
        const judgeOf = judge({ ...rules, ...ofFile });
        const waitsWhole = decisions.waitsWhole(batch);
        const changed = verdicts.judgeAgain(batch, judgeOf, now(), rules.duplicateDays * DAY_MS);
        if (waitsWhole) decisions.holdAllOrNothing(batch, changed, now());
        return changed;
      }),

    judgeNamed: (batchId, rows, rules) =>
      group.run(() => {
        const behind = (told?: HoldCode) => judge(told === undefined ? rules : { ...rules, told });
        return telling.named(batches.seqOf(batchId), rows, behind, now());
      }),

    makeReady: (batchId, rows, from, act) =>
      group.run(() => {
        const batch = batches.seqOf(batchId);
        archives.assertNotArchived(batch);
        attempts.changed(batch.seq);
        if (act) history.add(batchId, act, now());
        const moved = decisions.makeReady(batch, rows, from, now());
        // rows that are tried once more in the same run were looked at when that began
        if (act || rows === "all") near.holdReplaced(batch, now());
        if (moved > 0 && from.includes("settled_not_done")) {
          near.holdNearToCopies(batch, now());
          near.holdNearToResent(batch, now());
        }
        return moved;
      }),
  };
}
