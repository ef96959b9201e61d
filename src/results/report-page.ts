import { sumOf } from "../amount.ts";
import type { ByStatus, ResultStatus } from "../events.ts";
import type { Figures } from "../figures.ts";
import { tellFault } from "../messages/faults.ts";
import { FRAME_WORDS } from "../messages/frame.ts";
import { periodText, SHOWN } from "../messages/pages.ts";
import { isNews, REPORT_WORDS } from "../messages/results.ts";
import { filled } from "../messages/sentence.ts";
import { markup, nothing, safe, said, tableOf, type Html, type Shown } from "../pages/html.ts";
import { alertOf, factsOf, payments, shownIn } from "../pages/parts.ts";
import { fileOfPages, SHEETS } from "../pages/sheets.ts";
import { printable } from "../printable.ts";
import type { Detail } from "./details.ts";
import { actTexts, type Report } from "./report.ts";

const BEGINNING = '<!doctype html>\n<html lang="en-IN" class="paper" data-paydrop-report="';
/** By its beginning a report is known as ours, and its batch by what follows; older ones began otherwise. */
export const REPORT_MARK: RegExp =
  /^<!doctype html>\n<html lang="en(?:-IN" class="paper)?" data-paydrop-report="([^"]*)">/;

const LINES_SHOWN = 200;

/**
 * One self-contained page: no script, no address, nothing to fetch, everything that was read escaped. The same report and
 * figures give the same bytes.
 */
export function reportPage(report: Report, figures: Figures): string {
  return new ReportPage(report, figures).text();
}

class ReportPage {
  readonly #report: Report;
  readonly #figures: Figures;

  constructor(report: Report, figures: Figures) {
    this.#report = report;
    this.#figures = figures;
  }

  text(): string {
    const { batch } = this.#report;
    const style = safe(SHEETS.map(fileOfPages).join("\n"));
    const page = markup`<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Report: ${batch.fileName} · paydrop</title>
<style>${style}</style>
</head>
<body>
<header><p class="env ${batch.environment === "live" && "real"}">${this.#service()}</p></header>
<main id="main" tabindex="-1">
${this.#head()}
${this.#section("Sums by status", this.#statuses())}
${this.#section("Sums by debit account", this.#accounts())}
${this.#news()}
${this.#section("What is still open", this.#open())}
${this.#section("Who did what", this.#done())}
${this.#section("All payments", this.#payments())}
${this.#section("Which file this is", this.#file())}
${this.#signs()}
</main>
</body>
</html>
`;
    return `${BEGINNING}${batch.id}">\n${page.toString()}`;
  }

