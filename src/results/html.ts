import { printable } from "../printable.ts";

/** Text that is HTML already. Only `markup` and `asIs` make it: what came from a file or a person cannot be one. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

export type Shown = Html | string | number | readonly Html[];

/** A template whose values are escaped, and whose control and bidi characters become visible. */
export function markup(strings: TemplateStringsArray, ...values: readonly Shown[]): Html {
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

function asText(value: Shown): string {
  if (value instanceof Html) return value.text;
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? escaped(value) : value.map((one) => one.text).join("");
}

function escaped(text: string): string {
  return printable(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A table whose first cell of a row names it. Columns whose title ends with `#` hold figures. */
export function tableHtml(titles: readonly string[], rows: readonly (readonly Shown[])[]): Html {
  const side = titles.map((title) => asIs(title.endsWith("#") ? ' class="figure"' : ""));
  const head = titles.map((title, at) => markup`<th scope="col"${side[at] ?? ""}>${title.replace("#", "")}</th>`);
  const cell = (value: Shown, at: number): Html =>
    at === 0 ? markup`<th scope="row"${side[at] ?? ""}>${value}</th>` : markup`<td${side[at] ?? ""}>${value}</td>`;
  return markup`<table><thead><tr>${head}</tr></thead><tbody>${rows.map((row) => markup`<tr>${row.map(cell)}</tr>\n`)}</tbody></table>\n`;
}

/** How the page looks: on a phone and on A4, in colours and in black and white. Nothing is fetched. */
export const PAGE_STYLE = `
:root{--paper:#fff;--ink:#16191d;--soft:#545d68;--line:#d5dae0;--calm:#1f7a57;--attention:#5b46b5;--urgent:#a15c00;color-scheme:light}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,"Segoe UI",Roboto,Arial,sans-serif;
font-variant-numeric:tabular-nums lining-nums}
main{max-width:60rem;margin:0 auto;padding:2rem 1.25rem 3rem}
h1,h2,h3,p,dl,dd,ul{margin:0 0 .5rem}
h1{font-size:1.6rem;line-height:1.2;overflow-wrap:anywhere}
h2{font-size:1.05rem;margin:2rem 0 .75rem;padding-top:.75rem;border-top:2px solid var(--ink)}
h3{font-size:.95rem;margin-top:1.25rem}
bdi,dd,code,td,p{overflow-wrap:anywhere}
code{font:.85em/1.5 ui-monospace,Menlo,Consolas,monospace}
.soft{color:var(--soft);font-size:.9rem;font-weight:400}
.verdict{margin-bottom:1.25rem;padding:.7rem 1rem;border:1px solid var(--line);border-left:6px solid var(--tone);
font-size:1.2rem;line-height:1.35;font-weight:600}
.calm{--tone:var(--calm)}.attention{--tone:var(--attention)}.urgent{--tone:var(--urgent)}
table{width:100%;border-collapse:collapse;font-size:.9rem;line-height:1.4}
th,td{text-align:left;vertical-align:top;padding:.4rem .9rem .4rem 0;border-bottom:1px solid var(--line);font-weight:400}
thead th{font-size:.78rem;color:var(--soft);vertical-align:bottom}
.figure{text-align:right;white-space:nowrap}
dl{display:grid;grid-template-columns:minmax(8rem,13rem) 1fr;gap:.3rem 1.5rem;margin-top:1.25rem;font-size:.9rem}
dt{color:var(--soft)}
.signs{display:grid;grid-template-columns:repeat(3,1fr);gap:2rem;margin-top:2rem}
.rule{border-bottom:1px solid var(--ink);padding-top:1.9rem;font-size:.78rem;color:var(--soft)}
@media (max-width:40rem){table{display:block;overflow-x:auto}.signs{grid-template-columns:1fr}}
@page{size:A4;margin:18mm 14mm 16mm;@top-right{font:8pt sans-serif}
@bottom-right{font:8pt sans-serif;content:counter(page) " of " counter(pages)}}
@media print{
:root{--paper:#fff;--ink:#000;--soft:#3d434a;--line:#9aa1a9;--calm:#000;--attention:#000;--urgent:#000;color-scheme:light}
body{font-size:9.5pt}main{max-width:none;padding:0}table{font-size:8.5pt}
h2,h3{break-after:avoid}tr,.signs{break-inside:avoid}thead{display:table-header-group}
}
`;
