import { rowsIn, sumOf } from "../amount.ts";
import type { tellBatch } from "../commands/status.ts";
import { messageOf } from "../errors.ts";
import { isUnapproved, makersOf } from "../journal/approval.ts";
import type { RowState } from "../journal/states.ts";
import type { BatchRecord, Tally } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { periodText, SHOWN } from "../messages/pages.ts";
import { listed } from "../messages/sentence.ts";
import { markup, said, tableOf, type Html, type Shown } from "../pages/html.ts";
import { barOf, card, dot, factsOf, over, payments, shownIn, tilesOf } from "../pages/parts.ts";
import { actTexts } from "../results/report.ts";
import { mayDo } from "../acts/accounts.ts";
import { actsPart } from "./batch-acts.ts";
import type { Desk } from "./desk.ts";
import { linksTo } from "./downloads.ts";
import { stateTag } from "./files.ts";
import { linkButton } from "./forms.ts";
import type { Page } from "./frame.ts";
import type { Asked } from "./pages.ts";
import { accountsTable, progressPicture } from "./pictures.ts";

const ACTS_SHOWN = 100;
/** Of a larger file its private copy is not read for one page. */
const ACCOUNTS_ROWS_MAX = 2_000;

type Status = Awaited<ReturnType<typeof tellBatch>>;

/** Name, state, who brought it, and the one thing to do now. */
export async function batchHead(
  desk: Desk,
  { batch }: Status,
  { account }: Asked,
): Promise<Pick<Page, "crumb" | "sub" | "acts">> {
  const { figures, store } = desk;
  const { id, tallies, period, createdAt, phase } = batch;
  const people = listed([...new Set(await makersOf(store, batch))]);
  const parts = [
    period === undefined ? undefined : periodText(period),
    people === "" ? undefined : `${people} brought it`,
    `taken ${figures.time(createdAt, store.now())}`,
  ].filter((part) => part !== undefined);
  const [toLookUp, held] = [rowsIn(tallies, "unknown"), phase === "cancelled" ? 0 : rowsIn(tallies, "held")];
  const decide = `/decide?batch=${id}`;
  const acts = [
    toLookUp > 0 && linkButton(decide, `Look up ${payments(toLookUp, figures)}`, "main"),
    toLookUp === 0 && held > 0 && linkButton(decide, `Decide on ${payments(held, figures)}`, "main"),
    isUnapproved(batch) &&
      linkButton(`/approvals/${id}`, mayDo(account.role, "approve") ? "Approve it" : "See what is new"),
    linkButton(`/batch/${id}/report`, "Report"),
  ];
  return {
    crumb: markup`<a href="/find">Files</a>`,
    sub: markup`${stateTag(batch)} ${parts.join(" · ")}`,
    acts: markup`${acts}`,
  };
}

/** What changes while the batch is sent, by the ids of its places: what went, may have gone, and did not. */
export function liveParts(desk: Desk, { batch, byStatus, way, remarks }: Status) {
  const { figures } = desk;
  const { tallies, rows, total } = batch;
  const sums = (...states: readonly RowState[]) =>
    sumsOf(
      states.flatMap((state) => tallies[state] ?? []),
      desk,
    );
  const [accepted, unknown] = [sums("accepted", "settled_done"), sums("unknown")];
  const stayed = sums("rejected", "invalid", "settled_not_done", "held", "not_sent", "ready", "duplicate", "cancelled");
  const texts = [...way, ...remarks];
  const notes =
    texts.length > 0 &&
    markup`<ul class="card list after">${texts.map((text) => markup`<li><span>${text}</span></li>`)}</ul>`;
  const tiles = tilesOf([
    ["In the file", figures.money(total), payments(rows, figures)],
    ["Went", accepted.sum, payments(accepted.rows, figures)],
    ["May have gone", unknown.sum, `${payments(unknown.rows, figures)} without a clear answer`],
    ["Did not go", stayed.sum, payments(stayed.rows, figures)],
  ]);
  const bar = markup`<div class="in">${barOf(byStatus, "big")}</div>`;
  return {
    sums: markup`${tiles}${notes}`,
    statuses: card(markup`${bar}${statusTable(desk, batch, byStatus)}`),
  };
}

function sumsOf(tallies: readonly Tally[], { figures }: Desk): { readonly rows: number; readonly sum: string } {
  return { rows: tallies.reduce((all, { rows }) => all + rows, 0), sum: figures.money(sumOf(tallies)) };
}

