import { rowsIn, sumOf } from "../amount.ts";
import type { Figures } from "../figures.ts";
import type { BatchRecord } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { markup, nothing, type Html, type Shown } from "../pages/html.ts";
import { card, over, payments } from "../pages/parts.ts";
import { button, check, field, form } from "./forms.ts";

/** What goes once more by this button, as the page says it: whoever presses it has seen that. */
export function goesBy(word: string, { tallies }: BatchRecord, figures: Figures): string | undefined {
  const tally = { retry: tallies.settled_not_done, "retry-rejected": tallies.rejected }[word];
  return tally && `${payments(tally.rows, figures)}, ${figures.money(tally.amount)}`;
}

interface Offer {
  readonly word: string;
  readonly title: string;
  readonly sum?: string;
  readonly means?: Shown;
  readonly button: Html;
  readonly why?: { readonly required: true };
}

/** Only what the state of the batch allows; of a cancelled one nothing goes any more. */
export function actsPart(batch: BatchRecord, figures: Figures, csrf: string): Html {
  const offers = offersOf(batch, figures);
  if (offers.length === 0) return nothing;
  const all = offers.map(({ word, title, sum, means, button: press, why = {} }, at) => {
    const reason = field("reason", "Why, for the history", { maxlength: "1000", ...why });
    const hidden = { seen: goesBy(word, batch, figures) ?? "" };
    const fields = markup`${means}${reason}<p>${press}</p>`;
    const content = form(`/batch/${batch.id}/${word}`, csrf, fields, { kind: "form", hidden });
    return markup`<details${at === 0 && markup` open`}><summary>${title} ${sum !== undefined && markup`<span class="n">${sum}</span>`}</summary>${content}</details>`;
  });
  return markup`<section class="do">${over("What you may do", { id: "may" })}${card(all)}</section>`;
}

function offersOf(batch: BatchRecord, figures: Figures): readonly Offer[] {
  const { phase, tallies } = batch;
  if (phase === "cancelled") return [];
  const { settled_not_done: notDone, rejected } = tallies;
  const isOpen = phase === "open";
  const waiting = rowsIn(tallies, "ready", "not_sent");
  const stays = (["ready", "not_sent", "held", "settled_not_done", "rejected", "invalid"] as const).flatMap(
    (state) => tallies[state] ?? [],
  );
  const [left, sum] = [stays.reduce((all, { rows }) => all + rows, 0), figures.money(sumOf(stays))];
  const text = (words: string): Html => markup`<p>${words}</p>`;
  const offers: readonly (Offer | undefined | false)[] = [
    phase === "paused" && {
      ...{ word: "resume", title: "Go on", means: text(DESK_WORDS.resume_means) },
      button: button(`Let ${payments(waiting, figures)} go on`, ""),
    },
    isOpen &&
      notDone && {
        ...{
          word: "retry",
          title: `Send ${payments(notDone.rows, figures)} again`,
          sum: figures.money(notDone.amount),
        },
        ...{ means: text(DESK_WORDS.again_means), button: button(`Send ${figures.count(notDone.rows)} again`, "") },
      },
    isOpen &&
      rejected && {
        word: "retry-rejected",
        title: `Send ${figures.count(rejected.rows)} refused ${rejected.rows === 1 ? "payment" : "payments"} again as they are`,
        ...{ sum: figures.money(rejected.amount), means: text(DESK_WORDS.rejected_means), why: { required: true } },
        button: button(`Send ${figures.count(rejected.rows)} as they are`, ""),
      },
    isOpen &&
      waiting > 0 && {
        ...{ word: "pause", title: "Pause", means: text(DESK_WORDS.pause_means) },
        button: button(`Pause ${payments(waiting, figures)}`, "stop"),
      },
    left > 0 && {
      ...{ word: "cancel", title: `Cancel what did not go: ${payments(left, figures)}`, sum, why: { required: true } },
      means: markup`<p>${check("sure", "yes", DESK_WORDS.cancel_means, markup` required`)}</p>`,
      button: button(`Cancel ${payments(left, figures)}`, "stop"),
    },
  ];
  return offers.filter((offer) => offer !== undefined && offer !== false);
}
