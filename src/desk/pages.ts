import type { Context, Hono } from "hono";
import { DESK_WORDS } from "../messages/desk.ts";
import { told, type Facts } from "../messages/sentence.ts";
import type { Account } from "../acts/accounts.ts";
import type { Desk } from "./desk.ts";
import type { ActOf, ActPath, PagePath } from "./rights.ts";
import type { Html } from "../pages/html.ts";
import { markup } from "../pages/html.ts";
import { pageOf, type News, type Page } from "./frame.ts";
import type { ReadStatements } from "./read-statements.ts";
import type { Visitors } from "./visitors.ts";

/** What a form brought: texts, lists of texts, files. */
export type Form = Readonly<Record<string, string | File | (string | File)[]>>;

export interface Asked {
  readonly c: Context;
  readonly account: Account;
  readonly csrf: string;
}

export interface Posted extends Asked {
  readonly form: Form;
  /** A text of the form, empty where it has none. */
  readonly text: (name: string) => string;
  readonly texts: (name: string) => readonly string[];
}

export type Word = keyof typeof DESK_WORDS;
export type Answer = Response | Promise<Response>;

/** How pages are added; whoever is not signed in, or may not do it, never comes to their code. */
export interface Pages {
  readonly desk: Desk;
  readonly app: Hono;
  readonly visitors: Visitors;
  /** What the bank says of payments, as far as anybody compared it here. */
  readonly statements: ReadStatements;
  page(path: PagePath, show: (asked: Asked) => Answer): void;
  /** A person's act, by those whose role allows it (`ACTS`); it answers with another page. */
  act<Path extends ActPath>(path: Path, carryOut: (posted: Posted, act: ActOf<Path>) => Answer): void;
  /** A page in the frame, with what the last act said. */
  framed(asked: Asked, page: Page): Promise<Response>;
  /** To that page, which says what became of it. */
  goTo(asked: Asked, path: string, news: News): Response;
  /** Parts of a page that are shown anew while they change, by their ids. */
  live(path: PagePath, parts: (asked: Asked) => Promise<Readonly<Record<string, Html>>>): void;
}

/** Beside the token: a browser says by itself that a form stood on another site. */
export function isFromHere(c: Context): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin" || site === "none";
  const origin = c.req.header("origin");
  return origin === undefined || URL.parse(origin)?.host === c.req.header("host");
}

export async function formOf(c: Context): Promise<Pick<Posted, "form" | "text" | "texts">> {
  const form: Form = await c.req.parseBody({ all: true });
  const texts = (name: string): readonly string[] =>
    [form[name] ?? []].flat().filter((value): value is string => typeof value === "string");
  return { form, texts, text: (name) => texts(name)[0] ?? "" };
}

/** A page for whoever is not to see any other. */
export function plain(
  c: Context,
  status: 403 | 404 | 409 | 411 | 413 | 421 | 429 | 500 | 503,
  word: Word,
  facts: Facts = {},
): Response {
  const { text, todo } = told(DESK_WORDS[word], facts);
  const content = markup`<p>${todo}</p><p><a href="/">Today</a></p>`;
  return c.html(pageOf({ title: text, content }, { csrf: "" }).toString(), status);
}

export const goodNewsOf = (word: Word, facts?: Facts): News => ({ ...newsOf(word, facts), isGood: true });

/** Nothing was done. */
export function newsOf(word: Word, facts: Facts = {}): News {
  const { text, todo } = told(DESK_WORDS[word], facts);
  return { isGood: false, lines: todo === "" ? [text] : [text, todo] };
}
