/**
 * A year of made-up files: what was in them, what became of each row, and when. Its sums are kept here, and shared with
 * nothing that is tested.
 */

export interface Person {
  readonly number: string;
  readonly name: string;
  readonly mobile: string;
  readonly email: string;
  readonly account: string;
  readonly debit: string;
}

/** One row of a file, as it is at the end of the year. */
export interface Line {
  readonly file: string;
  readonly row: number;
  readonly who: Person;
  /** In paise. */
  readonly paise: number;
  readonly reference: string;
  /** What the service does when it comes first. */
  readonly answer: "yes" | "500" | "nothing";
  readonly status: string;
  /** When it left last, or else its file was taken. */
  readonly at: number;
  readonly decision?: Decision | undefined;
}

interface Decision {
  readonly by: string;
  /** As the ledger says it. */
  readonly kind: "settle done" | "settle not-done" | "release" | "cancel";
  readonly why: string;
}

/** In their order: a file is run; or people act on rows of one. */
export type Happening = { readonly at: number } & (
  | { readonly kind: "file"; readonly name: string; readonly content: string; readonly period?: string }
  | { readonly kind: "month_end"; readonly sheet: ReadonlyMap<string, Settled> }
  | {
      readonly kind: "release" | "cancel";
      readonly name: string;
      readonly rows?: readonly number[];
      readonly decision: Decision;
    }
);

/** What finance finds in the service's dashboard. */
interface Settled {
  readonly as: "done" | "not-done";
  readonly note: string;
}

export const RELEASED: Decision = { by: "meena", kind: "release", why: "asked by phone, the old number" };
export const CANCELLED: Decision = { by: "ravi", kind: "cancel", why: "she never asked for it" };
const TOO_EARLY: Decision = { by: "ravi", kind: "cancel", why: "the file of this month under another name" };
export const CANCELLED_WEEK = "2026-W52 again";
const DONE: Settled = { as: "done", note: "dashboard: there is an entry" };
const NOT_DONE: Settled = { as: "not-done", note: "dashboard: no entry" };

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FIRST =
  "Asha Ravi Meena Kavya Arjun Divya Farhan Gita Hari Isha Jai Kiran Lata Mohan Nisha Om Priya Rohan Sana Tara Uma Vikram Yash Zoya";
const LAST = "Rao Kumar Das Iyer Khan Nair Patel Reddy Shah Singh Thomas Verma Bose";
/** Salaries of 200, invoices of 40, 8 who join; then 40 who are paid by the week. */
const [SALARIED, MONTHLY, JOINED, ALL] = [200, 240, 248, 288];
const LEAVE_FROM = 190;
/** The account of 33 is a thief's. */
const NEW_ACCOUNTS = [
  { index: 21, month: 3, isTheft: false },
  { index: 33, month: 5, isTheft: true },
  { index: 57, month: 9, isTheft: false },
] as const;

const pad = (value: number, length: number): string => String(value).padStart(length, "0");

function personAt(index: number): Person {
  const [first = "", last = ""] = [FIRST.split(" ")[index % 24], LAST.split(" ")[Math.floor(index / 24)]];
  const kind = index < MONTHLY ? "C" : index < JOINED ? "E" : "W";
  const end = index === 11 || index === 251 ? 8901 : 1000 + ((index * 37) % 7001);
  return {
    // zeros that spreadsheets like to take
    number: index < 80 ? `00${410_101 + index}` : `${index < SALARIED ? "E" : kind}/0${index}`,
    name: `${first} ${last}`,
    mobile: `98${20_000_000 + index * 104_729}`,
    email: `${first}.${last}@staff.example`.toLowerCase(),
    account: `${index % 7 === 0 ? "000" : "501"}${10_000_000 + index * 61_195}${end}`,
    debit: index % 3 === 2 ? "ACC-FIELD-02" : "ACC-OPS-01",
  };
}

/** In rupees: a raise in April for some, never a fraction. */
function salaryOf(index: number, month: number): number {
  const rupees = index % 48 === 0 ? 25_000 : 18_000 + ((index * 79) % 600) * 100;
  return index % 6 === 1 && month >= 4 ? (rupees * 105) / 100 : rupees;
}

