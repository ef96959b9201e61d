import { seenOf } from "../acts/as-seen.ts";
import type { ResultStatus } from "../events.ts";
import type { BatchRecord, RowRecord } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import type { Told } from "../messages/sentence.ts";
import { markup, said, type Html, type Shown } from "../pages/html.ts";
import { statusTag } from "../pages/parts.ts";
import { printable } from "../printable.ts";
import type { Detail } from "../results/details.ts";
import { statusOf } from "../results/totals.ts";
import type { Desk } from "./desk.ts";

const TEXT_CHARACTERS_MAX = 60;

/** Payee first and bold; under it employee number, last four, reference. */
export function payeeCell({ name, employee, payee, reference }: Detail, more?: Shown): Html {
  const [who, number, account, own] = [name, employee, payee, reference].map(
    (text) => text && printable(text, TEXT_CHARACTERS_MAX),
  );
  const below = [number === own ? undefined : number, who && account].filter(
    (text) => text !== undefined && text !== "",
  );
  const parts = below.map((text, at) => markup`${at > 0 && " · "}${said(text ?? "")}`);
  const ref = own && markup`${parts.length > 0 && " · "}<span class="nb">${said(own)}</span>`;
  const isMore = more !== undefined && markup`${(parts.length > 0 || own) && " · "}${more}`;
  // a masked number is short, and no word to be broken
  const first = who ? said(who) : account ? markup`<span class="nb">${said(account)}</span>` : DESK_WORDS.no_name;
  return markup`${first}<small>${parts}${ref}${isMore}</small>`;
}

/** With the row as it is shown: what is said of it counts for nothing else. */
export function tick(record: RowRecord, { name, payee }: Detail): Html {
  const who = printable(name ?? payee ?? "", TEXT_CHARACTERS_MAX);
  return markup`<label class="tick"><input type="checkbox" name="row" value="${record.row}"><span class="hide">Row ${record.row}${who && `, ${who}`}</span></label><input type="hidden" name="seen" value="${seenOf(record)}">`;
}

export function moneyCell({ figures }: Desk, amount: string | undefined): Html {
  return amount === undefined
    ? markup`<span class="soft">${DESK_WORDS.not_readable}</span>`
    : markup`${figures.money(amount)}`;
}

/** One tag, and the reason under it; what was accepted is a quiet word. */
export function becameCell({ figures, store }: Desk, record: RowRecord, words: Told): Html {
  const status = statusOf(record);
  if (status !== "accepted") return markup`${statusTag(status)} <small>${words.text}</small>`;
  const at = record.sentAt === undefined ? "" : `, ${figures.time(record.sentAt, store.now())}`;
  const isPlain = record.notices.length === 0 && !record.correctedBy;
  return markup`<span class="soft">accepted${at}</span>${!isPlain && markup` <small>${words.text}</small>`}`;
}

/** The one thing to do with a row, and where. */
export function actOn(batch: BatchRecord, record: RowRecord): Html | undefined {
  const { id } = batch;
  const link = (href: string, text: string): Html => markup`<a href="${href}">${text}</a>`;
  if (record.correctedBy) return undefined;
  const decide = link(`/decide?batch=${id}#row-${record.row}`, "Decide");
  const acts: Readonly<Partial<Record<ResultStatus, Html>>> = {
    unknown: link(`/decide?batch=${id}#row-${record.row}`, "Look up"),
    ...(batch.phase !== "cancelled" && { held: decide }),
    settled_not_done: link(`/batch/${id}#may`, "Send again"),
    rejected: link(`/batch/${id}#downloads`, "Correct"),
    invalid: link(`/batch/${id}#downloads`, "Correct"),
  };
  return acts[statusOf(record)];
}
