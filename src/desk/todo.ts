import { rowsIn, sumOf } from "../amount.ts";
import { mayDo } from "../acts/accounts.ts";
import { personOf, waitsForApproval, wantedOf } from "../journal/approval.ts";
import type { BatchRecord, RowRecord } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { counted, listed, told } from "../messages/sentence.ts";
import { markup, said, type Html, type Shown } from "../pages/html.ts";
import { payments, tag, todoList, type Todo } from "../pages/parts.ts";
import { tellRow } from "../results/columns.ts";
import { cameBack } from "../results/in-statement.ts";
import { isToCorrect } from "../results/totals.ts";
import type { Desk } from "./desk.ts";
import { button, form, linkButton } from "./forms.ts";
import type { Inbox, WaitingFile } from "./inboxes.ts";
import type { Asked } from "./pages.ts";

/** Of each kind. */
const LINES_SHOWN = 10;
/** Whether a row was corrected is asked of so many batches, the newest, and of so many rows of each. */
export const LOOKED_AT = { batches: 12, rows: 100 };
const LONG_MS = 3_600_000;

/** A link to a batch by the name of its file. */
export const batchLink = ({ id, fileName }: Pick<BatchRecord, "id" | "fileName">): Html =>
  markup`<a href="/batch/${id}">${said(fileName)}</a>`;

/** Rows of an open batch that are still to go. */
export const isGoing = ({ onItsWay, phase, tallies }: BatchRecord): boolean =>
  onItsWay > 0 || (phase === "open" && rowsIn(tallies, "ready", "not_sent") > 0);

