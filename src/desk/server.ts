import { createHash } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { messageOf, PaydropError } from "../errors.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { approvalPages } from "./approvals.ts";
import { batchPages } from "./batch.ts";
import { decidePages } from "./decide.ts";
import type { Desk } from "./desk.ts";
import { findPages } from "./find.ts";
import { helpPages } from "./help.ts";
import { fileOfPages, SHEETS } from "../pages/sheets.ts";
import { plain } from "./pages.ts";
import { reconcilePages } from "./reconcile.ts";
import { lengthLimit, Routes } from "./routes.ts";
import { signInPages } from "./sign-in.ts";
import { todayPages } from "./today.ts";
import { uploadPages } from "./upload.ts";
import { Visitors } from "./visitors.ts";

/** Name, password and token. */
const SIGN_IN_BYTES_MAX = 16 * 1024;

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
  const visitors = new Visitors(desk);
  // before any path: what is added earlier would be answered without it
  answerAll(app, desk);
  const routes = new Routes(desk, app, visitors);
  for (const name of [...SHEETS, "live.js"]) serveFile(app, name);
  for (const add of [
    signInPages,
    todayPages,
    batchPages,
    decidePages,
    approvalPages,
    findPages,
    reconcilePages,
    uploadPages,
    helpPages,
  ])
    add(routes);

  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  // no file descriptor left for one more visitor: whatever else this process does goes on
  server.on("error", (error) => desk.say(`desk: ${messageOf(error)}`));
  const at = (server.address() as AddressInfo).port;
  visitors.cookie = `paydrop-${at}`;
  return {
    url: `http://127.0.0.1:${at}`,
    acts: [...new Set(app.routes.filter(({ method }) => method === "POST").map(({ path }) => path))],
    async close(): Promise<void> {
      routes.end();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** What holds whatever is asked for. */
function answerAll(app: Hono, desk: Desk): void {
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
}

/** This machine by its own names, or the address that the desk has behind a web server. */
function isOurHost(host: string, url: string | undefined): boolean {
  if (url !== undefined && host === new URL(url).host) return true;
  return /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host);
}

function serveFile(app: Hono, name: string): void {
  const text = fileOfPages(name);
  const etag = `"${createHash("sha256").update(text).digest("base64url")}"`;
  app.get(`/${name}`, (c) => {
    const headers = { etag, "cache-control": "no-cache" };
    if (c.req.header("if-none-match") === etag) return c.body(null, 304, headers);
    const type = name.endsWith(".css") ? "text/css" : "text/javascript";
    return c.body(text, 200, { ...headers, "content-type": `${type}; charset=utf-8` });
  });
}
