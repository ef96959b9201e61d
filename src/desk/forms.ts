import { markup, nothing, type Html, type Shown } from "../pages/html.ts";

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

type ButtonKind = "main" | "stop" | "quiet" | "";

/** `main`: the next right thing, once in a form; none where money may go twice. `stop` ends, refuses or takes back. */
export const button = (text: Shown, kind: ButtonKind = "main"): Html =>
  markup`<button class="btn ${kind}">${text}</button>`;

export const linkButton = (href: string, text: Shown, kind: ButtonKind = ""): Html =>
  markup`<a class="btn ${kind}" href="${href}">${text}</a>`;

/** A field with its label, and a hint that is read with it. */
export function field(name: string, label: Shown, more: Readonly<Record<string, string | true>> = {}): Html {
  const { hint, big, ...others } = more;
  const id = `${name}-${++fields}`;
  const attributes = Object.entries(others).map(([key, value]) =>
    value === true ? markup` ${key}` : markup` ${key}="${value}"`,
  );
  const described = hint === undefined ? nothing : markup` aria-describedby="${id}-hint"`;
  const below = typeof hint === "string" && markup`<small id="${id}-hint">${hint}</small>`;
  const kind = big === true && markup`class="big" `;
  return markup`<p class="field"><label for="${id}">${label}</label><input ${kind}id="${id}" name="${name}" ${described}${attributes}>${below}</p>`;
}

/** Typed, not pasted: whoever types it has seen what may go. `typed`: before, and wrong. */
export const sumField = (label: string, hint: string, typed = ""): Html =>
  field("total", label, { required: true, big: true, inputmode: "decimal", autocomplete: "off", hint, value: typed });

/** Each has an id of its own on its page. */
let fields = 0;

/** The harmless one first. `values`: what is said, and what it means. */
export function choices(
  name: string,
  legend: string,
  values: Readonly<Record<string, readonly [text: string, means: string]>>,
): Html {
  const all = Object.entries(values).map(
    ([value, [text, means]]) =>
      markup`<label><input type="radio" name="${name}" value="${value}" required> <b>${text}</b> <small>${means}</small></label>`,
  );
  return markup`<fieldset class="choices"><legend>${legend}</legend><div>${all}</div></fieldset>`;
}

/** A box with what is said by it. */
export const check = (name: string, value: string, text: Shown, more: Shown = nothing): Html =>
  markup`<label class="check"><input type="checkbox" name="${name}" value="${value}"${more}> <span>${text}</span></label>`;
