import { FRAME_WORDS, type PageName } from "../messages/frame.ts";
import { markup, nothing, said, type Html, type Shown } from "../pages/html.ts";
import { alertOf } from "../pages/parts.ts";
import { SHEETS } from "../pages/sheets.ts";
import { button, form } from "./forms.ts";

/** What an act of a person said, shown once. */
export interface News {
  readonly isGood: boolean;
  readonly lines: readonly Shown[];
}

/** What one page shows. */
export interface Page {
  readonly title: string;
  /** In place of the title. */
  readonly heading?: Shown;
  /** The page in the menu that it belongs to. */
  readonly at?: PageName;
  readonly crumb?: Shown;
  /** One line of facts. */
  readonly sub?: Shown;
  readonly acts?: Shown;
  readonly content: Shown;
  readonly foot?: Shown;
  /** The address of what is shown anew while it changes. */
  readonly live?: string;
}

/** What every page says besides. */
export interface Frame {
  /** Which service, test or live. */
  readonly service?: Shown;
  readonly isTest?: boolean;
  /** Who is signed in, and may see the menu. */
  readonly name?: string | undefined;
  readonly role?: keyof typeof FRAME_WORDS.roles | undefined;
  readonly csrf: string;
  /** What waits, by the page where it is decided. */
  readonly counts?: Readonly<Partial<Record<PageName, number>>>;
  /** What keeps anything from going. */
  readonly alerts?: Shown;
  /** What the last act said. */
  readonly news?: News | undefined;
  readonly zone?: string | undefined;
}

export function pageOf(page: Page, frame: Frame): Html {
  const { title, heading = title, crumb, sub, acts, content, foot, live } = page;
  const { news, name, service, isTest, zone } = frame;
  const kind = isTest === false ? "env real" : "env";
  const bar = service !== undefined && markup`<p class="${kind}">${service}</p>`;
  const times = zone === undefined ? nothing : markup`Times are in ${zone}.`;
  const subLine = sub !== undefined && sub !== "" && markup`<p class="sub">${sub}</p>`;
  const head = markup`<div class="head"><div>${crumb !== undefined && markup`<p class="crumb">${crumb}</p>`}<h1>${heading}</h1>${subLine}</div>${acts !== undefined && acts !== false && markup`<div class="acts">${acts}</div>`}</div>`;
  const sheets = SHEETS.map((sheet) => markup`<link rel="stylesheet" href="/${sheet}">`);
  const address = live !== undefined && markup` data-live="${live}"`;
  const stale = alertOf({ label: FRAME_WORDS.stale_label, lines: [FRAME_WORDS.stale, FRAME_WORDS.stale_todo] });
  // with </ the build would put a helper of its own, which no package brings, around this template
  return markup`<!doctype html>
<html lang="en-IN"><head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${title} · paydrop</title>${sheets}<script src="/live.js" defer><\/script>
</head><body${address}><a class="skip" href="#main">To the content</a>
<header class="top">${bar}<div class="wrap">${name === undefined ? brand : menuOf(page, frame)}</div></header>
<main id="main" tabindex="-1"><div class="wrap">${head}<div id="stale" hidden>${stale}</div>${news && newsOf(news)}<div id="alerts">${frame.alerts}</div>${content}<footer>${foot} ${times}</footer></div></main></body></html>`;
}

const brand = markup`<a class="brand" href="/">paydrop</a>`;

const MENU: readonly (readonly [path: PageName, text: string])[] = [
  ["/", "Today"],
  ["/decide", "Decide"],
  ["/approvals", "Approvals"],
  ["/find", "Files"],
  ["/reconcile", "Statements"],
  ["/upload", "Upload"],
  ["/help", "Help"],
];

function menuOf({ at }: Page, { name = "", role, csrf, counts = {} }: Frame): Html {
  const links = MENU.map(([path, text]) => {
    const here = path === at && markup` aria-current="page"`;
    return markup`<li><a href="${path}"${here}>${text} <span id="count-${path.slice(1)}">${countOf(path, counts[path])}</span></a></li>`;
  });
  const find = markup`<form class="find" role="search" action="/find"><label class="hide" for="find">Find a payment</label><input id="find" type="search" name="q" maxlength="200" placeholder="Name, reference, last 4 digits"></form>`;
  const me = markup`<a href="/password">${said(name)}</a> <span>${role && FRAME_WORDS.roles[role]}</span> ${button("Sign out", "quiet")}`;
  return markup`${brand}<nav aria-label="Pages"><ul>${links}</ul></nav>${at === "/find" ? markup`<div class="find"></div>` : find}${form("/sign-out", csrf, me, { kind: "me" })}`;
}

/** Beside the name of its page. */
export function countOf(path: PageName, count = 0): Html {
  const [one, many, todo] = path === "/decide" ? ["payment", "payments", "decide"] : ["file", "files", "approve"];
  const what = `${count === 1 ? one : many} to ${todo}`;
  return count === 0 ? nothing : markup`<span class="count">${count}<span class="hide"> ${what}</span></span>`;
}

/** It has the focus when the page comes: who hears the page hears it first. */
function newsOf({ isGood, lines }: News): Html {
  const [kind, role] = isGood ? ["good", "status"] : ["", "alert"];
  const texts = lines.map((line, at) => markup`<p>${at === 0 ? markup`<strong>${line}</strong>` : line}</p>`);
  return markup`<section class="news alert ${kind}" role="${role}" aria-label="What became of it" tabindex="-1" autofocus><div>${texts}</div></section>`;
}
