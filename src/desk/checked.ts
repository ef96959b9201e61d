import { checkOne } from "../acts/check.ts";
import { rowsIn, sumOf } from "../amount.ts";
import { FileRefusedError, PaydropError } from "../errors.ts";
import type { CheckedFile } from "../events.ts";
import { approversFor } from "../journal/approval.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { wordsOf } from "../messages/faults.ts";
import { periodText } from "../messages/pages.ts";
import { isNews } from "../messages/results.ts";
import type { Fault } from "../messages/sentence.ts";
import { markup, said, tableOf, type Html, type Shown } from "../pages/html.ts";
import { alertOf, card, factsOf, over, payments, statusTag, tilesOf } from "../pages/parts.ts";
import { printable } from "../printable.ts";
import { remarkTexts } from "../results/summary.ts";
import type { Desk } from "./desk.ts";
import { button, form, linkButton } from "./forms.ts";
import type { Asked } from "./pages.ts";
import { todoShown } from "./places.ts";
import type { Staged } from "./staging.ts";

interface Checked {
  readonly content: Html;
  readonly head: string;
}

/** What a browser offers to choose. */
export const INPUTS = ".csv,.txt,.tsv,.json,.jsonl,.xlsx";

/** What `paydrop check` says of a file, and the button that puts it into its folder. */
export async function checkPart(desk: Desk, staged: Staged & { readonly id: string }, asked: Asked): Promise<Checked> {
  try {
    return checkedPart(desk, staged, asked, await checkOne(staged.path, desk.config));
  } catch (error) {
    if (!(error instanceof PaydropError)) throw error;
    const content = markup`${refusedPart(error, DESK_WORDS.refused)}<div class="after">${correctedForm(staged.folder, asked.csrf)}</div>`;
    return { content, head: DESK_WORDS.nothing_sent };
  }
}

/** What became of a file that cannot be read, and why. */
export function refusedPart(error: PaydropError, became: string, acts?: Shown): Html {
  const faults = error instanceof FileRefusedError ? error.faults : [];
  const why = faults.length === 0 ? [error.text, todoShown(error)] : [];
  const alert = alertOf({
    label: "Not taken",
    role: "alert",
    lines: [became, ...why],
    ...(acts !== undefined && { acts }),
  });
  return markup`${alert}${faults.length > 0 && card(faultTable("What is wrong", faults))}`;
}

function checkedPart(
  desk: Desk,
  staged: Staged & { readonly id: string },
  asked: Asked,
  checked: CheckedFile,
): Checked {
  const { figures } = desk;
  const { operation, period, mapping, total, byStatus, accounts, remarks } = checked;
  const [goes, wrong, held] = [rowsIn(byStatus, "not_sent"), checked.invalidCount, checked.heldCount];
  const money = (...names: (keyof typeof byStatus)[]): string =>
    figures.money(sumOf(names.flatMap((name) => byStatus[name] ?? [])));
  const tiles = tilesOf([
    ["Can go", money("not_sent"), payments(goes, figures)],
    ["Wrong", money("invalid"), `${payments(rowsIn(byStatus, "invalid"), figures)} to correct`],
    ["Waits for a person", money("held"), payments(rowsIn(byStatus, "held"), figures)],
    ["Read from the file", figures.money(total.amount), payments(total.rows, figures)],
  ]);
  const others = (["duplicate", "unknown", "accepted"] as const).flatMap((status) => {
    const tally = byStatus[status];
    return tally
      ? [
          markup`<li><span>${statusTag(status)} ${payments(tally.rows, figures)}</span> <span class="n">${figures.money(tally.amount)}</span></li>`,
        ]
      : [];
  });
  const kinds = [
    ["What is wrong, cell by cell", checked.invalid, wrong],
    ["What waits for a person", checked.held, held],
    ["Look at these", checked.pointedOut, checked.pointedOutCount],
  ] as const;
  const content = markup`${goesAlert(desk, staged, asked, checked)}${tiles}${others.length > 0 && markup`<ul class="card list after">${others}</ul>`}
${kinds.map(([title, faults, count]) => count > 0 && markup`${over(title, { right: count > faults.length ? `the first of each kind, ${figures.count(count)} in all` : "" })}${card(faultTable(title, faults))}`)}
<div class="cols"><section>${over("By debit account")}${card(accountsTable(desk, accounts))}${over("Where it goes")}${factsOf(factsOfFile(checked, mapping), "card in")}</section>
<section>${over("Since last time")}${newsList(remarks)}</section></div>`;
  const head = [
    DESK_WORDS.nothing_sent,
    `${figures.count(total.rows)} rows were read`,
    period && periodText(period),
    operation,
  ];
  return { content, head: head.filter(Boolean).join(" · ") };
}