const HEADER =
  "employee_no,debit_account_id,name,mobile,email,bank_acc_num,ifsc_code,bank_owner_name,bank_id,amount,payment_mode,reference";

function contentOf(lines: readonly Line[]): string {
  const rows = lines.map(({ who, paise, reference }) =>
    [
      ...[who.number, who.debit, who.name, who.mobile, who.email, who.account, "EXMB0100200", who.name, "EXMB"],
      ...[rupeesOf(paise), "NEFT", reference],
    ].join(),
  );
  return [HEADER, ...rows, ""].join("\n");
}

export const rupeesOf = (paise: number): string => `${Math.floor(paise / 100)}.${pad(paise % 100, 2)}`;

/** The sum of rows, as it is printed. */
export function sumOf(lines: readonly Line[]) {
  return { rows: lines.length, amount: rupeesOf(lines.reduce((sum, { paise }) => sum + paise, 0)) };
}

/** The day of a row, where clocks are so many minutes ahead of UTC. */
export const dayIn = ({ at }: Pick<Line, "at">, minutesAhead = 0): string =>
  new Date(at + minutesAhead * 60_000).toISOString().slice(0, 10);

/** Sums by what `by` says of a row, in the order of these texts. */
export function sumsBy(lines: readonly Line[], by: (line: Line) => readonly string[]): string[][] {
  const groups = Map.groupBy(lines, (line) => by(line).join());
  return [...groups]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, all]) => {
      const { rows, amount } = sumOf(all);
      return [...key.split(","), String(rows), amount];
    });
}

type Draft = Pick<Line, "who" | "paise" | "reference"> & Partial<Line>;

export class Year {
  readonly lines: Line[] = [];
  readonly happenings: Happening[] = [];
  #invoices = 0;
  #unclear = 0;

  constructor() {
    for (let month = 1; month <= 12; month += 1) this.#salaries(month);
    for (let week = 1; week <= 52; week += 1) this.#wages(week);
    for (let month = 1; month <= 12; month += 1) this.#monthEnd(month);
    this.happenings.sort((one, other) => one.at - other.at);
  }

