import { formatUnits, unitsOf } from "../amount.ts";
import type { Figures } from "../figures.ts";
import type { Wanted } from "../journal/approval.ts";
import { newsOf, type News, type NewsRow } from "../journal/news.ts";
import type { BatchRecord } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { listed, told } from "../messages/sentence.ts";
import { markup, tableOf, type Html, type Shown } from "../pages/html.ts";
import { card, over, payments, tag, tilesOf, todoList, type Todo } from "../pages/parts.ts";
import { detailsOf, type Detail } from "../results/details.ts";
import { printable } from "../printable.ts";
import type { Desk } from "./desk.ts";
import { payeeCell } from "./rows.ts";
import { batchLink } from "./todo.ts";

interface Seen {
  readonly html: Html;
  /** What whoever approves must know the reason of; empty where nothing is grave. */
  readonly grave: string;
}

/** What of a file is not as last time, before its sum: what is grave first, then how the one sum became the other. */
export async function newsPart(desk: Desk, batch: BatchRecord, wanted: Wanted): Promise<Seen> {
  const { figures } = desk;
  const news = wanted.isWhole ? await newsOf(desk.store, batch.id) : undefined;
  const mine = [
    wanted.isWhole ? "In the file" : "Let go again",
    figures.money(wanted.sum),
    payments(wanted.rows, figures),
  ] as const;
  if (news === undefined || news === "too_many") {
    const text = wanted.isWhole ? (news === undefined ? DESK_WORDS.news_first : DESK_WORDS.news_many) : "";
    return {
      html: markup`${tilesOf([mine])}${text !== "" && markup`<p class="card in after">${text}</p>`}`,
      grave: "",
    };
  }
  const shown = new ShownNews(desk, batch, news);
  await shown.load();
  return {
    html: markup`${tilesOf([mine, ...shown.tiles(wanted)])}${shown.graveList()}${shown.sums(wanted)}${shown.tables()}`,
    grave: shown.graveText(),
  };
}

class ShownNews {
  readonly #desk: Desk;
  readonly #batch: BatchRecord;
  readonly #news: News;
  #here: ReadonlyMap<number, Detail> = new Map();
  #there: ReadonlyMap<number, Detail> = new Map();

  constructor(desk: Desk, batch: BatchRecord, news: News) {
    this.#desk = desk;
    this.#batch = batch;
    this.#news = news;
  }

  /** Names, from the private copies of both files. */
  async load(): Promise<void> {
    const { accounts, payees, amounts, gone, before } = this.#news;
    const rows = [...accounts.first, ...payees.first, ...amounts.first];
    this.#here = (await detailsOf(this.#desk, this.#batch, rows)).of;
    if (before) this.#there = (await detailsOf(this.#desk, before, gone.first)).of;
  }

