import { approvalsIn, personOf, waitsForApproval, wantedOf, type Wanted } from "../journal/approval.ts";
import type { BatchRecord } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { periodText } from "../messages/pages.ts";
import { listed, told } from "../messages/sentence.ts";
import { namedRows } from "../messages/statuses.ts";
import { markup, type Html } from "../pages/html.ts";
import { factsOf, over, payments, tag, todoList, type Todo } from "../pages/parts.ts";
import { accounts, mayDo } from "../acts/accounts.ts";
import { newsOfAct, type Desk } from "./desk.ts";
import { button, check, field, form, linkButton, sumField } from "./forms.ts";
import { newsOf, plain, type Asked, type Pages } from "./pages.ts";
import { newsPart } from "./since-last-time.ts";
import { batchLink } from "./todo.ts";

/** Batches that somebody else than who brought them must approve (README §14). */
export function approvalPages(pages: Pages): void {
  const { desk } = pages;

  pages.page("/approvals", async (asked) => {
    const batches = await desk.store.batches({ states: ["ready", "not_sent", "held"] });
    const lines: Todo[] = [];
    for (const batch of batches) {
      const wanted = await wantedOf(desk.store, batch);
      if (wanted) lines.push(lineOf(desk, batch, wanted, asked));
    }
    const none = markup`<p class="card in">${DESK_WORDS.nothing_to_approve}</p>`;
    const content = lines.length === 0 ? none : todoList(lines);
    return pages.framed(asked, { title: "Approvals", at: "/approvals", sub: DESK_WORDS.approve_means, content });
  });

  pages.page("/approvals/:id", async (asked) => {
    const [batch] = await desk.store.batches({ id: asked.c.req.param("id") ?? "" });
    const wanted = batch && (await wantedOf(desk.store, batch));
    if (!batch) return plain(asked.c, 404, "no_page");
    return wanted ? approvalPage(pages, asked, batch, wanted) : asked.c.redirect(`/batch/${batch.id}`, 303);
  });

  pages.act("/approvals/:id", async (posted, approve) => {
    // as it is written: acts take the beginning of an id as well
    const [batch] = await desk.store.batches({ id: posted.c.req.param("id") ?? "" });
    if (!batch) return plain(posted.c, 404, "no_page");
    const isSeen = posted.text("asks") === "" || posted.text("seen") === "yes";
    if (!isSeen) return pages.goTo(posted, `/approvals/${batch.id}`, newsOf("not_seen"));
    const values = { batch: batch.id, total: posted.text("total"), note: posted.text("note") };
    const news = await newsOfAct(desk, posted.account, (who) => approve(desk, who, values));
    return pages.goTo(posted, news.isGood ? "/approvals" : `/approvals/${batch.id}`, news);
  });

  pages.act("/approvals/:id/back", async (posted, sendBack) => {
    const [batch] = await desk.store.batches({ id: posted.c.req.param("id") ?? "" });
    if (!batch) return plain(posted.c, 404, "no_page");
    const values = { batch: batch.id, reason: posted.text("reason") };
    const news = await newsOfAct(desk, posted.account, (who) => sendBack(desk, who, values));
    return pages.goTo(posted, news.isGood ? "/approvals" : `/approvals/${batch.id}`, news);
  });
}

const whatOf = ({ isWhole, rows, proposed }: Wanted, desk: Desk): string =>
  isWhole
    ? payments(rows, desk.figures)
    : `${namedRows(proposed.map(({ row }) => row).slice(0, 20), rows)}, let go again`;

function lineOf(desk: Desk, batch: BatchRecord, wanted: Wanted, { account }: Asked): Todo {
  const { figures, store } = desk;
  const may = whyNot(desk, batch, wanted, account) === undefined;
  const by = listed(wanted.makers);
  return {
    tag: may ? tag("Approve", "wait") : tag("For others"),
    what: markup`<b>${whatOf(wanted, desk)}</b> in ${batchLink(batch)}`,
    why: told(DESK_WORDS.todo_approve, { by, at: figures.time(batch.createdAt, store.now()) }).text,
    sum: figures.money(wanted.sum),
    act: linkButton(`/approvals/${batch.id}`, may ? "Look at it" : "See what is new", may ? "" : "quiet"),
  };
}

