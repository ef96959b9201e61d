import { setTimeout as sleep } from "node:timers/promises";
import type { Context, Hono, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { streamSSE, type SSEStreamingApi } from "hono/streaming";
import { mayDo, type Account } from "../acts/accounts.ts";
import type { Desk } from "./desk.ts";
import { FRAME_WORDS } from "../messages/frame.ts";
import { filled } from "../messages/sentence.ts";
import { markup, type Html } from "../pages/html.ts";
import { countOf, pageOf, type News, type Page } from "./frame.ts";
import { alertsOf, KnownNow } from "./now.ts";
import { formOf, isFromHere, plain, type Answer, type Asked, type Pages, type Posted } from "./pages.ts";
import { PAGES, rightOf, type ActOf, type ActPath, type PagePath } from "./rights.ts";
import { ReadStatements } from "./read-statements.ts";
import type { Visitors } from "./visitors.ts";

/** Where a path says nothing else. */
const FORM_BYTES_MAX = 1024 * 1024;
/** Each is wholly in memory while it is read. */
const UPLOADS_AT_ONCE = 2;
const LIVE_MS = 2_000;

/** Pages and acts by their paths; whoever is not signed in, or may not do it, never comes to their code. */
export class Routes implements Pages {
  readonly desk: Desk;
  readonly app: Hono;
  readonly visitors: Visitors;
  readonly statements = new ReadStatements();
  /** What the last act of somebody said, until a page has shown it. */
  readonly #news = new Map<string, News>();
  readonly #ending = new AbortController();
  readonly #known: KnownNow;
  #uploads = 0;

  constructor(desk: Desk, app: Hono, visitors: Visitors) {
    this.desk = desk;
    this.app = app;
    this.visitors = visitors;
    this.#known = new KnownNow(desk);
    this.live("/live", () => Promise.resolve({}));
  }

  /** Nothing is shown anew any more. */
  end(): void {
    this.#ending.abort();
  }

  page(path: PagePath, show: (asked: Asked) => Answer): void {
    this.app.get(path, async (c) => {
      const account = await this.visitors.accountOf(c);
      if (!account) return c.redirect("/sign-in", 303);
      if (account.isOneTime && path !== "/password") return c.redirect("/password", 303);
      if (!mayDo(account.role, PAGES[path])) return plain(c, 403, "no_right");
      return show({ c, account, csrf: this.visitors.csrfOf(c) });
    });
  }

  act<Path extends ActPath>(path: Path, carryOut: (posted: Posted, act: ActOf<Path>) => Answer): void {
    const { role, act, bytesMax = FORM_BYTES_MAX } = rightOf(path);
    // who it is is known before a byte of what they bring is read
    const allowed: MiddlewareHandler<Signed> = async (c, next) => {
      if (!isFromHere(c)) return plain(c, 403, "other_site");
      const account = await this.visitors.accountOf(c);
      if (!account) return c.redirect("/sign-in", 303);
      if (account.isOneTime && !/^\/(?:password|sign-out)$/.test(path)) return plain(c, 403, "one_time");
      if (!mayDo(account.role, role)) return plain(c, 403, "no_right");
      c.set("account", account);
      return next();
    };
    const isUpload = bytesMax > FORM_BYTES_MAX;
    this.app.post(path, allowed, lengthLimit(bytesMax), async (c) => {
      if (isUpload && this.#uploads >= UPLOADS_AT_ONCE) return plain(c, 503, "busy");
      this.#uploads += Number(isUpload);
      try {
        const csrf = this.visitors.csrfOf(c);
        const posted = await formOf(c);
        if (posted.text("csrf") !== csrf) return plain(c, 403, "other_site");
        return await carryOut({ c, account: c.get("account"), csrf, ...posted }, act);
      } finally {
        this.#uploads -= Number(isUpload);
      }
    });
  }

  async framed(asked: Asked, page: Page): Promise<Response> {
    const { c, account, csrf } = asked;
    const { figures, config } = this.desk;
    const last = this.#news.get(csrf);
    this.#news.delete(csrf);
    const now = await this.#known.get();
    const isTest = config.environment === "test";
    const frame = {
      ...{ name: account.name, role: account.role, csrf, news: last, counts: now.counts, isTest },
      service: filled(FRAME_WORDS[isTest ? "test" : "live"], { host: hostOf(config.base_url) }),
      ...{ alerts: alertsOf(this.desk, now, asked), zone: figures.zone },
    };
    // nothing is live for whoever only chooses a password
    return c.html(pageOf({ ...(!account.isOneTime && { live: "/live" }), ...page }, frame));
  }

  goTo({ c, csrf }: Asked, path: string, news: News): Response {
    this.#news.set(csrf, news);
    this.#known.forget();
    return c.redirect(path, 303);
  }

  live(path: PagePath, parts: Live["parts"]): void {
    this.app.get(path, async (c) => {
      const account = await this.visitors.accountOf(c, { isActive: false });
      if (!account || account.isOneTime || !mayDo(account.role, PAGES[path])) return c.body(null, 403);
      // a web server before it must not keep it until it is full
      c.header("x-accel-buffering", "no");
      // what fails while the desk ends is no news; anything else is told in one line, without what lies behind it
      const failed = (error: Error): Promise<void> => {
        if (!this.#ending.signal.aborted) this.desk.say(`desk: ${error.message}`);
        return Promise.resolve();
      };
      return streamSSE(c, (stream) => this.#showAnew(stream, { c, account, parts }), failed);
    });
  }

  /** As long as they look and are signed in. By its time a page knows that it is not old. */
  async #showAnew(stream: SSEStreamingApi, { c, account, parts }: Live): Promise<void> {
    const { signal } = this.#ending;
    const shown = new Map<string, string>();
    for (
      let of: Account | undefined = account;
      of && !stream.aborted;
      of = await this.visitors.accountOf(c, { isActive: false })
    ) {
      const asked = { c, account: of, csrf: this.visitors.csrfOf(c) };
      const all = Object.entries({ ...(await this.#frameParts(asked)), ...(await parts(asked)) });
      const texts = all.map(([id, part]) => [id, part.toString()] as const);
      const changed = texts.filter(([id, text]) => shown.get(id) !== text);
      for (const [id, text] of changed) shown.set(id, text);
      await stream.writeSSE({ data: JSON.stringify(Object.fromEntries(changed)) });
      await sleep(LIVE_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
  }

  async #frameParts(asked: Asked): Promise<Readonly<Record<string, Html>>> {
    const now = await this.#known.get();
    const { figures, store } = this.desk;
    const counts = (["/decide", "/approvals"] as const).map((path) => [
      `count-${path.slice(1)}`,
      countOf(path, now.counts[path]),
    ]);
    return {
      ...(Object.fromEntries(counts) as Record<string, Html>),
      alerts: alertsOf(this.desk, now, asked),
      now: markup`${figures.second(store.now())}`,
    };
  }
}

const hostOf = (baseUrl = ""): string => URL.parse(baseUrl)?.host ?? "no address";

/** What is known of a request once it may be carried out. */
interface Signed {
  readonly Variables: { readonly account: Account };
}

interface Live {
  readonly c: Context;
  readonly account: Account;
  readonly parts: (asked: Asked) => Promise<Readonly<Record<string, Html>>>;
}

/** Of what says its length: whatever else is sent costs nothing. */
export function lengthLimit(most: number): MiddlewareHandler {
  const counted = bodyLimit({ maxSize: most, onError: (c) => plain(c, 413, "too_large") });
  return async (c, next) => {
    if (c.req.method === "POST" && !/^\d+$/.test(c.req.header("content-length") ?? ""))
      return plain(c, 411, "no_length");
    return counted(c, next);
  };
}
