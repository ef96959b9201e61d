import { withoutGroups, withoutGroupsOfAccount } from "../account.ts";
import { canonicalAmount } from "../amount.ts";
import type { Choices } from "../config/config.ts";
import type { Field, Form, Operation } from "../operations/operation.ts";
import { positionIn, type ColumnPlan } from "./columns.ts";
import { amountReaderOf, type ReadAmount } from "./cells/group-digits.ts";
import { inspectGarbled } from "./cells/garbled-letters.ts";
import { inspectFilled, inspectIdFilled } from "./cells/placeholder.ts";
import {
  inspectId,
  inspectIfsc,
  inspectLostDigits,
  inspectOtherId,
  inspectVpa,
  inspectVpaHost,
} from "./cells/read-id.ts";
import { inspectCurrency } from "./cells/read-text.ts";
import { inspectWhole } from "./cells/read-number.ts";
import { compileRules, type CompiledRules, type KnownValues } from "./rules.ts";
import type { Finding } from "./sentences.ts";
import { inspectTextError } from "./cells/spreadsheet.ts";
import { inspectWriting } from "./cells/writings.ts";

/** The named choices that the checks depend on. */
export type CheckChoices = Pick<
  Choices,
  | "emptyFields"
  | "amountDigitsMax"
  | "amountDecimalsMax"
  | "ifscFormat"
  | "ownColumns"
  | "numberGrouping"
  | "decimalSign"
  | "rules"
>;

/** Looks at a text, and gives what is to be said about it, if anything is. */
export type Inspect = (text: string) => Finding | undefined;

export interface CompiledField {
  readonly field: Field;
  /** Position of the field's cell in a row; -1 where no column holds it. */
  readonly index: number;
  /** The key as it stands in the payload: `"amount":`. */
  readonly key: string;
  /** The value is sent as a JSON string; otherwise as a number. */
  readonly isText: boolean;
  /** Only of an amount that the user writes in groups or with a comma: gives its plain decimal text. */
  readonly read?: ReadAmount;
  /** Finds what the field's kind and the rules forbid, beyond what no text may hold. */
  readonly inspect?: Inspect;
  /** Find what is only pointed out: the value goes all the same. */
  readonly advise: readonly Inspect[];
  readonly advisesEmpty: boolean;
  /** Gives one spelling for equal values, where a value has several (DESIGN §7). */
  readonly canonical?: (value: string) => string;
  /** What an empty cell puts into the payload; undefined: nothing. */
  readonly whenEmpty?: string;
}

/** One form of an operation for one set of columns: worked out once, used for every row. */
export interface CompiledForm {
  readonly operation: Operation;
  readonly form: Form;
  readonly fields: readonly CompiledField[];
  /** Positions in `fields`. */
  readonly core: readonly number[];
  readonly beneficiary: readonly number[];
  readonly account?: readonly number[];
  readonly amountAt: number;
  readonly debitAt: number;
}

export function compileForm(
  operation: Operation,
  form: Form,
  plan: ColumnPlan,
  choices: CheckChoices,
  known?: KnownValues,
): CompiledForm {
  const rules = choices.rules[operation.folder];
  const fields = form.fields.map((field) =>
    compileField(field, form, plan, choices, compileRules(field, rules, known)),
  );
  const at = (name: string): number => form.fields.findIndex((field) => field.name === name);
  return {
    operation,
    form,
    fields,
    core: form.coreFields.map(at),
    beneficiary: form.beneficiaryFields.map(at),
    ...(form.accountFields ? { account: form.accountFields.map(at) } : {}),
    amountAt: form.fields.findIndex((field) => field.kind === "amount"),
    debitAt: operation.debitField === undefined ? -1 : at(operation.debitField),
  };
}

