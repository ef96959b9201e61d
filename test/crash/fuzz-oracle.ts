/** What must hold of a file that was checked and run twice, whatever its bytes are. */
import { createDecipheriv } from "node:crypto";
import type { Received } from "../support/fault-server.ts";
import { AES_IV, AES_KEY, API_KEY } from "../support/ledger-server.ts";
import type { Ended } from "../support/paydrop.ts";
import type { Decoded } from "./decoded.ts";

/** One line of the results. */
export type Line = Readonly<Record<string, string>>;

export interface Seen {
  readonly check: Ended;
  readonly first: Ended;
  readonly second: Ended;
  readonly readings: readonly Decoded[];
  readonly requests: readonly Received[];
  readonly requestsAgain: readonly Received[];
  /** undefined: none were written. */
  readonly lines: readonly Line[] | undefined;
  readonly linesAgain: readonly Line[] | undefined;
  readonly summary: Summary | undefined;
  /** The bytes of the journal. */
  readonly journal: string;
  /** What nobody may read on a screen, in a log or in the journal. */
  readonly secrets: readonly string[];
}

export interface Summary {
  readonly control: Readonly<Record<"in" | "out", { readonly rows: number; readonly total: string }>>;
  readonly rows: Readonly<Record<string, number>>;
  readonly amount: Readonly<Record<string, string>>;
  readonly exit_code: number;
}

/** Ends that mean something to a person; 1 is a failure of ours, and no disk failed here. */
const ENDS = [0, 2, 3, 4, 5, 6, 7];

export function breaches(seen: Seen): string[] {
  const { check, first, second, lines, summary, requests } = seen;
  const found: string[] = [];
  for (const [what, { code, stderr }] of Object.entries({ check, first, second }))
    if (!ENDS.includes(code)) found.push(`${what} ended with ${code}: ${stderr.slice(-400)}`);
  found.push(...told(seen));
  if (check.code === 5 || check.code === 2 ? requests.length > 0 || lines : !lines || !summary)
    found.push(`check ended with ${check.code}: ${requests.length} requests, results ${lines ? "there" : "missing"}`);
  if (lines && summary) {
    found.push(...sums(lines, summary), ...sentRows(seen, lines), ...again(seen, lines));
    const faults = seen.readings.map((rows) => [...order(lines, rows), ...sameText(lines, rows, requests)]);
    // it was read in one of these ways
    found.push(...(faults.toSorted((one, other) => one.length - other.length)[0] ?? ["nobody else can read it"]));
  }
  return found;
}

/** I10. */
function told({ check, first, second, secrets, journal }: Seen): string[] {
  const said = [check, first, second].flatMap(({ stdout, stderr }) => [stdout, stderr]);
  const texts = [...said, journal].join("\n");
  return [...secrets, API_KEY, AES_KEY, AES_IV]
    .filter((secret) => texts.includes(secret))
    .map(
      (secret) =>
        `told: ${secret}: ${texts
          .split("\n")
          .find((line) => line.includes(secret))
          ?.slice(0, 300)}`,
    );
}

/** I13. */
function sums(lines: readonly Line[], { control, rows, amount }: Summary): string[] {
  const found: string[] = [];
  const of = (some: readonly Line[]): string =>
    written(some.reduce((sum, line) => sum + units(line["result_amount"]), 0n));
  for (const { rows: count, total } of [control.in, control.out])
    if (count !== lines.length || total !== of(lines))
      found.push(`control ${count} ${total}, lines ${lines.length} ${of(lines)}`);
  for (const [status, some] of Map.groupBy(lines, (line) => line["result_status"] ?? ""))
    if (rows[status] !== some.length || amount[status] !== of(some))
      found.push(`${status}: ${rows[status]} ${amount[status]}, lines ${some.length} ${of(some)}`);
  return found;
}

function units(amount = ""): bigint {
  const [, whole, decimals = ""] = /^(\d+)(?:\.(\d{1,4}))?$/.exec(amount === "" ? "0" : amount) ?? [];
  if (whole === undefined) throw new Error(`no amount: ${amount}`);
  return BigInt(whole + decimals.padEnd(4, "0"));
}

function written(sum: bigint): string {
  const digits = sum.toString().padStart(5, "0");
  return `${digits.slice(0, -4)}.${digits.slice(-4).replace(/0{1,2}$/, "")}`;
}

const WENT = ["accepted", "rejected", "unknown"];

