import { counted } from "../text/counted.ts";
import { FileRefusedError } from "../errors.ts";
import { isJson, membersOf } from "./object.ts";
import type { ReaderFaultCode, RefusalDetail } from "./refusals.ts";
import type { Cell } from "./row.ts";
import type { SheetSource } from "./source.ts";
import { endOfString, endOfValue, skipSpace } from "./value.ts";

/** What the document waits for next. */
type Expects =
  | "root"
  | "row_or_end"
  | "row"
  | "comma_after_row"
  | "member_or_end"
  | "member"
  | "colon"
  | "value"
  | "comma_after_member"
  | "nothing";

/** What was cut from a piece of text. */
interface DocumentCut {
  readonly rows: readonly string[];
  /** Index in the text where the value begins that is not whole yet. */
  readonly end: number;
  /** To be thrown after `rows` were read: one of them may refuse the file first. */
  readonly fault?: FileRefusedError;
}

/**
 * Cuts a JSON document, fed piece by piece, into the texts of its rows. The document is a list of rows, or a wrapper
 * with the list under `rows` and other members before or behind it (DESIGN §6). Rows are cut, not yet parsed.
 */
export class JsonDocument {
  readonly #source: SheetSource;
  readonly #members = new Map<string, Cell>();
  #expects: Expects = "root";
  #key = "";
  #isWrapper = false;
  #hasRows = false;
  #isInRows = false;
  #rowsSeen = 0;

  constructor(source: SheetSource) {
    this.#source = source;
  }

  get isWrapper(): boolean {
    return this.#isWrapper;
  }

  /** The members of the wrapper except its rows, as far as they have come. */
  get members(): ReadonlyMap<string, Cell> {
    return this.#members;
  }

  get rowsSeen(): number {
    return this.#rowsSeen;
  }

  /** Cuts off `text` what is whole. The caller puts the rest, from `end` on, before the next piece. */
  cut(text: string, isEnd: boolean): DocumentCut {
    const rows: string[] = [];
    let end = skipSpace(text, 0);
    try {
      while (end < text.length) {
        const next = this.#step(text, end, rows);
        if (next === "incomplete") break;
        end = skipSpace(text, next);
      }
      this.#checkLength(text.length - end);
      if (isEnd && this.#expects !== "nothing") throw this.#refuseCutOff(end < text.length);
    } catch (error) {
      if (!(error instanceof FileRefusedError)) throw error;
      return { rows, end, fault: error };
    }
    return { rows, end };
  }

  #step(text: string, at: number, rows: string[]): number | "incomplete" {
    const character = text[at] ?? "";
    switch (this.#expects) {
      case "row_or_end":
        if (character === "]") return this.#endRows(at);
        return this.#cutRow(text, at, rows);
      case "row":
        if (character === "]") throw this.#refuse("json_malformed", { found: "no row follows the last comma" });
        return this.#cutRow(text, at, rows);
      case "comma_after_row":
        if (character === "]") return this.#endRows(at);
        if (character !== ",") throw this.#refuse("json_malformed", { found: "a comma is missing before this row" });
        return this.#then("row", at);
      case "root":
        return this.#openRoot(character, at);
      case "member_or_end":
        if (character === "}") return this.#endWrapper(at);
        return this.#cutKey(text, at);
      case "member":
        return this.#cutKey(text, at);
      case "colon":
        if (character !== ":") throw this.#refuse("json_malformed", { found: "a colon is missing behind a name" });
        return this.#then("value", at);
      case "value":
        return this.#cutMember(text, at);
      case "comma_after_member":
        if (character === "}") return this.#endWrapper(at);
        if (character !== ",") throw this.#refuse("json_malformed", { found: "a comma is missing between two names" });
        return this.#then("member", at);
      case "nothing":
        throw this.#refuseRest(character);
      default:
        return this.#expects satisfies never;
    }
  }