  #salaries(month: number): void {
    const at = Date.UTC(2026, month - 1, 28, 9, 30);
    const name = `payroll-2026-${pad(month, 2)}.csv`;
    const isThere = (index: number): boolean =>
      index < MONTHLY ? !(index >= LEAVE_FROM && index < LEAVE_FROM + month - 3) : index < MONTHLY + month - 1;
    const indexes = Array.from({ length: JOINED }, (_, index) => index).filter(isThere);
    const drafts = indexes.map((index, place): Draft => {
      const isInvoice = index >= SALARIED && index < MONTHLY;
      const reference = isInvoice ? `INV-${(this.#invoices += 1)}` : "";
      const draft = { who: whoIn(index, month), paise: salaryOf(index, month) * 100, reference };
      return place === 50 + month * 5 || place === 200 + month * 2 ? this.#unclearly(draft, at) : draft;
    });
    for (const { index, isTheft } of NEW_ACCOUNTS.filter((change) => change.month === month)) {
      const draft = drafts[index] as Draft;
      const decided = isTheft ? { status: "cancelled", decision: CANCELLED } : { at: at + DAY, decision: RELEASED };
      drafts[index] = { ...draft, ...decided };
    }
    const lines = this.#drop(name, at, drafts);
    for (const line of lines) {
      if (line.decision !== CANCELLED && line.decision !== RELEASED) continue;
      this.#decide(at + DAY, line.decision, name, [line.row]);
      if (line.decision === RELEASED) continue;
      const who = personAt(NEW_ACCOUNTS[1].index);
      this.#drop(`payroll-2026-${pad(month, 2)}-corrected.csv`, at + DAY + HOUR, [{ ...line, who }].map(asDraft));
    }
    if (month === 6) this.#tooEarly("payroll-2026-07.csv", at + HOUR, lines);
    if (month !== 10) return;
    const salaried = drafts.filter(({ reference }) => reference === "").map(asDraft);
    const bonus = salaried.map((draft) => ({ ...draft, paise: draft.paise / 2 }));
    this.#drop("bonus-2026-10.csv", at - 13 * DAY, bonus, "2026-10 bonus");
  }

  /** The same amounts each week; on Friday evening, which is Saturday in India. */
  #wages(week: number): void {
    const at = Date.UTC(2026, 0, 2 + 7 * (week - 1), 19, 30);
    const indexes = Array.from({ length: ALL - JOINED }, (_, place) => JOINED + place);
    const drafts = indexes.map((index, place): Draft => {
      const draft = { who: personAt(index), paise: (3000 + (place % 9) * 50) * 100, reference: "" };
      return week % 3 === 0 && week <= 48 && place === (week * 7) % 40 ? this.#unclearly(draft, at) : draft;
    });
    // the file of the last week was cancelled a week ago: the same bytes go by another word
    const lines = this.#drop(nameOfWeek(week), at, drafts, week === 52 ? CANCELLED_WEEK : undefined);
    if (week === 51) this.#tooEarly(nameOfWeek(52), at + HOUR, lines);
  }

  /** The file of now under the next period, an hour later: all of it is asked about, and nothing goes. */
  #tooEarly(name: string, at: number, lines: readonly Line[]): void {
    // what was accepted with its reference is surely the same; of the rest somebody is asked
    const drafts = lines.map((line): Draft => {
      if (line.reference !== "" && line.answer === "yes") return { ...asDraft(line), status: "duplicate" };
      return { ...asDraft(line), status: "cancelled", decision: TOO_EARLY };
    });
    this.#drop(name, at, drafts);
    this.#decide(at + HOUR, TOO_EARLY, name);
  }

  /** A row without a clear answer, and what people find out about it by the end of its month. */
  #unclearly(draft: Draft, at: number): Draft {
    const count = (this.#unclear += 1);
    const settled = [DONE, DONE, NOT_DONE, NOT_DONE, undefined][count % 5];
    const answer = count % 2 === 0 ? "500" : "nothing";
    if (!settled) return { ...draft, answer, status: "unknown" };
    const decision: Decision = { by: "ravi", kind: `settle ${settled.as}`, why: settled.note };
    if (settled === DONE) return { ...draft, answer, status: "settled_done", decision };
    // sent again then
    return { ...draft, answer, at: monthEnd(new Date(at).getUTCMonth() + 1), decision };
  }

  #decide(at: number, decision: Decision, name: string, rows?: readonly number[]): void {
    const kind = decision === RELEASED ? "release" : "cancel";
    this.happenings.push({ at, kind, name, decision, ...(rows && { rows }) });
  }

  #monthEnd(month: number): void {
    const isThen = ({ decision, at }: Line): boolean =>
      decision?.kind.startsWith("settle") === true && new Date(at).getUTCMonth() === month - 1;
    const sheet = this.lines.filter(isThen).map(({ file, row, decision }) => {
      return [`${file}:${row}`, decision?.why === DONE.note ? DONE : NOT_DONE] as const;
    });
    this.happenings.push({ at: monthEnd(month), kind: "month_end", sheet: new Map(sheet) });
  }

  #drop(file: string, at: number, drafts: readonly Draft[], period?: string): readonly Line[] {
    const usual = { answer: "yes", status: "accepted", at } as const;
    const lines = drafts.map((draft, place): Line => ({ ...usual, ...draft, file, row: place + 2 }));
    this.lines.push(...lines);
    this.happenings.push({ at, kind: "file", name: file, content: contentOf(lines), ...(period && { period }) });
    return lines;
  }
}

const nameOfWeek = (week: number): string => `wages-2026-W${pad(week, 2)}.csv`;
/** A row as it stands in another file. */
const asDraft = ({ who, paise, reference }: Draft): Draft => ({ who, paise, reference });
const monthEnd = (month: number): number => Date.UTC(2026, month, 0, 22);

/** With the account that the file of that month says. */
function whoIn(index: number, month: number): Person {
  const person = personAt(index);
  const change = NEW_ACCOUNTS.find(
    (one) => one.index === index && (one.isTheft ? month === one.month : month >= one.month),
  );
  return change ? { ...person, account: `60300${pad(index * 77_777_777, 10)}` } : person;
}
