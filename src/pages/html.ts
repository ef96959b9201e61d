import { html as template, raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { printable } from "../printable.ts";

/** Text that is HTML already. Only `markup` makes it: what came from a file or a person cannot be one. */
export type Html = HtmlEscapedString;
export type Shown = Html | string | number | false | undefined | readonly Shown[];

/** hono's escaping template; control and bidi characters become visible, too. */
export function markup(strings: TemplateStringsArray, ...values: readonly Shown[]): Html {
  // no value is a promise: it is made at once
  return template(strings, ...values.map(visible)) as Html;
}

export const nothing: Html = raw("");

/** Text of our own that is no HTML, and must stand there as it is: a style. Nothing that was read may come here. */
export const safe = (own: string): Html => raw(own);

function visible(value: Shown): unknown {
  if (typeof value === "string") return Array.from(value.split("\n"), (line) => printable(line)).join("\n");
  // an HTML text is a String object with a mark
  return Array.isArray(value) ? value.map(visible) : value;
}

/** What somebody else wrote: its direction is its own. */
export const said = (text: string): Html => (text === "" ? nothing : markup`<bdi>${text}</bdi>`);

type Look = "n" | "wide" | "less" | "nb" | "soft" | "do" | "beside" | "head";
/** A column of a table, with how its cells look; `head` names each line, else the first column does. */
type Column = string | readonly [title: Shown, ...looks: Look[]];

interface TableShape {
  readonly caption: Shown;
  /** The heading above says it to whoever sees the page. */
  readonly isHidden?: boolean;
  readonly columns: readonly Column[];
  readonly kind?: string;
  readonly foot?: readonly Shown[];
}

export type Line = readonly Shown[] | { readonly id: string; readonly cells: readonly Shown[] };

/** Lines that belong together, below a line that says how. */
export interface Group {
  readonly head: Shown;
  readonly lines: readonly Line[];
}

/** On a narrow screen each line is a card: amount right, `wide` below, `less` left out; several sums say their titles there. */
export const tableOf = (shape: TableShape, lines: readonly Line[]): Html =>
  tableIn(shape, [{ head: undefined, lines }]);

export function tableIn({ caption, isHidden, columns, kind = "", foot }: TableShape, groups: readonly Group[]): Html {
  const all = columns.map((column) => new Drawn(typeof column === "string" ? [column] : column));
  const named = Math.max(
    0,
    all.findIndex(({ looks }) => looks.includes("head")),
  );
  const sums = all.filter((column) => column.isSum).length;
  const cellsOf = (line: readonly Shown[]): readonly Html[] =>
    line.map((value, at) => {
      const column = all[at] ?? new Drawn([""]);
      return column.cell(value, { isHead: at === named, isNamed: sums > 1 });
    });
  const lineOf = (line: Line): Html =>
    "cells" in line ? markup`<tr id="${line.id}">${cellsOf(line.cells)}</tr>\n` : markup`<tr>${cellsOf(line)}</tr>\n`;
  const bodies = groups.map(({ head, lines }) => {
    const above =
      head !== undefined && markup`<tr class="group"><th colspan="${all.length}" scope="rowgroup">${head}</th></tr>\n`;
    return markup`<tbody>${above}${lines.map(lineOf)}</tbody>`;
  });
  const titles = markup`<thead><tr>${all.map((column) => column.title())}</tr></thead>`;
  const end = foot && markup`<tfoot><tr>${cellsOf(foot)}</tr></tfoot>`;
  return markup`<table class="${kind}"><caption class="${isHidden && "hide"}">${caption}</caption>${titles}${bodies}${end}</table>`;
}

class Drawn {
  readonly looks: readonly Look[];
  readonly #title: Shown;

  constructor([title, ...looks]: readonly [title: Shown, ...looks: Look[]]) {
    this.#title = title;
    this.looks = looks;
  }

  get isSum(): boolean {
    return this.looks.includes("n") && !this.looks.includes("do") && !this.looks.includes("less");
  }

  get #kind(): string {
    return this.looks.filter((look) => look !== "head").join(" ");
  }

  title(): Html {
    const kind = this.looks.filter((look) => look === "n" || look === "less" || look === "do" || look === "beside");
    return markup`<th scope="col" class="${kind.join(" ")}">${this.#title}</th>`;
  }

  cell(value: Shown, { isHead, isNamed }: { readonly isHead: boolean; readonly isNamed: boolean }): Html {
    if (isHead) return markup`<th scope="row" class="${this.#kind}">${value}</th>`;
    const name = isNamed && this.isSum && isShown(value) && typeof this.#title === "string";
    const title = name && markup` data-title="${this.#title}"`;
    return markup`<td class="${this.#kind}"${title}>${value}</td>`;
  }
}

/** Whether anything stands there. */
export const isShown = (value: Shown): boolean => value !== undefined && value !== false && value !== "";
