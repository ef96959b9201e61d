import { html as template, raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import type { ResultStatus } from "../events.ts";
import { STATUSES } from "../messages/statuses.ts";
import { printable } from "../printable.ts";
import { SIGNS } from "../screen/look.ts";

/** Text that is HTML already. Only `markup` makes it: what came from a file or a person cannot be one. */
export type Html = HtmlEscapedString;
export type Shown = Html | string | number | false | undefined | readonly Shown[];

/** hono's escaping template; control and bidi characters become visible, too. */
export function markup(strings: TemplateStringsArray, ...values: readonly Shown[]): Html {
  // no value is a promise: it is made at once
  return template(strings, ...values.map(visible)) as Html;
}

export const nothing: Html = raw("");

function visible(value: Shown): unknown {
  if (typeof value === "string") return Array.from(value.split("\n"), (line) => printable(line)).join("\n");
  // an HTML text is a String object with a mark
  return Array.isArray(value) ? value.map(visible) : value;
}

/** What somebody else wrote: its direction is its own. */
export const said = (text: string): Html => (text === "" ? nothing : markup`<bdi>${text}</bdi>`);

/** A status is told by its word; sign and colour only help to find it. */
export function statusTag(status: ResultStatus, text: string = STATUSES[status].word): Html {
  return markup`<span class="status ${status}"><span aria-hidden="true">${SIGNS[status][0]}</span> ${text}</span>`;
}

export const countTag = (status: ResultStatus, rows: number): Html =>
  statusTag(status, `${rows} ${STATUSES[status].word}`);

type TableShape = Readonly<{ caption: string; titles: readonly string[] }>;

/**
 * On a narrow screen each line is a card, and each cell says its title. The first cell names the line. Titles that end with
 * `#` are of figures; who hears the page hears the caption first.
 */
export function tableOf({ caption, titles }: TableShape, lines: readonly (readonly Shown[])[]): Html {
  const names = titles.map((title) => title.replace("#", ""));
  const kindOf = (at: number): string => (titles[at]?.endsWith("#") ? "figure" : "text");
  const head = names.map((name, at) => markup`<th scope="col" class="${kindOf(at)}">${name}</th>`);
  const cell = (value: Shown, at: number): Html =>
    at === 0
      ? markup`<th scope="row" class="${kindOf(at)}">${value}</th>`
      : markup`<td class="${kindOf(at)}" data-title="${names[at] ?? ""}">${value}</td>`;
  const body = lines.map((line) => markup`<tr>${line.map(cell)}</tr>\n`);
  return markup`<table><caption>${caption}</caption><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

/** What is so, each with its name; what is undefined is left out. */
export function factsOf(facts: Readonly<Record<string, Shown>>): Html {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  return markup`<dl>${known.map(([name, value]) => markup`<dt>${name}</dt><dd>${typeof value === "string" ? said(value) : value}</dd>`)}</dl>`;
}

/** How far a batch is, in words and as a bar. */
export function progressOf(done: number, rows: number, what: string): Html {
  const text = `${done} of ${rows}`;
  return markup`<progress value="${done}" max="${Math.max(1, rows)}" aria-label="${what}: ${text}"></progress> ${text}`;
}

interface Page {
  readonly title: string;
  /** The path of the page in the menu that it belongs to. */
  readonly at?: string;
  /** Who is signed in, and may see the menu. */
  readonly name?: string | undefined;
  readonly role?: string | undefined;
  readonly csrf: string;
  /** What the last act said. */
  readonly news?: News | undefined;
  readonly content: Shown;
}

/** What an act of a person said, shown once. */
export interface News {
  readonly isGood: boolean;
  readonly lines: readonly Shown[];
}

const MENU = [
  ["/", "Today"],
  ["/decide", "Decide"],
  ["/approvals", "Approvals"],
  ["/find", "Find"],
  ["/reconcile", "Reconcile"],
  ["/upload", "Upload"],
  ["/help", "Help"],
] as const;

export function pageOf({ title, at, name, role = "", csrf, news, content }: Page): Html {
  const links = MENU.map(
    ([path, text]) => markup`<li><a href="${path}" ${path === at && markup` aria-current="page"`}>${text}</a></li>`,
  );
  const out = markup`<a href="/password">${said(name ?? "")}</a> (${role}) <button>Sign out</button>`;
  const menu = markup`<nav aria-label="Pages"><ul>${links}</ul></nav>${form("/sign-out", csrf, out, { kind: "who" })}`;
  // with </ the build would put a helper of its own, which no package brings, around this template
  return markup`<!doctype html>
<html lang="en"><head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${title} · paydrop</title><link rel="stylesheet" href="/style.css"><script src="/live.js" defer><\/script>
</head><body><a class="skip" href="#main">To the content</a>
<header><p class="brand">paydrop</p>${name !== undefined && menu}</header>
<main id="main" tabindex="-1"><h1>${title}</h1>${news && newsOf(news)}${content}</main></body></html>`;
}

/** It has the focus when the page comes: who hears the page hears it first. */
function newsOf({ isGood, lines }: News): Html {
  const [kind, role] = isGood ? ["good", "status"] : ["bad", "alert"];
  return markup`<section class="news ${kind}" role="${role}" aria-label="What became of it" tabindex="-1" autofocus>${lines.map((line) => markup`<p>${line}</p>`)}</section>`;
}

interface FormShape {
  /** What it brings besides what is filled in. */
  readonly hidden?: Readonly<Record<string, string | readonly string[]>>;
  readonly kind?: string;
  readonly encoding?: "multipart/form-data";
}

/** With the token of the session: what another site sends on behalf of this browser does not have it. */
export function form(
  path: string,
  csrf: string,
  content: Shown,
  { hidden, kind = "", encoding }: FormShape = {},
): Html {
  const all = Object.entries({ csrf, ...hidden }).flatMap(([name, values]) =>
    [values].flat().map((value) => markup`<input type="hidden" name="${name}" value="${value}">`),
  );
  return markup`<form method="post" action="${path}" class="${kind}" ${encoding && markup`enctype="${encoding}"`}>${all}${content}</form>`;
}

export const button = (text: Shown, kind = "main"): Html => markup`<button class="${kind}">${text}</button>`;

/** A field with its label, and a hint that is read with it. */
export function field(name: string, label: string, more: Readonly<Record<string, string | true>> = {}): Html {
  const { hint, ...others } = more;
  const id = `${name}-${++fields}`;
  const attributes = Object.entries(others).map(([key, value]) =>
    value === true ? markup` ${key}` : markup` ${key}="${value}"`,
  );
  const described = hint === undefined ? nothing : markup` aria-describedby="${id}-hint"`;
  const below = typeof hint === "string" && markup`<small id="${id}-hint">${hint}</small>`;
  return markup`<p class="field"><label for="${id}">${label}</label><input id="${id}" name="${name}" ${described}${attributes}>${below}</p>`;
}

/** Typed, not pasted: whoever types it has seen what may go. `typed`: before, and wrong. */
export const sumField = (label: string, hint: string, typed = ""): Html =>
  field("total", label, { required: true, inputmode: "decimal", autocomplete: "off", hint, value: typed });

/** Each has an id of its own on its page. */
let fields = 0;

export function choices(name: string, legend: string, values: Readonly<Record<string, string>>): Html {
  const all = Object.entries(values).map(
    ([value, text]) => markup`<label><input type="radio" name="${name}" value="${value}" required> ${text}</label>`,
  );
  return markup`<fieldset><legend>${legend}</legend>${all}</fieldset>`;
}
