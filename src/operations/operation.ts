import * as z from "zod/mini";

/** How a value is masked wherever it is shown (I10). */
export type Sensitivity = "account" | "vpa" | "mobile" | "email" | "name";

/**
 * What a field is beyond its schema. `text`: free text; `id`: text that a spreadsheet must not have changed; `amount`:
 * plain decimal text > 0, a JSON number with the digits of the file; `whole`: whole digits, a JSON number.
 */
export interface FieldFacts {
  readonly kind: "text" | "id" | "amount" | "whole";
  readonly sensitive?: Sensitivity;
  /** What its values look like, for checks beyond the kind and for what looks like another field's value. */
  readonly shape?: "account" | "ifsc" | "vpa" | "mobile" | "email" | "currency";
  /** Leading and trailing spaces and line breaks belong to the text. */
  readonly isLong?: true;
  /** One value for each example row of a template. */
  readonly examples: readonly [string, string];
  /** Names of other systems for the same thing, for `map` and for what a column may be. */
  readonly synonyms: readonly string[];
}

export const FIELD_FACTS: z.core.$ZodRegistry<FieldFacts> = z.registry<FieldFacts>();

/** `synonyms`: with a comma between them. */
type Facts = Omit<FieldFacts, "kind" | "synonyms"> & { readonly synonyms: string };

/** Digits as JSON writes a whole number. */
const WHOLE = /^(?:0|[1-9][0-9]{0,15})$/;
/** Plain decimal text > 0, as JSON writes numbers; how many digits is a setting. */
export const AMOUNT: RegExp = /^(?=.*[1-9])(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;
/** No control characters, and none that changes the direction of text. */
const ONE_LINE = /^[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+$/;
const MANY_LINES = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+$/;
/** Printable ASCII without leading or trailing space. */
export const ID: RegExp = /^[!-~](?:[ -~]*[!-~])?$/;
/** 6 to 34 letters and digits, four of them digits, also written in groups (README §6). */
export const ACCOUNT: RegExp =
  /^(?=(?:[A-Za-z -]*[0-9]){4})(?=(?:[ -]*[A-Za-z0-9]){6,34}$)[A-Za-z0-9]+(?:[ -]+[A-Za-z0-9]+)*$/;
export const IFSC: RegExp = /^[A-Za-z]{4}0[A-Za-z0-9]{6}$/;
export const VPA: RegExp = /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+$/;
/** Each of them is an id, too. */
const SHAPES: Readonly<Record<string, RegExp>> = { account: ACCOUNT, ifsc: IFSC, vpa: VPA };

/** Text in a file that has this form, and is not empty. */
function field(kind: FieldFacts["kind"], facts: Facts, form: RegExp): z.ZodMiniString {
  const schema = z.string().check(z.regex(form));
  return schema.register(FIELD_FACTS, { kind, ...facts, synonyms: facts.synonyms.split(", ") });
}

export const text = (facts: Facts): z.ZodMiniString => field("text", facts, facts.isLong ? MANY_LINES : ONE_LINE);
export const id = (facts: Facts): z.ZodMiniString => field("id", facts, SHAPES[facts.shape ?? ""] ?? ID);
export const amount = (facts: Facts): z.ZodMiniString => field("amount", facts, AMOUNT);
export const whole = (facts: Facts): WholeSchema => field("whole", facts, WHOLE) as WholeSchema;

/** A caller of the library gives a whole number as a number: only the type says so. */
export interface WholeSchema extends z.ZodMiniString {
  readonly isWhole: true;
}

/** The fields of a request body in the order of the interface, and what they mean together. */
export interface Form {
  /** Payouts have two forms (§2.5), all others one. */
  readonly option?: "A" | "B";
  readonly schema: z.ZodMiniObject;
  /** The field that says who receives or owes the money. */
  readonly payee: string;
  /** What makes a payment beside payee and amount (README §2). */
  readonly alsoPayment?: readonly string[];
}

/** One operation of §1: everything that is particular to it. Adding one is adding such a file and naming it once. */
export interface Operation<Name extends string = string> {
  readonly name: Name;
  /** Its folder in an inbox, and its plural in sentences. */
  readonly folder: string;
  readonly method: string;
  /** Path of the endpoint below the base URL (§4). */
  readonly path: string;
  /** The payload travels encrypted in the envelope (§2.4). */
  readonly encrypted: boolean;
  /** The field that names the account to debit, for sums per account. */
  readonly debit?: string;
  readonly party: "payee" | "borrower" | "payer";
  /**
   * It takes money: where a file does not say its operation, columns that it does not know must speak of that (`by`), and
   * none of somebody who is paid (`not`).
   */
  readonly meant?: { readonly by: readonly RegExp[]; readonly not: readonly RegExp[] };
  /** What a 2xx means, and no more (§4). */
  readonly accepted: string;
  readonly forms: readonly Form[];
}

/** Keeps the literal types of names, forms and method. */
export function operation<const One extends Operation>(one: One): One {
  return one;
}
