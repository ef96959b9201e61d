import { unitsOf } from "../amount.ts";
import type { ByStatus, ResultStatus } from "../events.ts";
import type { Figures } from "../figures.ts";
import { SHOWN, type Kind } from "../messages/pages.ts";
import { isShown, markup, nothing, said, type Html, type Shown } from "./html.ts";

/** A tag is for what is not as it should be: one for a line. */
export const tag = (text: Shown, kind: Kind = "idle"): Html =>
  markup`<span class="tag ${kind === "idle" ? "" : kind}">${text}</span>`;

/** `accepted` is a quiet word, whatever else a tag. */
export function statusTag(status: ResultStatus): Html {
  if (status === "accepted") return markup`<span class="soft">accepted</span>`;
  return tag(SHOWN[status].word, SHOWN[status].kind);
}

export const dot = (kind: Kind): Html => markup`<i class="dot ${kind}" aria-hidden="true"></i>`;

export const payments = (rows: number, figures: Pick<Figures, "count">): string =>
  `${figures.count(rows)} ${rows === 1 ? "payment" : "payments"}`;

/** In the order of bars: it went, nobody knows, a person must say, it did not go. */
export function shownIn<T>(counts: Readonly<Partial<Record<ResultStatus, T>>>): readonly [ResultStatus, T][] {
  return (Object.keys(SHOWN) as readonly ResultStatus[]).flatMap((status) => {
    const count = counts[status];
    return count === undefined ? [] : [[status, count]];
  });
}

/** `192 accepted · 28 no clear answer`. */
export function countsText(byStatus: ByStatus, figures: Figures): string {
  const counts = shownIn(byStatus).map(([status, { rows }]) => {
    const { word } = SHOWN[status];
    return `${figures.count(rows)} ${word.charAt(0).toLowerCase()}${word.slice(1).replace("?", "")}`;
  });
  return counts.join(" · ");
}

/** A bar by sums; the numbers stand below it as text. */
export function barOf(byStatus: ByStatus, kind = ""): Html {
  const parts = shownIn(byStatus).map(([status, { amount }]) => [SHOWN[status].kind, unitsOf(amount)] as const);
  const total = parts.reduce((sum, [, units]) => sum + units, 0n);
  if (total === 0n) return nothing;
  let at = 0;
  const drawn = parts.map(([is, units]) => {
    // what is little is wide enough to be seen
    const width = Math.max(units === 0n ? 0 : 8, Number((units * 1000n) / total));
    at += width;
    return markup`<rect class="${is}" x="${at - width}" width="${width}" height="1"/>`;
  });
  return markup`<svg class="bar ${kind}" viewBox="0 0 ${at} 1" preserveAspectRatio="none" aria-hidden="true">${drawn}</svg>`;
}

type Tile = readonly [title: Shown, sum: Shown, below?: Shown];

/** Sums above a page. */
export function tilesOf(tiles: readonly Tile[]): Html {
  const all = tiles.map(
    ([title, sum, below]) =>
      markup`<div><dt>${title}</dt><dd>${sum}</dd>${isShown(below) && markup`<dd>${below}</dd>`}</div>`,
  );
  return markup`<dl class="tiles">${all}</dl>`;
}

/** Above a section: its title, and count and sum to the right. */
export function over(title: Shown, { id, right }: { readonly id?: string; readonly right?: Shown } = {}): Html {
  const name = id !== undefined && markup` id="${id}"`;
  return markup`<div class="over"><h2${name}>${title}</h2>${isShown(right) && markup`<p>${right}</p>`}</div>`;
}

export const card = (content: Shown, kind = ""): Html => markup`<div class="card ${kind}">${content}</div>`;

interface Alert {
  readonly label: string;
  readonly lines: readonly Shown[];
  readonly acts?: Shown;
  readonly kind?: "" | "wait" | "good" | "plain";
  readonly role?: "alert" | "status";
}

/** What is grave, above the sums; its first line is strong. */
export function alertOf({ label, lines: [first, ...more], acts, kind = "", role }: Alert): Html {
  const text = markup`<div><p><strong>${first}</strong></p>${more.map((line) => markup`<p>${line}</p>`)}</div>`;
  const said = role !== undefined && markup` role="${role}"`;
  return markup`<section class="alert ${kind}"${said} aria-label="${label}">${text}${isShown(acts) && markup`<div class="acts">${acts}</div>`}</section>`;
}

/** What is so, each with its name; what is undefined is left out. */
export function factsOf(facts: Readonly<Record<string, Shown>>, kind = "in"): Html {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  return markup`<dl class="facts ${kind}">${known.map(([name, value]) => markup`<dt>${name}</dt><dd>${typeof value === "string" ? said(value) : value}</dd>`)}</dl>`;
}

/** A line of work: what it is, what to do, how much, one button. */
export interface Todo {
  readonly tag: Html;
  readonly what: Shown;
  readonly why?: Shown;
  readonly sum?: Shown;
  readonly act?: Shown;
  readonly isGrave?: boolean;
}

export function todoList(all: readonly Todo[], kind = ""): Html {
  const lines = all.map(({ tag: is, what, why, sum, act, isGrave = false }) => {
    const text = markup`<div class="what"><p>${what}</p>${isShown(why) && markup`<p class="why">${why}</p>`}</div>`;
    const end = kind === "plain" ? nothing : markup`<div class="do">${act}</div>`;
    return markup`<li class="${isGrave && "grave"}">${is}${text}<p class="sum">${isShown(sum) && markup`<b>${sum}</b>`}</p>${end}</li>`;
  });
  return markup`<ul class="todo ${kind} card">${lines}</ul>`;
}

/** Links to parts of a list. */
export function tabsOf(label: string, tabs: readonly (readonly [href: string, text: Shown, isHere?: boolean])[]): Html {
  const all = tabs.map(
    ([href, text, isHere]) =>
      markup`<li><a href="${href}"${isHere === true && markup` aria-current="true"`}>${text}</a></li>`,
  );
  return markup`<nav aria-label="${label}"><ul class="tabs">${all}</ul></nav>`;
}
