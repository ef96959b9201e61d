import { createHash } from "node:crypto";
import type { Context } from "hono";
import { makeReport } from "../commands/results-report.ts";
import { statusesOf, tellBatch } from "../commands/status.ts";
import { messageOf, PaydropError } from "../errors.ts";
import type { ResultStatus } from "../events.ts";
import type { BatchRecord } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { SHOWN } from "../messages/pages.ts";
import { markup } from "../pages/html.ts";
import { mayDo } from "../acts/accounts.ts";
import { goesBy } from "./batch-acts.ts";
import { batchHead, batchParts, liveParts } from "./batch-parts.ts";
import { paymentsPart } from "./batch-rows.ts";
import { newsOfAct, newsOfLetting, type Desk } from "./desk.ts";
import { download } from "./downloads.ts";
import type { News } from "./frame.ts";
import { newsOf, plain, type Asked, type Pages, type Posted } from "./pages.ts";
import { accountsPicture } from "./pictures.ts";
import type { ActOf, PagePath } from "./rights.ts";
import { batchLink } from "./todo.ts";

/** One batch: what `status` and the report say of it, its rows, and what may be done with it as a whole. */
export function batchPages(pages: Pages): void {
  const { desk } = pages;
  const find = async (id: string): Promise<BatchRecord | undefined> => (await desk.store.batches({ id }))[0];

  /** Of a batch that is there, whole. */
  const page = (path: PagePath, show: (asked: Asked, batch: BatchRecord) => Response | Promise<Response>): void =>
    pages.page(path, async (asked) => {
      await desk.endOfDead();
      const batch = await find(asked.c.req.param("id") ?? "");
      return batch && batch.phase !== "recording" ? show(asked, batch) : plain(asked.c, 404, "no_page");
    });

  page("/batch/:id", (asked, batch) => batchPage(pages, asked, batch));
  page("/batch/:id/report", ({ c }, batch) => reportOf(desk, c, batch));
  page("/batch/:id/:name{(?:results|retry)\\.[a-z]+}", (asked, batch) =>
    download(desk, asked, batch, asked.c.req.param("name") ?? ""),
  );
  page("/batch/:id/accounts", async (asked, batch) => {
    const found = accountsPicture(desk, batch).catch((error: unknown) => markup`<p>${messageOf(error)}</p>`);
    const title = "Sums by debit account";
    return pages.framed(asked, { title, crumb: batchLink(batch), at: "/find", content: await found });
  });

  pages.live("/live/batch/:id", async ({ c }) => {
    const batch = await find(c.req.param("id") ?? "");
    return batch ? liveParts(desk, await statusOfBatch(desk, batch)) : {};
  });
  acts(pages, find);
}

type Values = { readonly batch: string; readonly reason: string };
type Word = "pause" | "resume" | "retry" | "retry-rejected" | "cancel";
type Carry<Of extends Word> = (posted: Posted, act: ActOf<`/batch/:id/${Of}`>, values: Values) => Promise<News>;

function acts(pages: Pages, find: (id: string) => Promise<BatchRecord | undefined>): void {
  const { desk } = pages;
  const act = <Of extends Word>(word: Of, carry: Carry<Of>, needsTick = false): void =>
    pages.act(`/batch/:id/${word}`, async (posted, called) => {
      // as it is written: acts take the beginning of an id as well
      const batch = await find(posted.c.req.param("id") ?? "");
      if (!batch) return plain(posted.c, 404, "no_page");
      const values = { batch: batch.id, reason: posted.text("reason") };
      const isSure = !needsTick || posted.text("sure") === "yes";
      const now = goesBy(word, batch, desk.figures);
      const isAsSeen = now === undefined || posted.text("seen") === now;
      const done = (): Promise<News> => carry(posted, called, values);
      const news = !isSure ? newsOf("not_sure") : isAsSeen ? await done() : newsOf("sum_changed", { now });
      return pages.goTo(posted, `/batch/${batch.id}`, news);
    });
  act("pause", ({ account }, pause, values) => newsOfAct(desk, account, (who) => pause(desk, who, values)));
  act("resume", ({ account }, resume, values) => newsOfLetting(desk, account, (who) => resume(desk, who, values)));
  act("retry", ({ account }, retry, values) => newsOfLetting(desk, account, (who) => retry(desk, who, values)));
  act("retry-rejected", ({ account }, retry, values) =>
    newsOfLetting(desk, account, (who) => retry(desk, who, { ...values, rejected: true })),
  );
  act(
    "cancel",
    ({ account }, cancel, values) =>
      newsOfAct(desk, account, (who) => cancel(desk, who, { ...values, which: "whole" })),
    true,
  );
}

async function batchPage(pages: Pages, asked: Asked, batch: BatchRecord): Promise<Response> {
  const { desk } = pages;
  const { c, account } = asked;
  const only = (Object.keys(SHOWN) as ResultStatus[]).find((one) => one === c.req.query("status"));
  const after = Number(c.req.query("after") ?? 0) || 0;
  const csrf = mayDo(account.role, "decide") ? asked.csrf : undefined;
  const status = await statusOfBatch(desk, batch);
  const payments = await paymentsPart(desk, batch, { only, after, csrf });
  const content = await batchParts(desk, status, { csrf, payments });
  return pages.framed(asked, {
    ...{ ...(await batchHead(desk, status, asked)), title: batch.fileName, at: "/find", content },
    ...{ live: `/live/batch/${batch.id}`, foot: DESK_WORDS.accepted_means },
  });
}

async function statusOfBatch(desk: Desk, batch: BatchRecord) {
  const [status] = await statusesOf(desk.store, [batch], { isFull: false });
  if (!status) throw new Error(`batch ${batch.id} has no status`);
  return tellBatch(status, desk);
}

/** To print and sign. */
async function reportOf(desk: Desk, c: Context, batch: BatchRecord): Promise<Response> {
  try {
    const { page } = await makeReport(desk, batch);
    // its style stands in it, for it is a file to keep as well
    const [, style = ""] = /<style>([^]*?)<\/style>/.exec(page) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    const policy = `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'; base-uri 'none'`;
    return c.html(page, 200, { "content-security-policy": policy });
  } catch (error) {
    if (!(error instanceof PaydropError)) throw error;
    return plain(c, 409, "no_report", { found: error.message });
  }
}
