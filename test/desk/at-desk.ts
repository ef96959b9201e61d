import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openWork, type OpenedWork } from "../../src/acts/open.ts";
import { actOf } from "../../src/batch.ts";
import { loadSettings } from "../../src/config/load.ts";
import {
  accountOf,
  addAccount,
  beginSession,
  changePassword,
  type Account,
  type Role,
} from "../../src/acts/accounts.ts";
import type { Desk } from "../../src/desk/desk.ts";
import { Figures } from "../../src/figures.ts";
import { serveDesk } from "../../src/desk/server.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { freshDatabase } from "../support/postgres.ts";
import { Watched } from "../inbox/watched.ts";

export const PASSWORD = "four words are good";

/** An inbox with a pretended service, a journal of either engine, and the desk in this process. */
export class AtDesk extends Watched {
  deskUrl = "";
  /** Every path by which something can be changed. */
  acts: readonly string[] = [];
  work!: OpenedWork;
  readonly said: string[] = [];
  #journal: Readonly<Record<string, string>> = {};

  static async open(journal: "SQLite" | "Postgres", settings: Readonly<Record<string, string>> = {}): Promise<AtDesk> {
    const sandbox = await startSandbox({ port: 0 });
    onTestFinished(() => sandbox.close());
    const at = new AtDesk(sandbox.url);
    at.sandbox = sandbox;
    at.#journal = settings;
    if (journal === "Postgres") {
      const key = randomBytes(32).toString("hex");
      at.#journal = { PAYDROP_JOURNAL_URL: await freshDatabase(), PAYDROP_JOURNAL_KEY: key, ...settings };
    }
    const { config } = loadSettings({ flags: {}, env: at.env() });
    at.work = await openWork(config, {}, "act");
    const staging = join(at.root, "staging");
    mkdirSync(staging);
    const desk: Desk = {
      ...{ config, store: at.work.store, inboxes: [at.inbox], staging, figures: new Figures(config) },
      say: (text) => at.said.push(text),
      endOfDead: () => Promise.resolve(),
      who: at.work.who,
      again: {},
    };
    const served = await serveDesk(desk, 0);
    [at.deskUrl, at.acts] = [served.url, served.acts];
    onTestFinished(async () => {
      await served.close();
      await at.work.close();
    });
    return at;
  }

  override env(stateDir?: string): Record<string, string> {
    return { ...super.env(stateDir), ...this.#journal };
  }

  /** Somebody who has chosen a password, signed in. */
  async person(name: string, role: Role): Promise<Visitor> {
    const { store } = this.work;
    // the same password for all: to hash it is slow on purpose
    const own: Account = { ...(account ??= await accountWithPassword(this)), name, role };
    await store.keep("account", name.toLowerCase(), own);
    const visitor = this.visitor();
    visitor.cookie = `paydrop-${new URL(this.deskUrl).port}=${await beginSession(store, own, Date.now())}`;
    await visitor.ask("/");
    return visitor;
  }

  visitor(): Visitor {
    return new Visitor(this.deskUrl);
  }

  /** The batch of this file. */
  async batchOf(fileName: string) {
    const batch = (await this.work.store.batches({})).findLast((one) => one.fileName === fileName);
    if (!batch) throw new Error(`no batch of ${fileName}`);
    return batch;
  }
}

/** Debits of tomorrow, and what came back with a minus, as HDFC writes them. A line of the 28th before says what is the day in its dates. */
export function statementOf(debits: readonly (readonly [narration: string, amount: string])[]): string {
  const at = new Date(Date.now() + 86_400_000);
  const [year, month, day] = at.toISOString().slice(2, 10).split("-");
  const before = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 1, 28)).toISOString().slice(2, 10);
  let balance = 10_000;
  const lines = debits.map(([text, amount]) => {
    balance -= Number(amount);
    const cells = amount.startsWith("-") ? `,${amount.slice(1)}` : `${amount},`;
    return `${day}/${month}/${year},"${text}",0000,,${cells},${balance.toFixed(2)}`;
  });
  return [
    ...["HDFC BANK Ltd.,,,,,,", "Account No :50100000001234,,,,,,"],
    "Date,Narration,Chq./Ref.No.,Value Dt,Withdrawal Amt.,Deposit Amt.,Closing Balance",
    `${before.split("-").toReversed().join("/")},CASH DEPOSIT,0000,,,500.00,10000.00`,
    ...lines,
    "",
  ].join("\r\n");
}

let account: Account | undefined;

async function accountWithPassword({ work }: AtDesk): Promise<Account> {
  await addAccount(work.store, "first", "view", actOf(work, "add_account"));
  const added = await accountOf(work.store, "first");
  if (!added) throw new Error("no account was added");
  const changed = await changePassword(work.store, added, PASSWORD, Date.now());
  await work.store.keep("account", "first", undefined);
  return changed;
}

