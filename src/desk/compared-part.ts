import { notesOn, nothingText, seenText, statementTexts, type Finding, type Group } from "../acts/findings.ts";
import type { Figures } from "../figures.ts";
import { DESK_WAYS, DESK_WORDS } from "../messages/desk.ts";
import { asSentence, counted, told } from "../messages/sentence.ts";
import { markup, tableOf, type Html } from "../pages/html.ts";
import { card, dot, over, payments, tilesOf } from "../pages/parts.ts";
import { KINDS, rowsIn, type Compared } from "./compared.ts";
import { nowOf, proposedPart, returnedPart, ROWS_SHOWN, tableFor, type Part } from "./compared-forms.ts";
import type { Desk } from "./desk.ts";
import type { Asked } from "./pages.ts";

const countOf = (figures: Figures, is: Finding["is"], rows: number): string =>
  is === "strange" ? `${figures.count(rows)} ${rows === 1 ? "line" : "lines"}` : payments(rows, figures);

/** Account and days, where they are known. */
export function comparedHead({ found, fileName, debit }: Compared): { readonly title: string; readonly sub: string } {
  const { bank, account, days } = statementTexts(found.statement);
  const read = `${counted(found.statement.lines, "line")} of ${fileName}`;
  return { title: [debit, days].filter(Boolean).join(", "), sub: [bank, account, read].filter(Boolean).join(" · ") };
}

export async function comparedPart(desk: Desk, { csrf }: Asked, id: string, one: Compared): Promise<Html> {
  const { figures } = desk;
  const { found, groups } = one;
  const tiles = tilesOf([
    ["Accepted, and found", figures.count(found.seen), `of ${payments(found.accepted, figures)} in these days`],
    ...groups
      .slice(0, 3)
      .map(({ is, rows, amount }) => [KINDS[is][1], figures.money(amount), countOf(figures, is, rows)] as const),
  ]);
  const texts = [seenText(found), ...notesOn(found), ...(groups.length === 0 ? [nothingText()] : [])];
  const notes = markup`<ul class="card list after">${texts.map((text) => markup`<li><span>${asSentence(text)}</span></li>`)}</ul>`;
  const parts = await Promise.all(groups.map((group) => groupPart(desk, csrf, { id, one, group })));
  return markup`${tiles}${notes}${groups.length > 0 && markup`${over("What the lines say")}${card(summaryTable(desk, groups))}`}${parts}`;
}

function summaryTable({ figures }: Desk, groups: readonly Group[]): Html {
  const lines = groups.map(({ is, rows, amount }) => {
    const [kind, title, todo] = KINDS[is];
    return [
      markup`${dot(kind)}<a href="#${is}">${title}</a><small>${countOf(figures, is, rows)}</small>`,
      figures.money(amount),
      todo,
    ];
  });
  const columns = ["Lines", ["Amount", "n"], ["What to do", "wide", "soft"]] as const;
  return tableOf({ caption: "What the statement says of payments", isHidden: true, columns }, lines);
}

async function groupPart(desk: Desk, csrf: string, part: Part & { readonly group: Group }): Promise<Html> {
  const { group, one } = part;
  const { is, all, rows, amount } = group;
  const { figures } = desk;
  const right = `${countOf(figures, is, rows)}, ${figures.money(amount)}`;
  const heading = over(KINDS[is][1], { id: is, right });
  if (is === "proposed") return markup`${heading}${await proposedPart(desk, csrf, part)}`;
  if (is === "returned") return markup`${heading}${await returnedPart(desk, csrf, part)}`;
  const now = await nowOf(desk, rowsIn(one, is).slice(0, ROWS_SHOWN));
  const more =
    rows > ROWS_SHOWN && markup`<p class="in soft">${told(DESK_WORDS.more_such, { more: rows - ROWS_SHOWN }).text}</p>`;
  const means = is !== "strange" && elsewhere;
  return markup`${heading}${card(markup`${means && markup`<p class="in soft">${means}</p>`}${tableFor(desk, is, all.slice(0, ROWS_SHOWN), now)}${more}`)}`;
}

const elsewhere = markup`${DESK_WORDS.look_elsewhere} <a href="/decide">${DESK_WAYS.settle}</a>.`;
