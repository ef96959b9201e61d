import * as z from "zod/mini";
import { canonicalAmount, isMoneyBack, PLAIN_DECIMAL, unitsOf } from "../amount.ts";
import { normalizeName } from "../column-name.ts";
import { PATTERN_VALUE_MAX, type Config, type FieldRules, type OperationRules } from "../config/schema.ts";
import { maskNumbers, maskStrayAmount } from "../mask.ts";
import { oneSpelling, zerosInFront } from "../one-spelling.ts";
import { fieldsOf, OPERATIONS, type Field, type OperationName } from "../operations/index.ts";
import { ID, type Form, type Operation } from "../operations/operation.ts";
import type { Columns } from "../reader/columns.ts";
import { createCannotBe, type Finding, type Place } from "./not-a-value.ts";

/** What goes of a row, or would, by the `nth` of its field. */
export type Values = readonly (string | undefined)[];

/** One form of an operation for one set of columns: worked out once, used for every row. */
export type FormInFile = ReturnType<typeof formInFile>;
export type FieldInFile = FormInFile["payee"];

/** The forms of an operation that a file has columns for; all of them where it has none of their own. */
export function formsInFile(operation: Operation<OperationName>, columns: Columns, config: Config) {
  const forms = operation.forms.map((form) => formInFile(operation, form, columns, config));
  const inFile = forms.filter(({ own }) => own.length > 0);
  return inFile.length > 0 ? inFile : forms;
}

const BANK_NAMES = ["bankname", "bank", "beneficiarybank", "bankid"] as const;

function formInFile(operation: Operation<OperationName>, form: Form, columns: Columns, config: Config) {
  const { fields: rulesOf, max_per_row: cap }: OperationRules = config.rules[operation.folder] ?? { fields: {} };
  const fields = fieldsOf(form).map((field, nth) => {
    return { ...fieldInFile(form, field, rulesOf[field.name] ?? {}, columns, config), nth };
  });
  const named = (name: string): (typeof fields)[number] => {
    const field = fields.find((one) => one.name === name);
    if (!field) throw new Error(`there is no field ${name}`);
    return field;
  };
  const names = columns.names.map(normalizeName);
  const others = new Set(operation.forms.filter((one) => one !== form).flatMap((one) => Object.keys(one.schema.shape)));
  return {
    ...{ form, fields, config, cap, operation: operation.name, isPaise: columns.amountUnit === "paise" },
    ...{ payee: named(form.payee), amount: named("amount"), alsoPayment: form.alsoPayment?.map(named) ?? [] },
    /** The texts of its payees begin with it. */
    payees: payeesOf(operation, form),
    debit: operation.debit === undefined ? undefined : named(operation.debit),
    mobile: fields.find(({ shape }) => shape === "mobile"),
    narration: fields.find(({ name }) => name === "narration"),
    ifsc: fields.find(({ shape }) => shape === "ifsc"),
    /** Position of what the row says the bank is called, in a column of the user's own or in `bank_id`; -1: nowhere. */
    bankNameAt: BANK_NAMES.map((name) => names.indexOf(name)).find((at) => at >= 0) ?? -1,
    /** Positions of columns for fields that no other form of the operation has. */
    own: fields.flatMap(({ name, source }) => (others.has(name) || source === undefined ? [] : [source.at])),
  };
}

function payeesOf(operation: Operation<OperationName>, { payee }: Form): string {
  return operation.name + SEPARATOR + payee + SEPARATOR;
}

/** What the payee `text` would be in each operation and form: the same text as that of a row that pays it. */
export function payeeTexts(text: string): readonly string[] {
  return OPERATIONS.flatMap((operation) =>
    operation.forms.map((form) => {
      const field = fieldsOf(form).find(({ name }) => name === form.payee);
      return payeesOf(operation, form) + (field ? canonical(field, text) : text);
    }),
  );
}

function fieldInFile(form: Form, field: Field, rules: FieldRules, { sources }: Columns, config: Config) {
  const { default: usual, ...facts } = field;
  const { name, kind } = facts;
  const place = { ...facts, rules, required: rules.required ?? facts.required };
  const source = sources.get(name);
  const isText = kind === "text" || kind === "id";
  return {
    ...{ ...place, source, isText },
    default: rules.required === true ? undefined : usual,
    /** As it stands in the payload: `"amount":`. */
    key: `${JSON.stringify(name)}:`,
    /** An empty cell puts `""` into the payload. */
    sendsEmpty: isText && source !== undefined && config.empty_fields === "send",
    pattern: rules.pattern === undefined ? undefined : new RegExp(`^(?:${rules.pattern})$`, "v"),
    ...takesOf(form, place),
    cannotBe: createCannotBe(place),
    /** The last value that may go: many columns say the same in every row. */
    passed: "",
  };
}

/**
 * `takes`: whether the field's schema takes a text, by its one pattern: to run zod for every value takes ten times as long.
 * But a pattern of the settings says what an account is, not we. `beyond`: what the operation asks for beyond the kind (a
 * length, a pattern of its own), and a text of that kind lacks.
 */
