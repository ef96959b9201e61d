import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { AddressInfo } from "node:net";
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { Hono, type Context, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { getCookie, setCookie } from "hono/cookie";
import { streamSSE, type SSEStreamingApi } from "hono/streaming";
import { messageOf, PaydropError } from "../errors.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { csrfOf, mayDo, whoseSession, type Account } from "./accounts.ts";
import { approvalPages } from "./approvals.ts";
import { batchPages } from "./batch.ts";
import { decidePages } from "./decide.ts";
import type { Desk } from "./desk.ts";
import { helpPages } from "./help.ts";
import { pageOf, type News } from "./html.ts";
import { formOf, isFromHere, plain, type Pages } from "./pages.ts";
import { PAGES, rightOf } from "./rights.ts";
import { signInPages } from "./sign-in.ts";
import { todayPages } from "./today.ts";
import { uploadPages } from "./upload.ts";

/** Where a path says nothing else. */
const FORM_BYTES_MAX = 1024 * 1024;
/** Name, password and token. */
const SIGN_IN_BYTES_MAX = 16 * 1024;
/** Each is wholly in memory while it is read. */
const UPLOADS_AT_ONCE = 2;
const LIVE_MS = 2_000;
const COOKIE = { httpOnly: true, sameSite: "Strict", path: "/" } as const;
const KNOWN_SECONDS = 180 * 24 * 3600;

/** All of it from here, nothing inline, nobody else's frame around it. */
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  // with none a browser would not say where a form came from
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
} as const;

/**
 * Serves the desk on 127.0.0.1 until `close`; `acts`: every path by which something can be changed. Rejects with the
 * system's error where the port is taken.
 */
