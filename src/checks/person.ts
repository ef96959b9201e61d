import { fieldsOf, OPERATIONS } from "../operations/index.ts";
import { oneSpelling, spelledName } from "../one-spelling.ts";
import { employeeColumnAt, type Columns } from "../reader/columns.ts";
import type { Row } from "../reader/row.ts";
import { wordsAt } from "./cells.ts";
import { isNothing } from "./not-a-value.ts";

/** By what a person is known again in another file (README §16), each in one spelling. */
export interface Person {
  readonly employee?: string | undefined;
  readonly mobile?: string | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
}

const FIELDS = OPERATIONS.flatMap(({ forms }) => forms.flatMap(fieldsOf));
const NAMES = FIELDS.filter(({ sensitive }) => sensitive === "name");
const MOBILES = FIELDS.filter(({ shape }) => shape === "mobile");
const EMAILS = FIELDS.filter(({ shape }) => shape === "email");

const MOBILE_DIGITS = 10;
const TEXT_CHARACTERS_MAX = 100;

/** Makes what gives whom a row speaks of, by columns of these names, whatever operation they are of. */
export function personReader({ names, sources }: Columns): ((row: Row) => Person) | undefined {
  const placeOf = (fields: readonly { readonly name: string }[]): number =>
    fields.map(({ name }) => sources.get(name)?.at ?? -1).find((at) => at >= 0) ?? -1;
  const at = {
    employee: employeeColumnAt(names),
    mobile: placeOf(MOBILES),
    email: placeOf(EMAILS),
    name: placeOf(NAMES),
  };
  // a name alone is nobody
  if (Math.max(at.employee, at.mobile, at.email) < 0) return undefined;
  return (row) =>
    personIn({
      employee: wordsAt(row, at.employee),
      mobile: wordsAt(row, at.mobile),
      email: wordsAt(row, at.email),
      name: wordsAt(row, at.name),
    });
}

/** What texts say of a person, each in its one spelling; nothing of one that cannot be such a thing. */
export function personIn({ employee, mobile, email, name }: Person): Person {
  return {
    // a spreadsheet takes zeros in front
    employee: oneSpelling(stated(employee)) || undefined,
    mobile: mobileIn(stated(mobile)),
    email: emailIn(stated(email)),
    name: spelledName(stated(name)) || undefined,
  };
}

function stated(text = ""): string {
  return text.length > TEXT_CHARACTERS_MAX || isNothing(text) ? "" : text;
}

/** Whatever stands in front of it for its country. */
function mobileIn(text: string): string | undefined {
  const digits = /^[0-9]*$/.test(text) ? text : text.replaceAll(/\D/g, "");
  return digits.length < MOBILE_DIGITS ? undefined : digits.slice(-MOBILE_DIGITS);
}

function emailIn(text: string): string | undefined {
  return /^[^@\s]+@[^@\s]+$/.test(text) ? text.toLowerCase() : undefined;
}