/** A row goes where its status says so, and nowhere else; what check called invalid or held does not. */
function sentRows({ check, requests }: Seen, lines: readonly Line[]): string[] {
  const found: string[] = [];
  const attempts = (some: readonly Line[]): number =>
    some.reduce((sum, line) => sum + Number(line["result_attempts"]), 0);
  const went = lines.filter((line) => WENT.includes(line["result_status"] ?? ""));
  if (attempts(went) !== requests.length || attempts(lines) !== requests.length)
    found.push(`${requests.length} requests, attempts of the results ${attempts(lines)}`);
  const kept = new Set<string>();
  for (const line of check.stdout.split("\n")) {
    const { type, row } = line.startsWith("{") ? (JSON.parse(line) as { type?: string; row?: number }) : {};
    if (type === "row") kept.add(String(row));
  }
  for (const { result_row = "", result_status = "" } of went)
    if (kept.has(result_row)) found.push(`row ${result_row} was kept back by check, and is ${result_status}`);
  for (const { result_row = "", result_status = "" } of lines)
    if (!kept.has(result_row) && /^(?:invalid|held|duplicate)$/.test(result_status))
      found.push(`row ${result_row} is ${result_status}, and check did not say so`);
  return found;
}

/** The same bytes once more. */
function again({ first, second, requestsAgain, linesAgain }: Seen, lines: readonly Line[]): string[] {
  // what was stopped goes on
  if (first.code === 7) return [];
  const statuses = (some: readonly Line[] = []): string =>
    some.map((line) => `${line["result_row"]} ${line["result_status"]}`).join();
  const found = requestsAgain.length > 0 ? [`the second run sent ${requestsAgain.length}`] : [];
  if (statuses(linesAgain) !== statuses(lines))
    found.push(`other results: ${statuses(lines)} / ${statuses(linesAgain)}`);
  return first.code === second.code ? found : [...found, `first ${first.code}, second ${second.code}`];
}

/** I3: one line for each row in which anything stands, below the header, in order. */
function order(lines: readonly Line[], rows: Decoded): string[] {
  const numbers = lines.map((line) => Number(line["result_row"]));
  const expected = [...rows.keys()].filter((number) => number >= (numbers[0] ?? 0));
  const isAll = numbers.join() === expected.join();
  return isAll ? [] : [`rows ${expected.join()} have the lines ${numbers.join()}`];
}

/** Each request is what stands in the cells of a row that went, and each such row has its own. */
function sameText(lines: readonly Line[], rows: Decoded, requests: readonly Received[]): string[] {
  const went = lines.filter((line) => WENT.includes(line["result_status"] ?? ""));
  const fits = requests.map((request) => {
    const texts = textsOf(payloadOf(request));
    return went.flatMap(({ result_row = "", result_amount = "" }, at) => {
      const row = rows.get(Number(result_row)) ?? [];
      const cells = new Set(row.flatMap(spellings));
      const isSame = texts.every(
        ([name, text]) => cells.has(text.trim()) || (name === "currency" && text === "INR") || isDay(name, text, row),
      );
      return isSame && texts.some(([name, text]) => name === "amount" && units(text) === units(result_amount))
        ? [at]
        : [];
    });
  });
  const taken = new Map<number, number>();
  const place = (request: number, tried: Set<number>): boolean =>
    (fits[request] ?? []).some((at) => {
      if (tried.has(at)) return false;
      tried.add(at);
      const before = taken.get(at);
      if (before !== undefined && !place(before, tried)) return false;
      taken.set(at, request);
      return true;
    });
  return requests.flatMap((request, at) =>
    place(at, new Set()) ? [] : [`sent, and in no row that went: ${payloadOf(request).slice(0, 500)}`],
  );
}

/** A cell as it stands there, without a spreadsheet's guard, and an account without the spaces of its groups. */
function spellings(cell: string): string[] {
  const text = cell.trim();
  const bare = /^="(.*)"$/s.exec(text)?.[1] ?? (text.startsWith("'") ? text.slice(1) : text);
  return [text, bare.trim(), bare.replaceAll(/[ -]/g, "")];
}

/** A workbook's day is the number of days since 1899; it is sent where any text may stand. */
function isDay(name: string, text: string, row: readonly string[]): boolean {
  const days = Date.parse(text) / 86_400_000 + 25_569;
  return (
    /^(?:narration|purpose|notes)$/.test(name) && row.some((cell) => cell !== "" && Math.abs(Number(cell) - days) < 31)
  );
}

/** The plaintext as it came, with the digits of its numbers. */
function payloadOf({ path, body }: Received): string {
  if (!path.endsWith("/payouts/pay")) return body;
  const cipher = createDecipheriv("aes-256-cbc", Buffer.from(AES_KEY, "hex"), Buffer.from(AES_IV, "hex"));
  const { body: hex } = JSON.parse(body) as { body: string };
  return cipher.update(hex, "hex", "utf8") + cipher.final("utf8");
}

function textsOf(payload: string): [name: string, text: string][] {
  const found: [string, string][] = [];
  JSON.parse(payload, function (this: unknown, name: string, value: unknown, { source }: { source?: string }) {
    if (name !== "") found.push([name, typeof value === "string" ? value : (source ?? "")]);
    return value;
  } as Parameters<typeof JSON.parse>[1]);
  return found;
}
