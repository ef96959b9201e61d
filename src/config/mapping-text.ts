import { isAbsolute, resolve } from "node:path";
import { PaydropError } from "../errors.ts";
import { normalizeName } from "../names.ts";
import { printable, quotedNames } from "../printable.ts";
import { meantOrAll, nearest } from "./nearest.ts";

/** `/etc/paydrop/paydrop.toml: line 12: ` of a key by its path. */
export type PlaceOf = (path: readonly string[]) => string;

/** One value of a table in paydrop.toml with its place, so that a complaint can say where it stands. */
export class MappingText {
  readonly #raw: unknown;
  readonly #path: readonly string[];
  readonly #placeOf: PlaceOf;

  constructor(raw: unknown, path: readonly string[], placeOf: PlaceOf) {
    this.#raw = raw;
    this.#path = path;
    this.#placeOf = placeOf;
  }

  at(key: string): MappingText {
    const record = this.#raw === undefined ? {} : this.record();
    const value = Object.hasOwn(record, key) ? record[key] : undefined;
    return new MappingText(value, [...this.#path, key], this.#placeOf);
  }

  has(key: string): boolean {
    return Object.hasOwn(this.record(), key);
  }

  record(): Readonly<Record<string, unknown>> {
    const raw = this.#raw;
    if (typeof raw === "object" && raw !== null && !Array.isArray(raw) && !(raw instanceof Date)) {
      return raw as Readonly<Record<string, unknown>>;
    }
    throw this.wrong("this is not a table", `write [${this.#path.join(".")}] and its lines below it`);
  }

  assertKeys(known: readonly string[]): void {
    for (const key of Object.keys(this.record())) if (!known.includes(key)) throw this.at(key).unknown(key, known);
  }

  text(): string {
    if (typeof this.#raw === "string") return this.#raw;
    if (typeof this.#raw === "number" && Number.isSafeInteger(this.#raw)) return String(this.#raw);
    throw this.#raw === undefined
      ? this.wrong("this line is missing", `add ${this.#path.at(-1) ?? ""} = "…"`)
      : this.wrong("this is not a text", "write it in quotes");
  }

  list(): readonly string[] {
    if (!Array.isArray(this.#raw)) throw this.wrong("this is not a list", 'write ["…", "…"]');
    return this.#raw.map((entry) => new MappingText(entry, this.#path, this.#placeOf).text());
  }

  /** A list that must be there. */
  texts(): readonly string[] {
    if (this.#raw === undefined)
      throw this.wrong("this line is missing", `add ${this.#path.at(-1) ?? ""} = ["…", "…"]`);
    return this.list();
  }

  textOrTexts(): readonly string[] {
    return Array.isArray(this.#raw) ? this.list() : [this.text()];
  }

  oneOf<T extends string>(words: readonly T[]): T {
    const text = this.text();
    const found = words.find((word) => word === text);
    if (found === undefined) throw this.notOneOf(text, words);
    return found;
  }

  /** Every value of a table that may be missing. */
  map<T>(read: (one: MappingText) => T): Readonly<Record<string, T>> {
    if (this.#raw === undefined) return {};
    return Object.fromEntries(Object.keys(this.record()).map((key) => [key, read(this.at(key))]));
  }

  /** Every value of a table that may be missing, by our own `names`: its keys are those, in any writing. */
  byName<T>(names: readonly string[], read: (one: MappingText) => T): Readonly<Record<string, T>> {
    const found: Record<string, T> = {};
    for (const [key, value] of Object.entries(this.map(read))) {
      const name = this.at(key).known(key, names, "field");
      if (Object.hasOwn(found, name)) throw this.at(key).wrong(`${name} stands there twice`, "remove one of them");
      found[name] = value;
    }
    return found;
  }

  /** `[[…]]`, one table or none. */
  tables(): readonly MappingText[] {
    if (this.#raw === undefined) return [];
    const all: readonly unknown[] = Array.isArray(this.#raw) ? this.#raw : [this.#raw];
    return all.map((one) => new MappingText(one, this.#path, this.#placeOf));
  }

  path(folder: string): string {
    const text = this.text();
    return isAbsolute(text) ? text : resolve(folder, text);
  }

  /** The name as it is written among `names`; compared as header names are. */
  known(said: string, names: readonly string[], what: string): string {
    const found = names.find((name) => normalizeName(name) === normalizeName(said));
    if (found !== undefined) return found;
    const meant = nearest(normalizeName(said), names, normalizeName);
    throw this.wrong(
      `there is no ${what} "${printable(said)}"`,
      meant ? `did you mean "${meant}"?` : `there are ${quotedNames(names)}`,
    );
  }

  unknown(key: string, known: readonly string[]): PaydropError {
    return this.wrong(`there is no "${printable(key)}" in a mapping`, meantOrAll(key, known));
  }

  notOneOf(said: string, words: readonly string[]): PaydropError {
    return this.wrong(`"${printable(said)}" is not one of ${words.join(", ")}`, "correct it and run again");
  }

  wrong(found: string, hint: string): PaydropError {
    const name = this.#path.map((key) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : `"${printable(key)}"`)).join(".");
    return new PaydropError("config", `${this.#placeOf(this.#path)}${name}: ${found}`, hint);
  }
}
