import type * as z from "zod/mini";
import { normalizeName } from "../column-name.ts";
import { FIELD_FACTS, type Form, type Operation } from "./operation.ts";

/**
 * Throws for operations that cannot be told apart, or that name a field which they do not have, and says which. It is asked at
 * every start: else such a mistake shows with the first row, or what is meant for one endpoint goes to another one.
 */
export function assertSound(all: readonly Operation[]): void {
  const taken = new Map<string, string>();
  const spelled = new Map<string, string>();
  for (const { name, folder, method, path, debit, forms } of all) {
    const take = (what: string, word: string): void => {
      const other = taken.get(`${what} ${word}`);
      if (other !== undefined) throw new Error(`the operations ${other} and ${name} both have the ${what} ${word}`);
      taken.set(`${what} ${word}`, name);
    };
    // a person may say either
    for (const word of new Set([name, folder])) take("name or folder", word);
    take("method", method);
    take("path", path);
    const wrong = (why: string): never => {
      throw new Error(`the operation ${name}: ${why}`);
    };
    const isSmall = /^[a-z][a-z0-9_-]*$/.test(name) && /^[a-z][a-z0-9_-]*$/.test(folder);
    if (!isSmall) wrong("name and folder are small letters, digits, - and _");
    if (method === "close") wrong("close is the client's own method");
    if (!path.startsWith("/")) wrong(`its path ${path} begins with no /`);
    for (const form of forms) {
      if (forms.length > 1 && form.option === undefined) wrong("each of several forms needs an option");
      assertFields(`the operation ${name}${form.option === undefined ? "" : `, option ${form.option}`}`, form, debit);
      for (const field of Object.keys(form.schema.shape)) {
        const other = spelled.get(normalizeName(field)) ?? field;
        if (other !== field) wrong(`its field ${field} is ${other} elsewhere, and a column could be either`);
        spelled.set(normalizeName(field), field);
      }
    }
  }
}

function assertFields(of: string, { payee, alsoPayment = [], schema }: Form, debit: string | undefined): void {
  const needed = { amount: ["amount"], payee: [payee], debit: debit === undefined ? [] : [debit], alsoPayment };
  for (const [what, fields] of Object.entries(needed)) {
    const missing = fields.find((field) => !Object.hasOwn(schema.shape, field));
    if (missing !== undefined) throw new Error(`${of}: ${what} needs a field ${missing}, and it has none of that name`);
  }
  for (const [field, type] of Object.entries(schema.shape)) {
    const { innerType = type } = type._zod.def as { innerType?: z.core.$ZodType };
    const kind = FIELD_FACTS.get(innerType)?.kind;
    if (!kind) throw new Error(`${of}: its field ${field} is made by none of text, id, amount and whole`);
    if ((kind === "amount") !== (field === "amount")) {
      throw new Error(
        `${of}: its field ${field} is made by ${kind}, ${field === "amount" ? "not by amount" : "and only amount may be"}`,
      );
    }
  }
}