  #section(title: string, content: Shown): Html {
    return markup`<section><div class="over"><h2>${title}</h2></div>${content}</section>`;
  }

  #service(): string {
    const { environment, destination } = this.#report.batch;
    const host = URL.parse(destination)?.host ?? destination;
    return filled(environment === "test" ? FRAME_WORDS.test : FRAME_WORDS.live, { host });
  }

  #head(): Html {
    const { batch, headline } = this.#report;
    const { fileName, period, label, createdAt, phase } = batch;
    const about = [
      period === undefined ? label : `Report of ${label} for ${periodText(period)}`,
      `taken ${this.#figures.stamp(createdAt)}`,
      phase === "paused" || phase === "cancelled" ? phase : "",
    ];
    const short = alertOf({ label: "In short", lines: [headline, REPORT_WORDS.acceptedMeans], kind: "plain" });
    return markup`<div class="head"><div><h1>${said(fileName)}</h1><p class="sub">${about.filter(Boolean).join(" · ")}</p></div><p class="brand">paydrop</p></div>${short}`;
  }

  #statuses(): Html {
    const { total, byStatus } = this.#report.totals;
    const figures = this.#figures;
    const lines = shownIn(byStatus).map(([status, { rows, amount }]) => [
      ...[SHOWN[status].word, figures.count(rows), figures.money(amount), SHOWN[status].means],
    ]);
    const columns = ["Status", ["Payments", "n", "less"], ["Amount", "n"], ["What it means", "wide"]] as const;
    const foot = ["In the file", figures.count(total.rows), figures.money(total.amount), ""];
    return tableOf({ caption: "Payments and sums by status", isHidden: true, columns, foot }, lines);
  }

  #accounts(): Html {
    const { accounts, total, byStatus } = this.#report.totals;
    if (accounts.length === 0) return markup`<p class="in">${REPORT_WORDS.noAccounts}</p>`;
    const figures = this.#figures;
    const sum = (of: ByStatus, names: readonly ResultStatus[]): string =>
      figures.money(sumOf(names.flatMap((name) => of[name] ?? [])));
    const stayed = (Object.keys(SHOWN) as ResultStatus[]).filter((name) => !/^(?:ask|good)$/.test(SHOWN[name].kind));
    const cells = (of: ByStatus): readonly string[] => [
      ...[sum(of, ["accepted", "settled_done"]), sum(of, ["unknown"]), sum(of, stayed)],
    ];
    const lines = accounts.map((one) => [
      markup`<span class="nb">${one.account}</span><small>${payments(one.total.rows, figures)}</small>`,
      ...[figures.money(one.total.amount), ...cells(one.byStatus)],
    ]);
    const columns = [
      ...["Account"],
      ...(["In the file", "Went", "No clear answer", "Did not go"] as const).map((title) => [title, "n"] as const),
    ];
    const foot = ["All", figures.money(total.amount), ...cells(byStatus)];
    return tableOf({ caption: "Sums by debit account", isHidden: true, columns, foot }, lines);
  }

  #news(): Html {
    const { batch, seen } = this.#report;
    const texts = [...batch.remarks.filter(isNews), ...seen].map((one) => tellFault(one).text);
    if (texts.length === 0) return nothing;
    return this.#section(
      "What is new since last time",
      texts.map((text) => markup`<p>${text}</p>`),
    );
  }

  /** What needs a person, the gravest kind first. */
  #open(): Html {
    const { needs } = this.#report;
    const figures = this.#figures;
    if (needs.length === 0) return markup`<p class="in">${REPORT_WORDS.nothing}</p>`;
    const lines = needs.flatMap(({ status, rows }) =>
      rows.map((one) => [
        ...[one.row, payee(one.detail), markup`<b>${SHOWN[status].word}.</b> ${one.text}`],
        ...[one.todo, this.#money(one.amount)],
      ]),
    );
    const columns = [
      ["Row", "less"],
      ["Payee", "head"],
      ["What happened", "wide"],
      ["What is to be done", "wide"],
      ["Amount", "n"],
    ] as const;
    const count = needs.reduce((all, need) => all + need.count, 0);
    const sum = sumOf(needs.flatMap(({ rows }) => rows));
    const foot = ["", payments(count, figures), "", "", count === lines.length ? figures.money(sum) : ""];
    const rest = count > lines.length && restOf(count - lines.length);
    return markup`${tableOf({ caption: "Payments that need a person", isHidden: true, columns, foot }, lines)}${rest}`;
  }

  #money(amount: string | undefined): Shown {
    return amount === undefined ? "not readable" : this.#figures.money(amount);
  }

  #done(): Html {
    const { history } = this.#report;
    const lines = history.slice(0, LINES_SHOWN).map((act) => {
      const [who, what, why] = actTexts(act);
      return [
        this.#figures.stamp(act.at),
        said(who),
        markup`${said(what)}${why !== "" && markup`<small>“${said(why)}”</small>`}`,
      ];
    });
    const columns = [
      ["When", "nb"],
      ["Who", "head"],
      ["Did what", "wide"],
    ] as const;
    const rest = history.length > LINES_SHOWN && markup`<p>and ${history.length - LINES_SHOWN} more</p>`;
    return markup`${tableOf({ caption: "Who did what", isHidden: true, columns }, lines)}${rest}`;
  }

  #payments(): Html {
    const { payments: all, totals } = this.#report;
    const lines = all.map(({ row, detail, amount, status }) => [
      ...[
        row,
        said(printable(detail.name ?? "", 60)),
        said([detail.employee, detail.payee].filter(Boolean).join(" · ")),
      ],
      ...[said(detail.debit ?? ""), said(detail.reference ?? ""), this.#money(amount)],
      status === "accepted" ? "accepted" : markup`<b>${SHOWN[status].word.toLowerCase()}</b>`,
    ]);
    const columns = [
      ["Row", "less"],
      ["Payee", "head"],
      ["Account", "wide"],
      ["From", "less"],
      ["Reference", "less"],
      ["Amount", "n"],
      ["Result", "wide"],
    ] as const;
    const { rows, amount } = totals.total;
    const foot = ["", payments(rows, this.#figures), "", "", "", this.#figures.money(amount), ""];
    const table = tableOf({ caption: "All payments of the file", isHidden: true, columns, kind: "tight", foot }, lines);
    return markup`${table}${rows > lines.length && restOf(rows - lines.length)}`;
  }

  /** What proves which file this is about, and that nothing is missing in the report. */
  #file(): Html {
    const { batch, totals } = this.#report;
    const { fileName, folder, sizeBytes, sha256, rows, total, id, destination, environment } = batch;
    const figures = this.#figures;
    const sums = (count: number, amount: string): string => `${payments(count, figures)}, ${figures.money(amount)}`;
    const stated = batch.remarks.find(({ code }) => code === "control_stated");
    return factsOf({
      File: `${fileName}, ${sizeBytes} bytes, ${sums(rows, total)}`,
      "This report": `${sums(totals.total.rows, totals.total.amount)}: equal to the file`,
      "Stated totals": stated ? tellFault(stated).text : REPORT_WORDS.noControl,
      ...{ Batch: id, Folder: folder, "Sent to": `${destination} (${environment})` },
      "SHA-256": markup`<code>${sha256}</code>`,
      "Times are in": figures.zone,
    });
  }

  #signs(): Html {
    const lines = ["Name", "Signature", "Date"].map((line) => markup`<p>${line}</p>`);
    const signs = REPORT_WORDS.signedBy.map((name) => markup`<div><h3>${name}</h3>${lines}</div>`);
    return markup`<section class="signs" aria-label="Signatures">${signs}</section>`;
  }
}

function payee({ name, employee, payee: account, reference }: Detail): Html {
  const below = [employee === reference ? undefined : employee, name && account, reference].filter(Boolean).join(" · ");
  return markup`${said(printable(name ?? account ?? "", 60))}<small>${said(printable(below, 120))}</small>`;
}

const restOf = (more: number): Html => markup`<p>and ${more} more: the results list every payment</p>`;