function takesOf({ schema }: Form, { name, shape, rules }: Field & { readonly rules: FieldRules }) {
  const own = schema.shape[name] as z.ZodMiniType;
  const { innerType = own } = own._zod.def as { innerType?: z.ZodMiniType };
  const { checks = [] } = innerType._zod.def;
  const [pattern, ...more] = checks.map(({ _zod }) => (_zod.def as Partial<z.core.$ZodCheckRegexDef>).pattern);
  const form = shape === "account" && rules.pattern !== undefined ? ID : pattern;
  const takes = (value: string): boolean =>
    form && more.length === 0 ? form.test(value) : z.safeParse(innerType, value).success;
  const beyond = (value: string): Finding | undefined => {
    const [issue] = form?.test(value) ? (z.safeParse(innerType, value).error?.issues ?? []) : [];
    return issue && findingOf(issue, value);
  };
  return { takes, beyond };
}

function findingOf(issue: z.core.$ZodIssue, value: string): Finding {
  // as zod counts
  const { length } = value;
  if (issue.code === "too_big")
    return { code: "value_too_long", facts: { found: length, most: Number(issue.maximum) } };
  if (issue.code === "too_small")
    return { code: "value_too_short", facts: { found: length, least: Number(issue.minimum) } };
  const { pattern = "that the service takes" } = issue as Partial<z.core.$ZodIssueInvalidStringFormat>;
  const found = maskNumbers(pattern.replace(/^\/\^?|\$?\/[a-z]*$/g, ""));
  return { code: "pattern_differs", facts: { found, by: "operation" } };
}

/** Why a value cannot go: what stands there is something else, or the settings say no. */
export function refusal(value: string, field: FieldInFile, form: FormInFile): Finding | undefined {
  if (value === field.passed) return undefined;
  const finding = field.takes(value) ? otherRefusal(value, field, form) : schemaFinding(value, field);
  if (!finding) field.passed = value;
  return finding;
}

function otherRefusal(value: string, field: FieldInFile, form: FormInFile): Finding | undefined {
  if (field.kind === "amount") return amountRefusal(value, form);
  return (field.isText ? field.cannotBe(value) : undefined) ?? ruleRefusal(value, field);
}

function amountRefusal(value: string, { config, cap }: FormInFile): Finding | undefined {
  const { amount_digits_max: digitsMax, amount_decimals_max: decimalsMax } = config;
  const point = value.indexOf(".");
  const decimals = point < 0 ? 0 : value.length - point - 1;
  const found = point < 0 ? value.length : value.length - 1;
  if (found > digitsMax) return { code: "amount_too_many_digits", facts: { found, most: digitsMax } };
  if (decimals > decimalsMax) {
    const isAsked = value.endsWith("0") && pointThousands(value, decimalsMax);
    return isAsked || { code: "amount_too_many_decimals", facts: { found: decimals, most: decimalsMax } };
  }
  const isOver = cap !== undefined && unitsOf(value) > unitsOf(cap);
  return isOver ? { code: "amount_over_cap", facts: { most: cap } } : undefined;
}

/** `1.250`: where a point separates thousands, it is a thousand times what it says. */
export function pointThousands(value: string, decimalsMax: number): Finding | undefined {
  const [, whole = "", three = ""] = /^([1-9][0-9]{0,2})[.,]([0-9]{3})$/.exec(value) ?? [];
  if (whole === "") return undefined;
  const cut = three.replace(/0+$/, "");
  const decimal = whole + (cut === "" ? "" : `.${cut}`);
  return { code: "point_thousands", facts: { grouped: whole + three, ...(cut.length <= decimalsMax && { decimal }) } };
}

const ALLOWED_SHOWN = 8;

function ruleRefusal(value: string, { rules, pattern, sensitive }: FieldInFile): Finding | undefined {
  const { allowed, min_length: least = 0, max_length: most = Number.POSITIVE_INFINITY } = rules;
  if (allowed && !allowed.includes(value)) {
    // a list of accounts is not shown (I10)
    const shown = sensitive === undefined ? allowed.slice(0, ALLOWED_SHOWN).join(", ") : "those of the settings";
    return { code: "value_not_allowed", facts: { known: shown + (allowed.length > ALLOWED_SHOWN ? " …" : "") } };
  }
  if (pattern && (value.length > PATTERN_VALUE_MAX || !pattern.test(value))) {
    return { code: "pattern_differs", facts: { found: maskNumbers(rules.pattern ?? "") } };
  }
  if (value.length <= most && least === 0) return undefined;
  // as a person counts: a surrogate pair is one character
  const found = Array.from(value).length;
  if (found > most) return { code: "value_too_long", facts: { found, most } };
  return found < least ? { code: "value_too_short", facts: { found, least } } : undefined;
}

/** The fault of a row that takes from its payee: the other rows of that payee wait, and all rows where nobody is named. */
export const TAKES_BACK = "takes_back";

