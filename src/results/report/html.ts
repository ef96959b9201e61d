import { printable } from "../../text/printable.ts";

/** Text that is HTML already. Only `html` and `asIs` make it: what came from a file or a person cannot be one. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

type Value = Html | string | number | readonly Html[];

/** A template whose values are escaped, and whose control and bidi characters become visible. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  let text = strings[0] ?? "";
  values.forEach((value, index) => {
    text += asText(value) + (strings[index + 1] ?? "");
  });
  return new Html(text);
}

/** Our own text that needs no escaping, such as a style sheet. Never anything that was read. */
export function asIs(text: string): Html {
  return new Html(text);
}

export const NOTHING: Html = new Html("");

function asText(value: Value): string {
  if (value instanceof Html) return value.text;
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? escaped(value) : value.map((one) => one.text).join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return printable(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** For a CSS string: every character but plain letters and digits as its number. */
export function cssText(text: string): Html {
  return asIs(
    printable(text).replace(/[^A-Za-z0-9 ]/gu, (character) => `\\${(character.codePointAt(0) ?? 0).toString(16)} `),
  );
}
