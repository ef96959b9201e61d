import { isAbsolute, resolve } from "node:path";
import { PaydropError } from "../errors.ts";
import { normalizeName } from "../text/names.ts";
import { printable, quotedNames } from "../text/printable.ts";
import { nearest } from "./nearest.ts";

/** Says where the key with this path stands, such as `/etc/paydrop/paydrop.toml: line 12: `. */
export type PlaceOf = (path: readonly string[]) => string;

/** One value of a table in paydrop.toml with its place, so that a complaint can say where it stands. */
export class TableText {
  readonly raw: unknown;
  readonly #path: readonly string[];
  readonly #placeOf: PlaceOf;

  constructor(raw: unknown, path: readonly string[], placeOf: PlaceOf) {
    this.raw = raw;
    this.#path = path;
    this.#placeOf = placeOf;
  }

  at(key: string): TableText {
    const record = this.raw === undefined ? {} : this.record();
    const value = Object.hasOwn(record, key) ? record[key] : undefined;
    return new TableText(value, [...this.#path, key], this.#placeOf);
  }

  has(key: string): boolean {
    return Object.hasOwn(this.record(), key);
  }

  /** `hint`: how the table is written. */
  record(hint = `write [${this.#path.join(".")}] and its lines below it`): Readonly<Record<string, unknown>> {
    const raw = this.raw;
    // a date is an object without keys: as a table it would say nothing at all
    if (typeof raw === "object" && raw !== null && !Array.isArray(raw) && !(raw instanceof Date)) {
      return raw as Readonly<Record<string, unknown>>;
    }
    throw this.wrong("this is not a table", hint);
  }

  /** Each line of a table that must be there. */
  entries(hint?: string): readonly (readonly [string, TableText])[] {
    return Object.keys(this.record(hint)).map((key) => [key, this.at(key)]);
  }

  text(): string {
    if (typeof this.raw === "string") return this.raw;
    if (typeof this.raw === "number" && Number.isSafeInteger(this.raw)) return String(this.raw);
    throw this.raw === undefined
      ? this.wrong("this line is missing", `add ${this.#path.at(-1) ?? ""} = "…"`)
      : this.wrong("this is not a text", "write it in quotes");
  }

  list(): readonly string[] {
    if (!Array.isArray(this.raw)) throw this.wrong("this is not a list", 'write ["…", "…"]');
    return this.raw.map((entry) => new TableText(entry, this.#path, this.#placeOf).text());
  }

  /** A list that must be there. */
  texts(): readonly string[] {
    if (this.raw === undefined) throw this.wrong("this line is missing", `add ${this.#path.at(-1) ?? ""} = ["…", "…"]`);
    return this.list();
  }

  textOrTexts(): readonly string[] {
    return Array.isArray(this.raw) ? this.list() : [this.text()];
  }

  oneOf<T extends string>(words: readonly T[]): T {
    const text = this.text();
    const found = words.find((word) => word === text);
    if (found === undefined) throw this.notOneOf(text, words);
    return found;
  }

  /** Every value of a table; the table may be missing. */
  map<T>(read: (one: TableText) => T): Readonly<Record<string, T>> {
    if (this.raw === undefined) return {};
    return Object.fromEntries(this.entries().map(([key, one]) => [key, read(one)]));
  }

  /** As `map`, for a table whose keys are some of `names`, in any spelling; by the name as it stands in `names`. */
  byName<T>(names: readonly string[], read: (one: TableText) => T): Readonly<Record<string, T>> {
    const found: Record<string, T> = {};
    for (const [key, value] of Object.entries(this.map(read))) {
      const name = this.at(key).known(key, names, "field");
      if (Object.hasOwn(found, name)) throw this.at(key).wrong(`${name} stands there twice`, "remove one of them");
      found[name] = value;
    }
    return found;
  }

  /** The tables `[[…]]`, or one table, or none. */
  tables(): readonly TableText[] {
    if (this.raw === undefined) return [];
    const all: readonly unknown[] = Array.isArray(this.raw) ? this.raw : [this.raw];
    return all.map((one) => new TableText(one, this.#path, this.#placeOf));
  }

  path(folder: string): string {
    const text = this.text();
    return isAbsolute(text) ? text : resolve(folder, text);
  }

  /** `said` as it is spelt in `names`; compared as names of columns are. Throws where it is none of them. */
  known(said: string, names: readonly string[], what: string): string {
    const found = names.find((name) => normalizeName(name) === normalizeName(said));
    if (found !== undefined) return found;
    const meant = nearest(normalizeName(said), names, normalizeName);
    throw this.wrong(
      `there is no ${what} "${printable(said)}"`,
      meant ? `did you mean "${meant}"?` : `there are ${quotedNames(names)}`,
    );
  }

  notOneOf(said: string, words: readonly string[]): PaydropError {
    return this.wrong(`"${printable(said)}" is not one of ${words.join(", ")}`, "correct it and run again");
  }

  wrong(found: string, hint: string): PaydropError {
    const name = this.#path.map((key) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : `"${printable(key)}"`)).join(".");
    return new PaydropError("config", `${this.#placeOf(this.#path)}${name}: ${found}`, hint);
  }
}