function statusTable({ figures }: Desk, { id, rows, total }: BatchRecord, byStatus: Status["byStatus"]): Html {
  const lines = shownIn(byStatus).map(([status, tally]) => {
    const { word, kind, means } = SHOWN[status];
    const name = markup`${dot(kind)}<a href="/batch/${id}?status=${status}#payments">${word}</a><small>${payments(tally.rows, figures)} · ${means}</small>`;
    return [name, figures.money(tally.amount)];
  });
  const foot = [markup`In the file<small>${payments(rows, figures)}</small>`, figures.money(total)];
  return tableOf(
    { caption: "Payments and sums by status", isHidden: true, columns: ["Status", ["Amount", "n"]], foot },
    lines,
  );
}

interface Seen {
  readonly csrf: string | undefined;
  readonly payments: Html;
}

/** The page below its head. `csrf`: of somebody who may decide. */
export async function batchParts(desk: Desk, status: Status, { csrf, payments: rows }: Seen): Promise<Html> {
  const { batch, history } = status;
  const acts = csrf === undefined ? undefined : actsPart(batch, desk.figures, csrf);
  const { sums, statuses } = liveParts(desk, status);
  return markup`<div id="sums">${sums}</div><div class="cols"><section>${over("By status")}<div id="statuses">${statuses}</div></section>
<section>${over("By debit account")}${card(await accountsPart(desk, batch))}<div class="do">${over("To take along", { id: "downloads" })}${takeAlong(desk, batch, csrf !== undefined)}</div></section></div>
${acts}${rows}${await progressPicture(desk, batch)}
${over("History", { right: "the newest first" })}${card(historyTable(desk, history))}${factsPart(batch)}`;
}

async function accountsPart(desk: Desk, batch: BatchRecord): Promise<Html> {
  const far = markup`<p class="in"><a href="/batch/${batch.id}/accounts">Add up by debit account</a></p>`;
  if (batch.rows > ACCOUNTS_ROWS_MAX) return far;
  return accountsTable(desk, batch).catch((error: unknown) => markup`<p class="in">${messageOf(error)}</p>`);
}

function takeAlong({ figures }: Desk, batch: BatchRecord, mayDecide: boolean): Html {
  const { id, rows, tallies } = batch;
  const toCorrect = rowsIn(tallies, "rejected", "invalid");
  const line = (title: string, means: string, links: Shown): Html =>
    markup`<li><span>${title} <small>${means}</small></span> <span>${links}</span></li>`;
  const lines = [
    mayDecide &&
      line(
        "Results",
        `${rows === 1 ? "the payment" : `all ${payments(rows, figures)}`}, what became of each`,
        linksTo(batch, "results"),
      ),
    mayDecide &&
      toCorrect > 0 &&
      line(
        "To correct",
        `${payments(toCorrect, figures)}; the reason stands in each line. Correct them, then upload the file`,
        linksTo(batch, "retry"),
      ),
    line("Report", "to print and sign", markup`<a href="/batch/${id}/report">open</a>`),
  ];
  return markup`<ul class="card list">${lines}</ul>`;
}

function historyTable({ figures, store }: Desk, history: Status["history"]): Html {
  const newest = history.slice(-ACTS_SHOWN).toReversed();
  const lines = newest.map((act) => {
    const [who, what, why] = actTexts(act);
    return [figures.time(act.at, store.now()), said(who), said(what), said(why)];
  });
  const columns = [
    ["When", "soft", "nb"],
    ["Who", "head"],
    ["Did what", "wide"],
    ["Why, or how", "wide", "soft"],
  ] as const;
  return tableOf({ caption: "Who did what", isHidden: true, columns }, lines);
}

function factsPart(batch: BatchRecord): Html {
  const { sha256, folder, destination, environment, id, sizeBytes, rows, label } = batch;
  const facts = factsOf({
    ...{
      "SHA-256": markup`<code>${sha256}</code>`,
      Folder: folder,
      "Sent to": `${destination} (${environment}), ${label}`,
    },
    ...{ Batch: id, Size: `${sizeBytes} bytes, ${rows} rows` },
  });
  return markup`<details class="card after"><summary>${DESK_WORDS.facts}</summary>${facts}</details>`;
}