/** undefined: this person may approve it. */
function whyNot(
  desk: Desk,
  batch: BatchRecord,
  { makers, isWhole, given }: Wanted,
  account: Asked["account"],
): string | undefined {
  const isOwn = (name: string): boolean => personOf(name) === personOf(account.name);
  if (makers.some(isOwn)) return DESK_WORDS.approve_own;
  const valid = approvalsIn(given, desk.config.approval_hours, desk.store.now());
  if ((isWhole && !waitsForApproval(batch)) || valid.some(({ by }) => isOwn(by))) return DESK_WORDS.approve_done;
  return mayDo(account.role, "approve") ? undefined : DESK_WORDS.approve_role;
}

async function approvalPage(pages: Pages, asked: Asked, batch: BatchRecord, wanted: Wanted): Promise<Response> {
  const { desk } = pages;
  const { figures, store, config } = desk;
  const { account, csrf } = asked;
  const { id, createdAt, period, approvers } = batch;
  const news = await newsPart(desk, batch, wanted);
  const why = whyNot(desk, batch, wanted, account);
  const given = approvalsIn(wanted.given, config.approval_hours, store.now());
  const sub = [
    period === undefined ? "" : periodText(period),
    `${listed(wanted.makers)} brought it, ${figures.time(createdAt, store.now())}`,
    told(DESK_WORDS.approvals_needed, { approvers, given: given.length }).text,
  ];
  const may = (await accounts(store)).filter(
    ({ name, role }) => mayDo(role, "approve") && !wanted.makers.map(personOf).includes(personOf(name)),
  );
  const facts = factsOf(
    {
      [wanted.isWhole ? "Brought by" : "Brought, or let go, by"]:
        `${listed(wanted.makers)}, ${figures.time(createdAt, store.now())}`,
      "May approve":
        may.length === 0
          ? DESK_WORDS.nobody_approves
          : listed(
              may.map(({ name }) => name),
              "or",
            ),
      "Approved by":
        given.map(({ by, until }) => `${by}, until ${figures.time(until, store.now())}`).join("; ") || "nobody yet",
      ...(!wanted.isWhole && { "Let go again": whatOf(wanted, desk) }),
    },
    "card in",
  );
  const forms =
    why === undefined ? approveForms(desk, batch, wanted, news.grave, csrf) : markup`<p class="card in">${why}</p>`;
  const until = figures.time(store.now() + config.approval_hours * 3_600_000, store.now());
  const content = markup`${news.html}${over("Who brought it")}${facts}<section class="do">${over("Approve, or send back")}${forms}</section>
<details class="card after"><summary>${DESK_WORDS.facts}</summary>${factsOf({ "SHA-256": markup`<code>${batch.sha256}</code>`, Folder: batch.folder, Batch: id, Size: `${batch.sizeBytes} bytes, ${batch.rows} rows` })}</details>`;
  return pages.framed(asked, {
    ...{ title: `Approve ${batch.fileName}`, at: "/approvals", crumb: markup`<a href="/approvals">Approvals</a>` },
    ...{ sub: sub.filter(Boolean).join(" · "), content, foot: told(DESK_WORDS.approve_foot, { until }).text },
    acts: linkButton(`/batch/${id}`, `See all ${payments(batch.rows, figures)}`),
  });
}

/** `grave`: what whoever approves must have asked about. */
function approveForms(desk: Desk, batch: BatchRecord, wanted: Wanted, grave: string, csrf: string): Html {
  const { id } = batch;
  const known = grave !== "" && markup`<p>${check("seen", "yes", grave, markup` required`)}</p>`;
  const note = field("note", "Note for the history", { maxlength: "1000" });
  const press = button(`Approve ${payments(wanted.rows, desk.figures)}`);
  const approve = markup`<h3>Approve</h3>${known}${sumField("The sum, from your own papers", DESK_WORDS.approve_sum)}${note}<p class="acts">${press}</p>`;
  const by = listed(wanted.makers);
  const reason = field("reason", "What is not right", { maxlength: "1000", required: true });
  const back = markup`<h3>Send back</h3><p>${told(DESK_WORDS.back_to_maker, { by }).text}</p>${reason}<p class="acts">${button(`Send back to ${by}`, "stop")}</p>`;
  return markup`<div class="cols">${form(`/approvals/${id}`, csrf, approve, { kind: "card form", hidden: { asks: grave } })}${form(`/approvals/${id}/back`, csrf, back, { kind: "card form" })}</div>`;
}