/** What would go now, and the one next thing. */
function goesAlert(
  { figures, config }: Desk,
  { id, folder }: Pick<Staged, "folder"> & { readonly id: string },
  { csrf }: Asked,
  { byStatus, total }: CheckedFile,
): Html {
  const goes = rowsIn(byStatus, "not_sent");
  const [wrong, held] = [rowsIn(byStatus, "invalid"), rowsIn(byStatus, "held")];
  const rest = [wrong > 0 && `${figures.count(wrong)} to correct`, held > 0 && `${figures.count(held)} held`].filter(
    (one) => one !== false,
  );
  const all = goes === total.rows;
  const first = all
    ? `All ${payments(goes, figures)} can go.`
    : `${figures.count(goes)} of ${payments(total.rows, figures)} can go${rest.length > 0 ? `: ${rest.join(", ")}` : ""}.`;
  const asksOthers = approversFor(config, total.amount) > 0;
  const word = asksOthers ? `Send ${payments(goes, figures)} for approval` : `Send ${payments(goes, figures)}`;
  const put = form("/upload/put", csrf, button(goes > 0 ? word : "Put it into the folder", goes > 0 ? "main" : ""), {
    hidden: { id },
  });
  const means = all ? DESK_WORDS.put_means : DESK_WORDS.put_some;
  const acts = [put, linkButton("/upload", "Not this file", "quiet")];
  const alert = alertOf({ label: "What goes now", lines: [first, means], acts, kind: all ? "good" : "wait" });
  return all ? alert : markup`${alert}${correctedForm(folder, csrf)}`;
}

/** The next one is checked from here: a month that was stated stands in its name by now, or is stated again. */
function correctedForm(folder: string, csrf: string): Html {
  const fields = markup`<p class="field"><label for="file">The corrected file</label><input id="file" type="file" name="file" accept="${INPUTS}" required></p><p class="acts">${button("Check it", "")} <span class="soft">${DESK_WORDS.upload_check}</span></p>`;
  return form("/upload", csrf, fields, { encoding: "multipart/form-data", kind: "card form", hidden: { folder } });
}

function accountsTable({ figures }: Desk, accounts: CheckedFile["accounts"]): Html {
  if (accounts.length === 0) return markup`<p class="in soft">${DESK_WORDS.no_accounts}</p>`;
  const lines = accounts.map(({ account, total: of }) => [
    markup`<span class="nb">${account}</span><small>${payments(of.rows, figures)}</small>`,
    figures.money(of.amount),
  ]);
  const foot = ["All", figures.money(sumOf(accounts.map(({ total: of }) => of)))];
  return tableOf({ caption: "By debit account", isHidden: true, columns: ["Account", ["Amount", "n"]], foot }, lines);
}

const factsOfFile = ({ operation, control, environment, destination }: CheckedFile, mapping: string | undefined) => ({
  ...{ What: operation, Mapping: mapping, "Sent to": `${destination || "no address"} (${environment})` },
  "Stated totals": control ? DESK_WORDS.control_equal : DESK_WORDS.control_none,
});

/** What is new first, then what else is to be known of the file. */
function newsList(remarks: readonly Fault[]): Html {
  const all = [...remarks.filter(isNews), ...remarks.filter((one) => !isNews(one))];
  if (all.length === 0) return markup`<p class="card in">${DESK_WORDS.news_first}</p>`;
  const grave = new Set(["other_accounts", "many_times"]);
  const lines = remarkTexts(all).map(
    (text, at) => markup`<li><span class="${grave.has(all[at]?.code ?? "") && "red"}">${text}</span></li>`,
  );
  return markup`<ul class="card list">${lines}</ul>`;
}

function faultTable(caption: string, faults: readonly Fault[]): Html {
  const lines = faults.map((fault) => {
    const words = wordsOf(fault);
    const { row, column = "", cell = "" } = fault;
    const place = cell || (row === undefined ? "The file" : `Row ${row}`);
    const name = printable(column, 60);
    return [
      markup`${place}<small>${name === "" ? (cell === "" ? "" : `row ${row ?? ""}`) : said(name)}</small>`,
      words.text,
      todoShown(words),
    ];
  });
  const columns = ["Cell", ["What is wrong", "wide"], ["What to do", "wide"]] as const;
  return tableOf({ caption, isHidden: true, columns }, lines);
}