  #name({ row, last4 }: NewsRow, of = this.#here): string {
    return printable(of.get(row)?.name ?? (last4 === undefined ? `row ${row}` : `••${last4}`), 60);
  }

  #payee(one: NewsRow, of = this.#here): Html {
    return payeeCell(of.get(one.row) ?? { payee: one.last4 && `••${one.last4}` }, `row ${one.row}`);
  }

  tiles({ sum }: Wanted): readonly (readonly [string, string, string])[] {
    const { figures } = this.#desk;
    const { before, accounts, payees, amounts } = this.#news;
    if (!before) return [];
    const other = new Set([...accounts.first, ...payees.first, ...amounts.first].map(({ row }) => row)).size;
    return [
      [before.fileName, figures.money(before.total), payments(before.rows, figures)],
      ["Difference", figures.change(before.total, sum), moreText(this.#batch.rows - before.rows, figures)],
      [
        "New or different",
        figures.count(other),
        `${payments(Math.max(0, this.#batch.rows - other), figures)} as before`,
      ],
    ];
  }

  graveList(): Shown {
    const { figures } = this.#desk;
    const { accounts, manyTimes } = this.#news;
    const moved = accounts.first.map((one): Todo => {
      const was = one.before?.last4 ? `before ••${one.before.last4}, ` : "";
      const now = one.last4 === undefined ? "another account" : `now ••${one.last4}`;
      return {
        ...{ tag: tag("Other account", "bad"), isGrave: true, sum: figures.money(one.amount) },
        what: markup`<b>${this.#name(one)}</b>, row ${one.row}: ${was}<span class="red">${now}</span>`,
        why: DESK_WORDS.ask_person,
      };
    });
    const higher = manyTimes.first.map((one): Todo => ({
      ...{ tag: tag("Other amount", "bad"), isGrave: true, sum: figures.money(one.amount) },
      what: markup`<b>${this.#name(one)}</b>, row ${one.row}: before ${figures.money(one.before?.amount ?? "0")}, <span class="red">now ${times(one)} times as much</span>`,
    }));
    const all = [...moved, ...higher];
    return (
      all.length > 0 &&
      markup`${over("Look at these first", { right: "they are not as before" })}${todoList(all, "plain")}`
    );
  }

  graveText(): string {
    const { accounts, manyTimes } = this.#news;
    const names = (rows: readonly NewsRow[]): string => listed(rows.slice(0, 5).map((one) => this.#name(one)));
    const parts = [
      accounts.rows > 0 && told(DESK_WORDS.know_accounts, { names: names(accounts.first) }).text,
      manyTimes.rows > 0 && told(DESK_WORDS.know_amounts, { names: names(manyTimes.first) }).text,
    ];
    return parts.filter((part) => part !== false).join(" ");
  }

  /** It adds up: what nothing explains is a line of its own. */
  sums({ sum }: Wanted): Shown {
    const { figures } = this.#desk;
    const { before, payees, gone, amounts } = this.#news;
    if (!before) return undefined;
    const parts = [
      ["Gone", gone.rows, -gone.units],
      ["New", payees.rows, payees.units],
      ["Other amounts", amounts.rows, amounts.units - amounts.unitsBefore],
    ] as const;
    const rest = unitsOf(sum) - unitsOf(before.total) - parts.reduce((all, [, , units]) => all + units, 0n);
    const signed = (units: bigint): string =>
      units < 0n ? figures.money(`-${formatUnits(-units)}`) : `+${figures.money(formatUnits(units))}`;
    const lines = [
      [markup`${batchLink(before)}<small>${payments(before.rows, figures)}</small>`, figures.money(before.total)],
      ...parts.flatMap(([name, rows, units]) =>
        rows === 0 ? [] : [[markup`${name}<small>${payments(rows, figures)}</small>`, signed(units)]],
      ),
      ...(rest === 0n ? [] : [[markup`${DESK_WORDS.news_rest}`, signed(rest)]]),
    ];
    const foot = [
      markup`${this.#batch.fileName}<small>${payments(this.#batch.rows, figures)}</small>`,
      figures.money(sum),
    ];
    const caption = "How the sum of the file before became the sum of this one";
    return markup`${over("From the last sum to this one")}${card(tableOf({ caption, isHidden: true, columns: ["What", ["Amount", "n"]], foot }, lines))}`;
  }

  tables(): Html {
    const { figures } = this.#desk;
    const { payees, gone, amounts } = this.#news;
    const list = (title: string, kind: News["payees"], of: ReadonlyMap<number, Detail>): Shown =>
      kind.rows > 0 &&
      card(
        tableOf(
          {
            caption: markup`<h3>${figures.count(kind.rows)} ${title}</h3>`,
            columns: ["Payee", ["Amount", "n"]],
            foot: [title === "gone" ? "Gone" : "New", figures.money(kind.sum)],
          },
          kind.first.map((one) => [this.#payee(one, of), figures.money(one.amount)]),
        ),
      );
    const changed = amounts.rows > 0 && card(this.#amountsTable(), "after");
    const both = [
      list(payees.rows === 1 ? "new payee" : "new payees", payees, this.#here),
      list("gone", gone, this.#there),
    ];
    const isAny = payees.rows + gone.rows + amounts.rows > 0;
    return markup`${isAny && over("What is new")}<div class="cols">${both}</div>${changed}`;
  }

  #amountsTable(): Html {
    const { figures } = this.#desk;
    const { amounts, manyTimes } = this.#news;
    const red = new Set(manyTimes.first.map(({ row }) => row));
    const lines = amounts.first.map((one) => {
      const before = one.before?.amount ?? "0";
      const mark = (text: string): Shown => (red.has(one.row) ? markup`<span class="red">${text}</span>` : text);
      return [
        this.#payee(one),
        figures.money(before),
        mark(figures.money(one.amount)),
        mark(figures.change(before, one.amount)),
      ];
    });
    const columns = ["Payee", ["Before", "n"], ["Now", "n"], ["Difference", "n"]] as const;
    const foot = [
      `All ${figures.count(amounts.rows)}`,
      figures.money(amounts.sumBefore),
      figures.money(amounts.sum),
      figures.change(amounts.sumBefore, amounts.sum),
    ];
    return tableOf(
      {
        caption: markup`<h3>${figures.count(amounts.rows)} other ${amounts.rows === 1 ? "amount" : "amounts"}</h3>`,
        columns,
        foot,
      },
      lines,
    );
  }
}

const moreText = (more: number, figures: Figures): string =>
  more === 0 ? "as many payments" : `${payments(Math.abs(more), figures)} ${more > 0 ? "more" : "less"}`;

/** `11`. */
function times({ amount, before }: NewsRow): string {
  const was = unitsOf(before?.amount ?? "0");
  return was === 0n ? "many" : String(unitsOf(amount) / was);
}