/** A browser without a script: it keeps the cookie, follows redirects, and sends the token of the page that it saw last. */
export class Visitor {
  readonly #url: string;
  cookie = "";
  csrf = "";
  status = 0;
  text = "";
  headers: Headers = new Headers();
  /** What forms carry by themselves, by their paths, of each the newest page that had it. */
  readonly #hidden = new Map<string, readonly (readonly [name: string, value: string])[]>();

  constructor(url: string) {
    this.#url = url;
  }

  async ask(path: string, init: RequestInit = {}): Promise<string> {
    const headers = { ...(this.cookie && { cookie: this.cookie }), ...(init.headers as Record<string, string>) };
    const response = await fetch(this.#url + path, { redirect: "manual", ...init, headers });
    const own = new Map(this.cookie.split("; ").flatMap((one) => (one ? [one.split("=") as [string, string]] : [])));
    for (const cookie of response.headers.getSetCookie()) {
      const [name = "", value = ""] = cookie.split(";")[0]?.split("=") ?? [];
      own.set(name, value);
    }
    this.cookie = [...own].map(([name, value]) => `${name}=${value}`).join("; ");
    [this.status, this.headers, this.text] = [response.status, response.headers, await response.text()];
    const to = response.headers.get("location");
    if (response.status === 303 && to !== null) return this.ask(to);
    this.csrf = /name="csrf" value="([^"]+)"/.exec(this.text)?.[1] ?? this.csrf;
    for (const [, to = "", content = ""] of this.text.matchAll(
      /<form method="post" action="([^"]+)"([^]*?)<\/form>/g,
    )) {
      const carried = [...content.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
      const hidden = carried.map(([, name = "", value = ""]) => [name, value] as const);
      const batch = hidden.find(([name]) => name === "batch")?.[1] ?? "";
      this.#hidden.set(`${to} ${batch}`, hidden);
    }
    return this.text;
  }

  /** What lies behind this path; `status` and `headers` are those of the answer. */
  async bytes(path: string): Promise<Buffer> {
    const response = await fetch(this.#url + path, { redirect: "manual", headers: { cookie: this.cookie } });
    [this.status, this.headers] = [response.status, response.headers];
    return Buffer.from(await response.arrayBuffer());
  }

  post(path: string, form: Readonly<Record<string, string | readonly string[]>> | FormData): Promise<string> {
    const site = { "sec-fetch-site": "same-origin" };
    if (form instanceof FormData) {
      form.set("csrf", this.csrf);
      return this.ask(path, { method: "POST", body: form, headers: site });
    }
    const body = new URLSearchParams({ csrf: this.csrf });
    for (const [name, values] of Object.entries(form)) for (const one of [values].flat()) body.append(name, one);
    // a browser sends what the page of the form had
    for (const [name, value] of this.#hidden.get(`${path} ${String(form["batch"] ?? "")}`) ?? [])
      if (name === "csrf" || name in form) continue;
      else body.append(name, value);
    return this.ask(path, { method: "POST", body, headers: site });
  }

  /** A form with a file. */
  bring(
    path: "/upload" | "/reconcile",
    name: string,
    text: string | Buffer,
    more: Readonly<Record<string, string>> = {},
  ) {
    const data = new FormData();
    data.set("file", new File([typeof text === "string" ? text : new Uint8Array(text)], name));
    for (const [field, value] of Object.entries(more)) data.set(field, value);
    return this.post(path, data);
  }

  async signIn(name: string, password = PASSWORD): Promise<string> {
    await this.ask("/sign-in");
    return this.post("/sign-in", { name, password });
  }

  /** What the last act said. */
  get news(): string {
    return plain(/<section[^>]*class="news[^]*?<\/section>/.exec(this.text)?.[0] ?? "");
  }

  get seen(): string {
    return plain(this.text);
  }

  /** What stands below the heading that begins so, up to the next one; empty where there is none. */
  section(heading: string): string {
    const [content = ""] = this.text.split("<footer");
    const parts = content.split(/(?=<h2)/).map(plain);
    return parts.slice(1).find((part) => part.startsWith(heading)) ?? "";
  }

  /** What waits for a person, on Today. */
  get todo(): string {
    return this.section("To do");
  }

  /** What a form of the page carries by itself. */
  carried(name: string): string {
    return new RegExp(`name="${name}" value="(\\w+)"`).exec(this.text)?.[1] ?? "";
  }
}

function plain(html: string): string {
  const signs: Readonly<Record<string, string>> = {
    "&quot;": '"',
    "&#39;": "'",
    "&lt;": "<",
    "&gt;": ">",
    "&amp;": "&",
  };
  const text = html.replaceAll(/<[^>]*>/g, " ").replaceAll(/&(?:quot|#39|lt|gt|amp);/g, (one) => signs[one] ?? one);
  return text.replaceAll(/\s+/g, " ").trim();
}
