import type { Clock } from "./clock.ts";
import { asIs, html, NOTHING, type Html } from "./html.ts";

/**
 * An amount with small gaps between its groups of three. The gaps are drawn, not written: copied, it is the plain
 * number of the results file.
 */
export function amountOf(amount: string): Html {
  const point = amount.indexOf(".");
  const whole = point < 0 ? amount : amount.slice(0, point);
  const groups: string[] = [];
  for (let end = whole.length; end > 0; end -= 3) groups.unshift(whole.slice(Math.max(0, end - 3), end));
  const shown = groups.map((group, index) => (index === 0 ? html`${group}` : html`<i>${group}</i>`));
  return html`<span class="sum">${shown}${point < 0 ? "" : amount.slice(point)}</span>`;
}

export interface TableColumn {
  readonly title: string;
  /** Figures stand to the right. */
  readonly isFigure?: boolean;
  /** A sentence, which may be broken anywhere; what else stands in a cell is broken only where it must be. */
  readonly isProse?: boolean;
}

/**
 * A table that becomes a list of cards on a phone (`isWide`): the roles stay what they are although the cells are no
 * table cells any more, and each cell says its column. The first cell of a row names it.
 */
export function table(
  name: string,
  columns: readonly TableColumn[],
  rows: readonly (readonly Html[])[],
  options: { readonly isWide?: boolean; readonly foot?: readonly Html[] } = {},
): Html {
  const head = columns.map(
    (column) => html`<th scope="col" role="columnheader" ${classOf(column)}>${column.title}</th>`,
  );
  const line = (cells: readonly Html[]): Html =>
    html`<tr role="row">
      ${cells.map((cell, index) => cellOf(cell, columns[index], index))}
    </tr> `;
  const foot = options.foot
    ? html`<tfoot role="rowgroup">
        ${line(options.foot)}
      </tfoot>`
    : NOTHING;
  return html`<table
    role="table"
    aria-label="${name}"
    ${options.isWide === true ? asIs('class="wide-table"') : NOTHING}
  >
    <thead role="rowgroup">
      <tr role="row">
        ${head}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(line)}
    </tbody>
    ${foot}
  </table>`;
}

function cellOf(cell: Html, column: TableColumn | undefined, index: number): Html {
  if (cell.text === "") return html`<td role="cell" class="empty"></td>`;
  if (index === 0)
    return html`<th scope="row" role="rowheader" data-column="${column?.title ?? ""}" ${classOf(column)}>${cell}</th>`;
  return html`<td role="cell" data-column="${column?.title ?? ""}" ${classOf(column)}>${cell}</td>`;
}

function classOf(column: TableColumn | undefined): Html {
  if (column?.isFigure === true) return asIs('class="figure"');
  return asIs(column?.isProse === true ? 'class="prose"' : "");
}

/** A time with the same moment for machines. */
export function stampOf(atMs: number, clock: Clock): Html {
  const [day = "", time = ""] = clock.stamp(atMs).split(", ");
  return html`<time datetime="${new Date(atMs).toISOString()}"><span>${day},</span> <span>${time}</span></time>`;
}

/** As many characters as a cell of a table keeps on one line. */
const SHORT_CHARACTERS = 24;

/** What somebody else wrote: its direction is its own, and a long word of it is broken anywhere. */
export function said(text: string): Html {
  return text.length > SHORT_CHARACTERS ? html`<bdi class="long">${text}</bdi>` : html`<bdi>${text}</bdi>`;
}