  #then(expects: Expects, at: number): number {
    this.#expects = expects;
    return at + 1;
  }

  #openRoot(character: string, at: number): number {
    if (character === "[") {
      this.#isInRows = true;
      return this.#then("row_or_end", at);
    }
    if (character !== "{") {
      throw this.#refuse("json_not_objects", { found: "the file does not begin with a list of rows" });
    }
    this.#isWrapper = true;
    return this.#then("member_or_end", at);
  }

  #cutRow(text: string, at: number, rows: string[]): number | "incomplete" {
    const end = this.#endOf(text, at);
    if (end === "incomplete") return end;
    rows.push(text.slice(at, end));
    this.#rowsSeen += 1;
    this.#expects = "comma_after_row";
    return end;
  }

  #endRows(at: number): number {
    this.#isInRows = false;
    return this.#then(this.#isWrapper ? "comma_after_member" : "nothing", at);
  }

  #cutKey(text: string, at: number): number | "incomplete" {
    if (text[at] !== '"') throw this.#refuse("json_malformed", { found: "a name in double quotes is missing" });
    const end = endOfString(text, at);
    if (end === "incomplete") return end;
    const quoted = text.slice(at, end);
    if (!isJson(quoted)) throw this.#refuse("json_malformed", { found: "a name is not a text" });
    this.#key = JSON.parse(quoted) as string;
    this.#expects = "colon";
    return end;
  }

  #cutMember(text: string, at: number): number | "incomplete" {
    if (this.#members.has(this.#key) || (this.#hasRows && this.#key === "rows"))
      throw this.#refuse("json_wrapper", { found: "a name stands twice beside the rows" });
    if (this.#key === "rows" && text[at] === "[") {
      this.#hasRows = true;
      this.#isInRows = true;
      return this.#then("row_or_end", at);
    }
    const end = this.#endOf(text, at);
    if (end === "incomplete") return end;
    const member = `{"value":${text.slice(at, end)}}`;
    if (!isJson(member)) throw this.#refuse("json_malformed", { found: "check the values beside the rows" });
    this.#members.set(this.#key, membersOf(member).cells[0] ?? "");
    this.#expects = "comma_after_member";
    return end;
  }

  #endWrapper(at: number): number {
    if (!this.#hasRows) {
      throw this.#refuse("json_wrapper", { found: 'the file is one object without a list named "rows"' });
    }
    return this.#then("nothing", at);
  }

  #endOf(text: string, at: number): number | "incomplete" {
    const end = endOfValue(text, at, this.#source.limits.nestingMax);
    if (end === "too_deep") {
      throw this.#refuse("json_too_deep", { found: this.#source.limits.nestingMax.toString() });
    }
    if (end !== "incomplete") this.#checkLength(end - at);
    return end;
  }

  #checkLength(characters: number): void {
    const { recordCharactersMax } = this.#source.limits;
    if (characters > recordCharactersMax) {
      throw this.#refuse("record_too_long", { found: counted(recordCharactersMax, "character") });
    }
  }

  #refuseCutOff(isInValue: boolean): Error {
    if (this.#isInRows && isInValue) return this.#refuse("json_truncated", { found: "this row is not closed" });
    const found = this.#isInRows ? "the list of rows is not closed" : "the last brace is missing";
    return this.#source.refuse("json_truncated", {
      ...(this.#isInRows && this.#rowsSeen > 0 ? { row: this.#rowsSeen } : {}),
      found,
    });
  }

  #refuseRest(character: string): Error {
    const found = "something stands behind the end";
    const hint = character === "{" ? "Name a file with one object on each line .jsonl." : undefined;
    return this.#source.refuse("json_malformed", { found, ...(hint ? { hint } : {}) });
  }

  #refuse(code: ReaderFaultCode, detail: RefusalDetail): Error {
    return this.#source.refuse(code, { ...(this.#isInRows ? { row: this.#rowsSeen + 1 } : {}), ...detail });
  }
}