function compileField(
  field: Field,
  form: Form,
  plan: ColumnPlan,
  choices: CheckChoices,
  rules: CompiledRules,
): CompiledField {
  const isText = field.kind === "text" || field.kind === "id";
  const index = positionIn(plan, field.name);
  const inspect = rememberingLast(firstOf([inspectorOf(field, form, choices) ?? [], rules.inspect].flat()));
  const read = field.kind === "amount" ? amountReaderOf(choices) : undefined;
  const canonical = canonicalOf(field);
  return {
    field,
    index,
    key: `${JSON.stringify(field.name)}:`,
    isText,
    ...(inspect ? { inspect } : {}),
    ...(read ? { read } : {}),
    advise: [...adviceOf(field, choices), ...rules.advise],
    advisesEmpty: rules.advisesEmpty,
    ...(canonical ? { canonical } : {}),
    ...(isText && index >= 0 && choices.emptyFields === "send" ? { whenEmpty: '""' } : {}),
  };
}

/** Makes one spelling of `100` and `100.00`, of `INR` and `inr`, of `5010 0271 8280` and `501002718280`. */
export function canonicalOf(field: Field): CompiledField["canonical"] {
  if (field.kind === "amount") return canonicalAmount;
  if (field.account === "number") return withoutGroups;
  if (field.account === "number_or_id") return withoutGroupsOfAccount;
  const hasCases = field.kind === "text" || field.shape === "ifsc" || field.sensitive === "vpa";
  return hasCases ? (value) => value.toLowerCase() : undefined;
}

/** All looks as one, of which the first finding counts: a value that is no number is not also over its cap. */
function firstOf(all: readonly Inspect[]): Inspect | undefined {
  if (all.length <= 1) return all[0];
  return (text) => {
    for (const inspect of all) {
      const finding = inspect(text);
      if (finding) return finding;
    }
    return undefined;
  };
}

/** The same look, which remembers the last good text: rows of a file mostly name the same account. */
function rememberingLast(inspect: Inspect | undefined): Inspect | undefined {
  if (!inspect) return undefined;
  let good: string | undefined;
  return (text) => {
    if (text === good) return undefined;
    const finding = inspect(text);
    if (!finding) good = text;
    return finding;
  };
}

function adviceOf(field: Field, choices: CheckChoices): readonly Inspect[] {
  if (field.shape === "ifsc") return choices.ifscFormat === "warn" ? [inspectIfsc] : [];
  if (field.sensitive === "vpa") return [inspectVpaHost];
  if (field.shape === "currency") return [inspectCurrency];
  if (field.kind === "text") return field.required ? [inspectFilled, inspectGarbled] : [inspectGarbled];
  if (field.sensitive === "mobile") return [inspectIdFilled];
  return field.kind === "id" && field.sensitive === "account" ? [inspectLostDigits] : [];
}

/** The finding with the number that was probably meant written as the user writes numbers, with a decimal comma. */
function withComma(finding: Finding | undefined): Finding | undefined {
  return finding?.plain === undefined ? finding : { ...finding, plain: finding.plain.replace(".", ",") };
}

function idInspectorOf(field: Field, coreFields: readonly string[], { ifscFormat }: CheckChoices): Inspect {
  if (field.sensitive === "vpa") return inspectVpa;
  if (!coreFields.includes(field.name)) return inspectOtherId;
  return field.shape === "ifsc" && ifscFormat === "refuse" ? inspectIfsc : inspectId;
}

function inspectorOf(field: Field, { coreFields }: Form, choices: CheckChoices): Inspect | undefined {
  switch (field.kind) {
    case "text":
      return inspectTextError;
    case "id":
      // nobody is paid by a mobile number: what stands for a missing one is only pointed out (`adviceOf`)
      if (field.sensitive === "mobile") return inspectOtherId;
      return firstOf([idInspectorOf(field, coreFields, choices), inspectIdFilled]);
    case "amount": {
      const limits = { digitsMax: choices.amountDigitsMax, decimalsMax: choices.amountDecimalsMax };
      const inspect: Inspect = (text) => inspectWriting(text, limits, choices);
      return choices.decimalSign === "point" ? inspect : (text) => withComma(inspect(text));
    }
    case "number":
    case "integer":
      return inspectWhole;
    default:
      return field.kind satisfies never;
  }
}