/** What waits for a person, the gravest first: of each kind the newest batch first. */
export class Todos {
  readonly #desk: Desk;
  #toCorrect: { readonly key: string; readonly lines: readonly Todo[] } = { key: "", lines: [] };

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  async list(newest: readonly BatchRecord[], inboxes: readonly Inbox[], asked: Asked): Promise<Html> {
    const open = newest.filter(({ phase }) => phase !== "cancelled");
    const files = inboxes.flatMap((inbox) => (inbox.waiting ?? []).map((file) => ({ ...file, ...inbox })));
    const kinds: readonly (readonly (Todo | undefined)[])[] = [
      newest.map((batch) => this.#lookUp(batch)),
      await this.#cameBack(),
      await Promise.all(open.map((batch) => this.#decide(batch))),
      await Promise.all(open.map((batch) => this.#sendAgain(batch))),
      await this.#correct(open),
      files.map((file) => this.#refused(file, asked)),
      await Promise.all(open.map((batch) => this.#approve(batch, asked))),
      files.map((file) => this.#late(file)),
      open.map((batch) => this.#paused(batch)),
    ];
    const lines = kinds.flatMap((kind) => {
      const all = kind.filter((one) => one !== undefined);
      const more = all.length - LINES_SHOWN;
      const rest = { tag: tag("More"), what: `${counted(more, "line")} like these` };
      return [...all.slice(0, LINES_SHOWN), ...(more > 0 ? [rest] : [])];
    });
    if (lines.length === 0) return markup`<p class="card in">${DESK_WORDS.needs_nobody}</p>`;
    return todoList(lines);
  }

  #lookUp(batch: BatchRecord): Todo | undefined {
    const { figures } = this.#desk;
    const tally = batch.tallies.unknown;
    return (
      tally && {
        tag: tag("No clear answer", "ask"),
        what: this.#rows(tally.rows, batch),
        ...{ why: DESK_WORDS.todo_look_up, sum: figures.money(tally.amount) },
        act: linkButton(`/decide?batch=${batch.id}`, `Look up ${figures.count(tally.rows)}`),
      }
    );
  }

  /** Money that the bank gave back, of payments that count as paid still. */
  async #cameBack(): Promise<readonly Todo[]> {
    const { figures, store } = this.#desk;
    const all = [...(await cameBack(store))].map(async ([id, rows]): Promise<Todo | undefined> => {
      const records = await store.rows({ batch: id, rows: rows.slice(0, LOOKED_AT.rows) });
      const open = records.filter(({ state }) => state === "accepted" || state === "settled_done");
      const [batch] = open.length === 0 ? [] : await store.batches({ id });
      const [first] = open;
      if (!batch || !first) return undefined;
      return {
        ...{ tag: tag("Came back", "bad"), isGrave: true, sum: figures.money(sumOf(open)) },
        ...{ what: this.#rows(open.length, batch), why: DESK_WORDS.todo_back },
        act: linkButton(`/batch/${id}?status=${first.state}&after=${first.row - 1}#payments`, "Say so"),
      };
    });
    return (await Promise.all(all)).filter((one) => one !== undefined);
  }

  async #decide(batch: BatchRecord): Promise<Todo | undefined> {
    const { figures, store } = this.#desk;
    const tally = batch.tallies.held;
    if (!tally) return undefined;
    const [first] = await store.rows({ batch: batch.id, states: ["held"], limit: 1 });
    return {
      tag: tag("Held", "wait"),
      what: this.#rows(tally.rows, batch),
      ...{ why: first && tellRow(first, batch).text, sum: figures.money(tally.amount) },
      act: linkButton(`/decide?batch=${batch.id}`, "Decide"),
    };
  }

  async #sendAgain(batch: BatchRecord): Promise<Todo | undefined> {
    const { figures, store } = this.#desk;
    const tally = batch.tallies.settled_not_done;
    if (!tally) return undefined;
    const some = await store.rows({ batch: batch.id, states: ["settled_not_done"], limit: LOOKED_AT.rows });
    const people = [...new Set(some.flatMap(({ settledBy }) => settledBy ?? []))];
    return {
      tag: tag("Send again?", "wait"),
      what: this.#rows(tally.rows, batch),
      why: told(DESK_WORDS.todo_again, { by: listed(people) || "somebody" }).text,
      sum: figures.money(tally.amount),
      act: linkButton(`/batch/${batch.id}#may`, `Send ${figures.count(tally.rows)} again`),
    };
  }

  /** Refused and invalid rows that no correction paid yet. Asked anew when a batch came, ended, or was changed by a person. */
  async #correct(open: readonly BatchRecord[]): Promise<readonly Todo[]> {
    const key = open.map((batch) => `${batch.id} ${isGoing(batch) || batch.lastAt}`).join();
    const some = open.filter(({ tallies }) => tallies.invalid ?? tallies.rejected).slice(0, LOOKED_AT.batches);
    if (key !== this.#toCorrect.key) {
      const lines = (await Promise.all(some.map((batch) => this.#correctOf(batch)))).filter((one) => one !== undefined);
      this.#toCorrect = { key, lines };
    }
    return this.#toCorrect.lines;
  }

  async #correctOf(batch: BatchRecord): Promise<Todo | undefined> {
    const { figures, store } = this.#desk;
    const { id, tallies } = batch;
    const all = await store.rows({ batch: id, states: ["invalid", "rejected"], limit: LOOKED_AT.rows });
    const rows = all.filter(isToCorrect);
    const [first] = rows;
    if (!first) return undefined;
    const least = all.length === LOOKED_AT.rows ? "at least " : "";
    return {
      tag: tallies.rejected ? tag("Refused", "bad") : tag("To correct", "bad"),
      what: markup`${least}${this.#rows(rows.length, batch)}`,
      why: markup`${firstReason(rows, batch)} ${DESK_WORDS.todo_correct}`,
      sum: figures.money(sumOf(rows)),
      act: linkButton(`/batch/${id}/retry.xlsx`, `Get the ${figures.count(rows.length)} as .xlsx`),
    };
  }

  #refused(file: WaitingFile & Inbox, { account, csrf }: Asked): Todo | undefined {
    if (!file.isRefused) return undefined;
    const { name, inbox, lines } = file;
    const away =
      mayDo(account.role, "decide") && form("/put-away", csrf, button("Put it away", ""), { hidden: { inbox, name } });
    return {
      ...{ tag: tag("File refused", "bad"), what: markup`<b>${said(name)}</b>` },
      why: markup`${lines.join(" ")} ${DESK_WORDS.todo_refused}`,
      act: away,
    };
  }

  /** The file, or rows that somebody let go since. */
  async #approve(batch: BatchRecord, { account }: Asked): Promise<Todo | undefined> {
    const { figures, store } = this.#desk;
    if (batch.approvers === 0) return undefined;
    const wanted = await wantedOf(store, batch);
    if (!wanted || (wanted.proposed.length === 0 && !waitsForApproval(batch))) return undefined;
    const isOwn = wanted.makers.some((name) => personOf(name) === personOf(account.name));
    const mayApprove = mayDo(account.role, "approve") && !isOwn;
    return {
      tag: mayApprove ? tag("Approve", "wait") : tag("For others"),
      what: markup`${batchLink(batch)} waits for approval`,
      why: told(DESK_WORDS.todo_approve, { by: listed(wanted.makers), at: figures.time(batch.createdAt, store.now()) })
        .text,
      sum: figures.money(wanted.sum),
      act: linkButton(
        `/approvals/${batch.id}`,
        mayApprove ? "Look at it" : "See what is new",
        mayApprove ? "" : "quiet",
      ),
    };
  }

  #late({ name, isRefused, since, lines: [why = ""], held }: WaitingFile & Inbox): Todo | undefined {
    if (isRefused || held || Date.now() - since <= LONG_MS) return undefined;
    return { tag: tag("Waits", "wait"), what: markup`<b>${said(name)}</b> has waited for more than an hour`, why };
  }

  #paused(batch: BatchRecord): Todo | undefined {
    if (batch.phase !== "paused") return undefined;
    const left = rowsIn(batch.tallies, "ready", "not_sent");
    const act = linkButton(`/batch/${batch.id}#may`, "Look at it");
    return { tag: tag("Paused"), what: batchLink(batch), why: told(DESK_WORDS.todo_paused, { rows: left }).text, act };
  }

  #rows(rows: number, batch: BatchRecord): Html {
    return markup`<b>${payments(rows, this.#desk.figures)}</b> in ${batchLink(batch)}`;
  }
}

/** What most of them have in common is told by the first. */
function firstReason(rows: readonly RowRecord[], batch: BatchRecord): Shown {
  const [first, ...others] = rows.map((row) => tellRow(row, batch).text);
  return others.every((text) => text === first) ? first : `${first ?? ""}; and others.`;
}