function schemaFinding(value: string, field: FieldInFile): Finding {
  const { kind, shape } = field;
  const beyond = field.beyond(value);
  if (kind === "amount" && isMoneyBack(value)) return { code: TAKES_BACK };
  if (kind === "amount" && !beyond && PLAIN_DECIMAL.test(value.replace(/^-/, "")))
    return { code: "amount_not_positive" };
  const finding = field.cannotBe(value) ?? beyond;
  if (finding) return finding;
  if (kind === "amount") return { code: "not_a_number", facts: { plain: plainNumber(value) } };
  const whole = kind === "whole" ? plainNumber(value)?.replace(/\.0+$/, "") : undefined;
  if (kind === "whole") return { code: "not_a_number", facts: { plain: whole?.includes(".") ? undefined : whole } };
  if (kind === "id" && shape !== undefined) return { code: "malformed", facts: { found: value.length } };
  return { code: "hidden_character", facts: { found: "?" } };
}

const GROUPS: Readonly<Record<Exclude<Config["amount_format"], "plain">, RegExp>> = {
  indian: /^([1-9][0-9]?(?:,[0-9]{2})*,[0-9]{3})(?:\.([0-9]+))?$/,
  western: /^([1-9][0-9]{0,2}(?:,[0-9]{3})+)(?:\.([0-9]+))?$/,
  european: /^([1-9][0-9]{0,2}(?:\.[0-9]{3})+|[0-9]+)(?:,([0-9]+))?$/,
};

function ungrouped(written: string, format: keyof typeof GROUPS): string | undefined {
  const [, whole, decimals] = GROUPS[format].exec(written) ?? [];
  return whole && whole.replace(/[.,]/g, "") + (decimals === undefined ? "" : `.${decimals}`);
}

/**
 * The amount to send. Groups in a text, at their exact places, are taken out as the settings say; paise become rupees.
 * What is no such number stays as it is, to be told as that.
 */
export function readAmount(written: string, isText: boolean, { config, isPaise }: FormInFile): string | Finding {
  const format = isText ? config.amount_format : "plain";
  const read = format === "plain" ? undefined : ungrouped(written, format);
  if (format === "european" && read === undefined && PLAIN_DECIMAL.test(written)) return { code: "not_a_number" };
  const plain = read ?? written;
  if (!isPaise || !PLAIN_DECIMAL.test(plain)) return plain;
  if (plain.includes(".")) return { code: "paise_with_point" };
  const digits = plain.padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Of `1,00,000.00`, `₹ 500`, `Rs. 1,250/-` the plain number that was surely meant. */
function plainNumber(written: string): string | undefined {
  const bare = written.replace(/^(?:₹|rs\.?|inr)\s*|\s*\/-$/gi, "");
  const isEuropean = /^[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?$/.test(bare);
  const plain = ungrouped(bare, "indian") ?? ungrouped(bare, isEuropean ? "european" : "western") ?? bare;
  // many digits may be an account from another column (I10)
  return PLAIN_DECIMAL.test(plain) && maskStrayAmount(plain) === plain ? plain : undefined;
}

/** Stands before each part of a payment's or payee's text: no value can hold it. */
const SEPARATOR = "\u001f";

/** The payment, one text for equal ones (README §2). Never logged or stored in clear. */
export function paymentText({ amount, alsoPayment }: FormInFile, payee: string, values: Values): string {
  let joined = payee + SEPARATOR + canonicalAmount(values[amount.nth] ?? "");
  for (const field of alsoPayment) joined += SEPARATOR + canonical(field, values[field.nth] ?? "");
  return joined;
}

/** One spelling for equal values: `0012` and `12` are (README §2, §7), for a spreadsheet takes zeros in front. */
export function canonical({ kind, shape }: Place, value: string): string {
  if (shape === "vpa" || shape === "currency") return value.toLowerCase();
  return kind === "id" ? oneSpelling(ungroupedAccount(shape, value)) : value;
}

/** How many zeros stand in front of a value of digits only. */
export function zerosOf({ kind, shape }: Place, value: string): number {
  return kind === "id" && shape !== "vpa" ? zerosInFront(ungroupedAccount(shape, value)) : 0;
}

/**
 * How a payee is written, but for its zeros, where that is not the one spelling (`spelled`): two that are written alike are
 * surely one. In a UPI id capitals are nothing.
 */
export function writtenAs({ shape }: Place, value: string, spelled: string, zeros: number): string | undefined {
  if (shape === "vpa") return undefined;
  const written = zeros > 0 ? value.replace(/^0+/, "") : value;
  return written === spelled ? undefined : written;
}

const GROUP_SIGN = /[ -]/;

/** An account has no signs of its own: in an id, `12-345` and `123-45` are two. */
function ungroupedAccount(shape: Place["shape"], value: string): string {
  return shape === "account" && GROUP_SIGN.test(value) ? value.replaceAll(/[ -]+/g, "") : value;
}
