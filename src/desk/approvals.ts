import { run as approve } from "../commands/approve.ts";
import { minuteOf } from "../day.ts";
import { approvalsIn, makersOf, personOf, waitsForApproval } from "../journal/approval.ts";
import type { BatchRecord } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { counted, listed } from "../messages/sentence.ts";
import { mayDo } from "./accounts.ts";
import { carryOut, type Desk } from "./desk.ts";
import { field, markup, said, tokenField, type Html } from "./html.ts";
import { type Asked, type Pages, plain } from "./pages.ts";
import { batchLink } from "./today.ts";

/** Batches that somebody else than who brought them must approve (DESIGN §14). */
export function approvalPages(pages: Pages): void {
  const { desk } = pages;

  pages.page("/approvals", async (asked) => {
    const batches = (await desk.store.batches({})).filter(isAsked);
    const parts = await Promise.all(batches.map((batch) => batchPart(desk, batch, asked)));
    const content = parts.length === 0 ? markup`<p>${DESK_WORDS.nothing_to_approve}</p>` : markup`<p>${DESK_WORDS.approve_means}</p>${parts}`;
    return pages.framed(asked, { title: "Approvals", at: "/approvals", content });
  }); // prettier-ignore

  pages.act("/approvals/:id", "approve", async (posted) => {
    // as it is written: commands take the beginning of an id as well
    const [batch] = await desk.store.batches({ id: posted.c.req.param("id") ?? "" });
    if (!batch) return plain(posted.c, 404, "no_page");
    const news = await carryOut(desk, posted.account, approve, [batch.id], { total: posted.text("total") });
    return pages.goTo(posted, "/approvals", news);
  });
}

/** Something of it is still to go. */
export const isAsked = (batch: BatchRecord): boolean =>
  batch.approvers > 0 && batch.phase !== "cancelled" && Boolean(batch.tallies.ready ?? batch.tallies.not_sent);

async function batchPart(desk: Desk, batch: BatchRecord, { account, csrf }: Asked): Promise<Html> {
  const { id, rows, label, createdAt, sha256, approvers } = batch;
  const makers = await makersOf(desk.store, batch);
  const given = approvalsIn(await desk.store.acts({ batch: id }), desk.config.approval_hours, Date.now());
  const facts = [
    ["Rows", `${rows}, ${label}`],
    ["Brought by", `${listed([...new Set(makers)])}, ${minuteOf(createdAt)}`],
    ["Approved by", given.map(({ by, until }) => `${by}, until ${minuteOf(until)}`).join("; ") || "nobody"],
    ["Needed", counted(approvers, "person|people")],
    ["SHA-256", sha256],
  ];
  const list = facts.map(([name, value = ""]) => markup`<dt>${name}</dt><dd>${said(value)}</dd>`);
  const isOwn = (name: string): boolean => personOf(name) === personOf(account.name);
  const why = makers.some(isOwn)
    ? DESK_WORDS.approve_own
    : !waitsForApproval(batch) || given.some(({ by }) => isOwn(by))
      ? DESK_WORDS.approve_done
      : mayDo(account.role, "approve")
        ? undefined
        : DESK_WORDS.approve_role;
  const form = markup`<form method="post" action="/approvals/${id}" class="group">${tokenField(csrf)}
${field("total", "Its sum", { required: true, inputmode: "decimal", autocomplete: "off", hint: DESK_WORDS.approve_sum })}
<p><button class="main">Approve ${counted(rows)}</button></p></form>`;
  return markup`<section><h2>${batchLink(batch)}</h2><dl>${list}</dl>
<p><a href="/batch/${id}">Look at its rows, or cancel it</a></p>${why === undefined ? form : markup`<p>${why}</p>`}</section>`;
}
