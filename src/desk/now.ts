import { basename } from "node:path";
import { rowsIn, sumOf } from "../amount.ts";
import { mayDo, type Account } from "../acts/accounts.ts";
import { atWork, isIn } from "../inbox/at-work.ts";
import { isUnapproved, PROPOSED } from "../journal/approval.ts";
import type { BatchRecord } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import type { PageName } from "../messages/frame.ts";
import { HOST_WORDS } from "../messages/hosts.ts";
import { heldText } from "../messages/intake.ts";
import { told, type Told } from "../messages/sentence.ts";
import { markup, said, type Html, type Shown } from "../pages/html.ts";
import { alertOf, payments } from "../pages/parts.ts";
import type { Desk } from "./desk.ts";
import { button, form, linkButton } from "./forms.ts";
import { inboxesOf } from "./inboxes.ts";
import { todoShown } from "./places.ts";

const KNOWN_MS = 1_000;

/** An inbox from which nothing goes. */
interface Stopped {
  readonly inbox: string;
  readonly at: number;
  readonly reason: string;
  /** Who stopped it at the desk. */
  readonly by: string | undefined;
}

/** What stands on top of every page: what waits for a person, and what keeps anything from going. */
export interface Now {
  readonly counts: Readonly<Partial<Record<PageName, number>>>;
  readonly stopped: readonly Stopped[];
  /** Batches with rows that are still to go, or are held. */
  readonly open: readonly BatchRecord[];
  readonly unknown: readonly BatchRecord[];
  readonly troubles: readonly Told[];
}

/** Many windows look at once: it is asked for once in a while, and after each act. */
export class KnownNow {
  readonly #desk: Desk;
  #known: { readonly until: number; readonly now: Promise<Now> } | undefined;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  get(): Promise<Now> {
    const time = performance.now();
    if (!this.#known || this.#known.until < time) {
      const now = nowAt(this.#desk);
      this.#known = { until: time + KNOWN_MS, now };
      now.catch(() => (this.#known = undefined));
    }
    return this.#known.now;
  }

  /** Something was changed. */
  forget(): void {
    this.#known = undefined;
  }
}

async function nowAt(desk: Desk): Promise<Now> {
  const { store } = desk;
  const [open, unknown, folders, work] = await Promise.all([
    store.batches({ states: ["ready", "not_sent", "held"] }),
    store.batches({ states: ["unknown"] }),
    store.folders(),
    atWork(desk),
  ]);
  const inboxes = inboxesOf(desk, folders);
  const toApprove = await Promise.all(open.map((batch) => isAsked(desk, batch)));
  const decide = new Map(
    [...open.filter(({ phase }) => phase !== "cancelled"), ...unknown].map((one) => [one.id, one]),
  );
  return {
    counts: {
      "/decide": [...decide.values()].reduce(
        (sum, { phase, tallies }) =>
          sum + rowsIn(tallies, "unknown") + (phase === "cancelled" ? 0 : rowsIn(tallies, "held")),
        0,
      ),
      "/approvals": toApprove.filter(Boolean).length,
    },
    ...{ stopped: await stoppedIn(desk, inboxes), open, unknown },
    troubles: await troublesIn(desk, inboxes, work),
  };
}

/** Whether others must approve the batch, or rows of it that somebody let go. */
async function isAsked({ store }: Desk, batch: BatchRecord): Promise<boolean> {
  if (batch.approvers === 0 || batch.phase === "cancelled") return false;
  if (isUnapproved(batch)) return true;
  if (!batch.tallies.held) return false;
  return (await store.rows({ batch: batch.id, states: ["held"], codes: [PROPOSED], limit: 1 })).length > 0;
}

async function stoppedIn({ store }: Desk, inboxes: readonly string[]): Promise<readonly Stopped[]> {
  const holds = (await store.heldFolders()).filter(({ folder }) => inboxes.includes(folder));
  return Promise.all(
    holds.map(async ({ folder: inbox, reason, at }) => {
      // what paydrop stopped by itself, or by a file named STOP, nobody is named for
      const acts = reason === "desk_stop" ? await store.acts({ since: at }) : [];
      return { inbox, at, reason, by: acts.find(({ kind, as }) => kind === "hold_folder" && as === inbox)?.by };
    }),
  );
}

/** Of what nobody looks at nothing is taken, and nothing goes. */
async function troublesIn(
  { store }: Desk,
  inboxes: readonly string[],
  { isAny, watches }: Awaited<ReturnType<typeof atWork>>,
) {
  const loss = await store.hosts.loss();
  const waits = await store.hosts.waitsFor();
  return [
    ...(loss === undefined ? [] : [told(HOST_WORDS.loss, { found: loss })]),
    ...(waits.length === 0 ? [] : [told(HOST_WORDS.waits, { hosts: waits.join(", ") })]),
    ...(!isAny && inboxes.length > 0 ? [told(DESK_WORDS.nobody_works)] : []),
    ...(isAny
      ? inboxes.filter((inbox) => !watches(inbox)).map((folder) => told(DESK_WORDS.nobody_watches, { folder }))
      : []),
  ];
}

/** One red line for each, with who or what stopped it, and the one thing to do. `csrf`: of whoever sees it. */
export function alertsOf(
  desk: Desk,
  now: Now,
  { account, csrf }: { readonly account: Account; readonly csrf: string },
): Html {
  const stops = now.stopped.map((stop) => stopAlert(desk, now, stop, mayDo(account.role, "decide") ? csrf : undefined));
  const others = now.troubles.map((one) => alertOf({ label: "Nothing goes", lines: [one.text, todoShown(one)] }));
  return markup`${stops}${others}`;
}

function stopAlert({ figures, store }: Desk, { open, unknown }: Now, stop: Stopped, csrf: string | undefined): Html {
  const { inbox, at, reason, by } = stop;
  const since = figures.time(at, store.now());
  const behind = open
    .filter(({ folder, phase }) => phase === "open" && isIn(folder, inbox))
    .map(({ tallies }) => tallies);
  const rows = behind.reduce((sum, one) => sum + rowsIn(one, "ready", "not_sent"), 0);
  const sum = sumOf(behind.flatMap(({ ready, not_sent: unsent }) => [ready ?? [], unsent ?? []].flat()));
  const waits = rows > 0 && markup` <b>${payments(rows, figures)}, ${figures.money(sum)}</b> wait behind it.`;
  const lookUp = unknown
    .filter(({ folder }) => isIn(folder, inbox))
    .reduce((all, one) => all + rowsIn(one.tallies, "unknown"), 0);
  const acts: readonly Shown[] = [
    lookUp > 0 && linkButton("/decide", `Look up ${payments(lookUp, figures)}`, "main"),
    csrf !== undefined && form("/go-on", csrf, button("Let sending go on", ""), { hidden: { inbox } }),
  ];
  const who = by === undefined ? "" : `, by ${by}`;
  const title = markup`Sending is stopped in “${said(basename(inbox))}” since ${since}${who}.`;
  return alertOf({ label: "Sending is stopped", lines: [title, markup`${heldText(reason)}${waits}`], acts });
}
