import type { ResultStatus } from "../events.ts";
import type { BatchRecord } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { markup, type Html } from "../pages/html.ts";
import { button, choices, field, sumField } from "./forms.ts";

/** What may still be said of ticked rows on the page of their batch, by their status. */
export function rowFields(status: ResultStatus | undefined, { phase }: BatchRecord) {
  if (status === "duplicate" && phase !== "cancelled")
    return { act: "held", as: "", fields: markup`<p>${DESK_WORDS.duplicate_means}</p>${heldFields()}` };
  const wentAfterAll = markup`${note()}<p>${button("They went after all")}</p>`;
  if (status === "settled_not_done") return { act: "settled", as: "done", fields: wentAfterAll };
  if (status !== "accepted" && status !== "settled_done") return undefined;
  const fields = markup`<details><summary>The money came back</summary><p class="red">${DESK_WORDS.back_means}</p>
${note("bank statement 3 Nov, returned")}${sumField("Their sum", DESK_WORDS.back_sum)}<p>${button("They came back", "stop")}</p></details>`;
  return { act: "settled", as: "not-done", fields };
}

export const note = (such = "statement of 29 Nov, line 164", typed = ""): Html =>
  field("note", "Where you looked, and what you found", {
    ...{ required: true, maxlength: "1000", hint: `such as: ${such}`, value: typed },
  });

export const settleFields = (): Html =>
  markup`${choices("as", "What became of the ticked payments?", {
    done: ["They went.", "The bank shows them. They are never sent again."],
    "not-done": ["They did not go.", "The bank shows no such debit. They may be sent again."],
  })}${note()}<p class="acts">${button("Say so")} <span class="soft">${DESK_WORDS.group_asked}</span></p>`;

export const heldFields = (isContradicted = false): Html =>
  markup`${choices("what", "What is to become of the ticked payments?", {
    ...(isContradicted && { done: ["They went.", "They are never sent again."] as const }),
    cancel: ["Nothing is to be sent.", DESK_WORDS.held_cancel],
    release: ["They are meant: send them as well.", DESK_WORDS.held_release],
  })}${field("reason", "Why, for the history", {
    ...{ required: true, maxlength: "1000", hint: DESK_WORDS.held_such },
  })}<p class="acts">${button("Go on with the ticked ones", "")}</p>`;
