import { inspect } from "node:util";
import { PaydropError } from "../errors.ts";
import { concealFromNowOn } from "./conceal.ts";

/** A secret that cannot be printed by accident: only `reveal()` gives the text. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    if (typeof text !== "string") throw new PaydropError("config", "a Secret is made of a text", "is the key set?");
    this.#text = text;
    concealFromNowOn(text);
  }

  reveal(): string {
    return this.#text;
  }

  get length(): number {
    return this.#text.length;
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [inspect.custom](): string {
    return "[secret]";
  }
}
