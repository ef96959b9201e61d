import { minuteOf } from "../day.ts";
import { approvalsIn, personOf, waitsForApproval, wantedOf, type Wanted } from "../journal/approval.ts";
import type { BatchRecord } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { isNews } from "../messages/results.ts";
import { counted, listed } from "../messages/sentence.ts";
import { namedRows } from "../messages/statuses.ts";
import { mayDo } from "../acts/accounts.ts";
import { remarkTexts } from "../results/summary.ts";
import { newsOfAct, type Desk } from "./desk.ts";
import { button, factsOf, form, markup, sumField, type Html } from "./html.ts";
import { type Asked, type Pages, plain } from "./pages.ts";
import { batchLink } from "./needs.ts";

/** Batches that somebody else than who brought them must approve (README §14). */
export function approvalPages(pages: Pages): void {
  const { desk } = pages;

  pages.page("/approvals", async (asked) => {
    const batches = await desk.store.batches({ states: ["ready", "not_sent", "held"] });
    const parts: Html[] = [];
    for (const batch of batches) {
      const wanted = await wantedOf(desk.store, batch);
      if (wanted) parts.push(batchPart(desk, batch, wanted, asked));
    }
    const content =
      parts.length === 0
        ? markup`<p>${DESK_WORDS.nothing_to_approve}</p>`
        : markup`<p>${DESK_WORDS.approve_means}</p>${parts}`;
    return pages.framed(asked, { title: "Approvals", at: "/approvals", content });
  });

  pages.act("/approvals/:id", async (posted, approve) => {
    // as it is written: acts take the beginning of an id as well
    const [batch] = await desk.store.batches({ id: posted.c.req.param("id") ?? "" });
    if (!batch) return plain(posted.c, 404, "no_page");
    const values = { batch: batch.id, total: posted.text("total") };
    const news = await newsOfAct(desk, posted.account, (who) => approve(desk, who, values));
    return pages.goTo(posted, "/approvals", news);
  });
}

function batchPart(desk: Desk, batch: BatchRecord, wanted: Wanted, { account, csrf }: Asked): Html {
  const { id, label, createdAt, sha256, approvers } = batch;
  const { isWhole, rows, makers, proposed } = wanted;
  const given = approvalsIn(wanted.given, desk.config.approval_hours, desk.store.now());
  const isOwn = (name: string): boolean => personOf(name) === personOf(account.name);
  const why = makers.some(isOwn)
    ? DESK_WORDS.approve_own
    : (isWhole && !waitsForApproval(batch)) || given.some(({ by }) => isOwn(by))
      ? DESK_WORDS.approve_done
      : mayDo(account.role, "approve")
        ? undefined
        : DESK_WORDS.approve_role;
  const shown = factsOf({
    Rows: `${rows}, ${label}`,
    ...(!isWhole && { "Let go again": namedRows(proposed.map(({ row }) => row).slice(0, 20), rows) }),
    [isWhole ? "Brought by" : "Brought, or let go, by"]: `${listed(makers)}, ${minuteOf(createdAt)}`,
    "Approved by": given.map(({ by, until }) => `${by}, until ${minuteOf(until)}`).join("; ") || "nobody",
    Needed: counted(approvers, "person|people"),
    "SHA-256": sha256,
  });
  const sum = sumField("Its sum", DESK_WORDS.approve_sum);
  const content = markup`${sum}<p>${button(`Approve ${counted(rows)}`)}</p>`;
  const asked = form(`/approvals/${id}`, csrf, content, { kind: "group" });
  const news = remarkTexts(batch.remarks.filter(isNews)).map((text) => markup`<p>${text}</p>`);
  return markup`<section><h2>${batchLink(batch)}</h2>${news.length > 0 && markup`<h3>${DESK_WORDS.new_since}</h3>${news}`}${shown}
<p><a href="/batch/${id}">Look at its rows, or cancel it</a></p>${why === undefined ? asked : markup`<p>${why}</p>`}</section>`;
}
