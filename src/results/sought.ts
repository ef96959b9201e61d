import { canonicalAmount } from "../amount.ts";
import { payeeTexts } from "../checks/form.ts";
import { personIn } from "../checks/person.ts";
import { keyOf, personKeysOf } from "../duplicates/keys.ts";
import type { ResultStatus } from "../events.ts";
import { amountKey, last4Key } from "../journal/row-keys.ts";
import type { BatchRecord, FoundBy, RowRecord } from "../journal/store.ts";
import { oneSpelling } from "../one-spelling.ts";
import { statusOf } from "./totals.ts";

/** So far back copies of files are read unless somebody says since when. */
export const SOUGHT_DAYS = 92;

/** What is looked for; all that is given must be true of a row. */
export interface Sought {
  /** A name, a reference, an employee number, an account, or the last four of its digits. */
  readonly text?: string | undefined;
  readonly amount?: string | undefined;
  /** The account to debit, or the last four of it. */
  readonly debit?: string | undefined;
  readonly statuses?: readonly ResultStatus[] | undefined;
  /** Of rows that were held for this (`other_account`), whatever became of them. */
  readonly heldFor?: string | undefined;
  /** From then on, and before then: when a row was sent, or its file taken. Milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** By what the journal finds the rows at once, where it can: a name stands in the files alone. `secret`: of its keys. */
export function keysOf({ text, amount }: Sought, secret: string): readonly FoundBy[] | undefined {
  const byText = text !== undefined && /[0-9@]/.test(text) ? textKeys(text.trim(), secret) : undefined;
  if (text !== undefined || amount === undefined) return byText;
  return [{ key: amountKey(canonicalAmount(amount)), isPayee: false }];
}

function textKeys(text: string, secret: string): readonly FoundBy[] {
  const spelled = oneSpelling(text);
  const { named: _named, ...people } = personKeysOf(secret, personIn({ employee: text, mobile: text, email: text }));
  const keys = [keyOf(secret, "reference", spelled), ...Object.values(people).filter((key) => key !== undefined)];
  if (spelled.length === 4) keys.push(last4Key(spelled));
  // zeros in front of four digits
  else if (/^\d{4}$/.test(text)) keys.push(last4Key(text));
  return [
    ...keys.map((key) => ({ key, isPayee: false })),
    ...payeeTexts(text).map((payee) => ({ key: keyOf(secret, "payee", payee), isPayee: true })),
  ];
}

/** Whether a row is meant, by what the journal knows: its status, and when it was sent or its file taken. */
export function meantIn(batch: BatchRecord, record: RowRecord, sought: Sought) {
  const { statuses, amount, heldFor, since = 0, until = Infinity } = sought;
  const [status, at] = [statusOf(record), record.sentAt ?? batch.createdAt];
  const isThen = at >= since && at < until;
  const isAmount = amount === undefined || (record.amount !== undefined && canonicalAmount(record.amount) === amount);
  const wasHeld = heldFor === undefined || record.reasons.some(({ code }) => code === heldFor);
  return isThen && isAmount && wasHeld && (!statuses || statuses.includes(status)) ? { status, at } : undefined;
}

const plain = (text: string): string => text.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim();
const digitsIn = (text: string): string => (/^[\d\s-]+$/.test(text) ? text.replaceAll(/\D/g, "") : "");

/** Four digits are the last ones of a longer number, or all of the cell; anything else may stand in the middle of it. */
export function holding(text: string): (cell: string) => boolean {
  if (/^\d{1,4}$/.test(text)) return sameAs(text);
  const [words, digits] = [plain(text), digitsIn(text)];
  return (cell) => plain(cell).includes(words) || (digits.length > 4 && digitsIn(cell) === digits);
}

/** Nine and more: an account or a mobile; letters in front are a bank's own. */
const ACCOUNT = /^[A-Z]{0,6}\d{8,}$/i;

export function sameAs(text: string): (cell: string) => boolean {
  const [words, isEnd] = [plain(text), /^\d{4}$/.test(text)];
  const endsIn = (number: string): boolean => ACCOUNT.test(number) && number.endsWith(text);
  return (cell) => plain(cell) === words || (isEnd && endsIn(cell.replaceAll(/[\s-]/g, "")));
}