export async function serveDesk(desk: Desk, port: number) {
  const app = new Hono();
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions: { requestTimeout: 120_000 } }) as Server;
  let cookie = "";
  const news = new Map<string, News>();
  const ending = new AbortController();
  const isForwarded = desk.config.desk_url !== undefined;
  let uploads = 0;

  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(HEADERS)) if (!c.res.headers.has(name)) c.res.headers.set(name, value);
  });
  app.notFound((c) => plain(c, 404, "no_page"));
  app.onError((error, c) => {
    desk.say(`desk: ${error instanceof PaydropError ? error.message : (error.stack ?? messageOf(error))}`);
    return plain(c, 500, "broken", { found: error instanceof PaydropError ? error.message : DESK_WORDS.unforeseen });
  });
  // a page of another site whose name leads here by now must not ask in somebody's name
  app.use(async (c, next) => {
    if (!isOurHost(c.req.header("host") ?? "", desk.config.desk_url)) return plain(c, 421, "other_host");
    return next();
  });
  app.use("/sign-in", lengthLimit(SIGN_IN_BYTES_MAX));

  const tokenOf = (c: Context): string | undefined => getCookie(c, cookie);
  const accountOf = async (c: Context, isActive = true): Promise<Account | undefined> => {
    const token = tokenOf(c);
    return token === undefined ? undefined : whoseSession(desk.store, token, desk.store.now(), isActive);
  };
  const signIn = (c: Context, token: string): void => {
    setCookie(c, cookie, token, { ...COOKIE, secure: isSecure(c) });
  };
  const isSecure = (c: Context): boolean => isForwarded && c.req.header("x-forwarded-proto") === "https";

  const pages: Pages = {
    ...{ desk, app, signIn, tokenOf },
    page(path, show) {
      app.get(path, async (c) => {
        const account = await accountOf(c);
        if (!account) return c.redirect("/sign-in", 303);
        if (account.isOneTime && path !== "/password") return c.redirect("/password", 303);
        if (!mayDo(account.role, PAGES[path])) return plain(c, 403, "no_right");
        return show({ c, account, csrf: csrfOf(tokenOf(c) ?? "") });
      });
    },
    act(path, carryOut) {
      const { role, act, bytesMax = FORM_BYTES_MAX } = rightOf(path);
      // who it is is known before a byte of what they bring is read
      const allowed: MiddlewareHandler = async (c, next) => {
        if (!isFromHere(c)) return plain(c, 403, "other_site");
        const account = await accountOf(c);
        if (!account) return c.redirect("/sign-in", 303);
        if (account.isOneTime && !/^\/(?:password|sign-out)$/.test(path)) return plain(c, 403, "one_time");
        if (!mayDo(account.role, role)) return plain(c, 403, "no_right");
        return next();
      };
      const isUpload = bytesMax > FORM_BYTES_MAX;
      app.post(path, allowed, lengthLimit(bytesMax), async (c) => {
        const account = await accountOf(c);
        if (!account) return c.redirect("/sign-in", 303);
        if (isUpload && uploads >= UPLOADS_AT_ONCE) return plain(c, 503, "busy");
        uploads += Number(isUpload);
        try {
          const csrf = csrfOf(tokenOf(c) ?? "");
          const posted = await formOf(c);
          if (posted.text("csrf") !== csrf) return plain(c, 403, "other_site");
          return await carryOut({ c, account, csrf, ...posted }, act);
        } finally {
          uploads -= Number(isUpload);
        }
      });
    },
    framed({ c, account, csrf }, page) {
      const { name, role } = account;
      const last = news.get(csrf);
      news.delete(csrf);
      return c.html(pageOf({ ...page, name, role, csrf, news: last }));
    },
    goTo({ c, csrf }, path, said) {
      news.set(csrf, said);
      return c.redirect(path, 303);
    },
    live(path, part) {
      app.get(path, async (c) => {
        const first = await accountOf(c, false);
        if (!first || first.isOneTime || !mayDo(first.role, PAGES[path])) return c.body(null, 403);
        // a web server before it must not keep it until it is full
        c.header("x-accel-buffering", "no");
        // what fails while the desk ends is no news; anything else is told in one line, without what lies behind it
        const failed = (error: Error): Promise<void> => {
          if (!ending.signal.aborted) desk.say(`desk: ${error.message}`);
          return Promise.resolve();
        };
        const send = async (stream: SSEStreamingApi): Promise<void> => {
          let shown = "";
          for (let of: Account | undefined = first; of && !stream.aborted; of = await accountOf(c, false)) {
            const text = (await part({ c, account: of, csrf: csrfOf(tokenOf(c) ?? "") })).toString();
            if (text !== shown) await stream.writeSSE({ data: JSON.stringify(text) });
            shown = text;
            await sleep(LIVE_MS, undefined, { signal: ending.signal }).catch(() => undefined);
            if (ending.signal.aborted) return;
          }
        };
        return streamSSE(c, send, failed);
      });
    },
    addressOf(c) {
      // behind a web server on this machine the last one is whom that one has seen; without one anybody could say so
      const forwarded = isForwarded ? c.req.header("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
      return forwarded || (getConnInfo(c).remote.address ?? "");
    },
    known: {
      of: (c) => getCookie(c, `${cookie}-known`),
      keep: (c, token) =>
        setCookie(c, `${cookie}-known`, token, { ...COOKIE, secure: isSecure(c), maxAge: KNOWN_SECONDS }),
    },
  };
  for (const name of ["style.css", "live.js"]) serveFile(app, name);
  for (const add of [signInPages, todayPages, batchPages, decidePages, approvalPages, uploadPages, helpPages])
    add(pages);

  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  // no file descriptor left for one more visitor: whatever else this process does goes on
  server.on("error", (error) => desk.say(`desk: ${messageOf(error)}`));
  const at = (server.address() as AddressInfo).port;
  // another desk on this machine has another cookie
  cookie = `paydrop-${at}`;
  return {
    url: `http://127.0.0.1:${at}`,
    acts: [...new Set(app.routes.filter(({ method }) => method === "POST").map(({ path }) => path))],
    async close(): Promise<void> {
      ending.abort();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Of what says its length: whatever else is sent costs nothing. */
function lengthLimit(most: number): MiddlewareHandler {
  const counted = bodyLimit({ maxSize: most, onError: (c) => plain(c, 413, "too_large") });
  return async (c, next) => {
    if (c.req.method === "POST" && !/^\d+$/.test(c.req.header("content-length") ?? ""))
      return plain(c, 411, "no_length");
    return counted(c, next);
  };
}

/** This machine by its own names, or the address that the desk has behind a web server. */
function isOurHost(host: string, url: string | undefined): boolean {
  if (url !== undefined && host === new URL(url).host) return true;
  return /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host);
}

/** They lie beside the sources, and beside the one folder of the built program. */
function serveFile(app: Hono, name: string): void {
  const places = ["./", "./desk/"].map((folder) => new URL(`${folder}${name}`, import.meta.url));
  const bytes = readFileSync(places.find((place) => existsSync(place)) ?? name);
  const etag = `"${createHash("sha256").update(bytes).digest("base64url")}"`;
  app.get(`/${name}`, (c) => {
    const headers = { etag, "cache-control": "no-cache" };
    if (c.req.header("if-none-match") === etag) return c.body(null, 304, headers);
    const type = name.endsWith(".css") ? "text/css" : "text/javascript";
    return c.body(bytes.toString(), 200, { ...headers, "content-type": `${type}; charset=utf-8` });
  });
}
