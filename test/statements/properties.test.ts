import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { formatUnits } from "../../src/amount.ts";
import { DAY_MS, isoDay, MONTHS } from "../../src/day.ts";
import type { Layout } from "../../src/config/statement.ts";
import { LAYOUTS } from "../../src/statements/layouts.ts";
import { readStatement, type Line } from "../../src/statements/read.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { partsOf, textRow, zipOf } from "../support/workbooks.ts";

/** What happened on an account. */
interface Entry {
  readonly day: string;
  readonly units: bigint;
  readonly isDebit: boolean;
  readonly words: readonly string[];
  readonly reference: string;
}

/** How a bank writes it down. */
interface Shape {
  readonly layout: Layout;
  readonly cut: "," | ";" | "\t" | "|" | "unquoted" | "xlsx";
  readonly isReversed: boolean;
  readonly isExchanged: boolean;
  readonly isTurned: boolean;
  readonly isWrapped: boolean;
  readonly grouping: RegExp | undefined;
  readonly negative: (text: string) => string;
  readonly nothing: string;
  readonly date: (iso: string) => string;
  readonly titles: number;
  readonly sums: boolean;
}

const GROUPS = { indian: /\B(?=(?:\d\d)*\d{3}(?!\d))(?<!\.\d*)/g, western: /\B(?=(?:\d{3})+(?!\d))(?<!\.\d*)/g };

const DATES: readonly Shape["date"][] = [
  (iso) => `${iso.slice(8)}/${iso.slice(5, 7)}/${iso.slice(0, 4)}`,
  (iso) => `${iso.slice(5, 7)}/${iso.slice(8)}/${iso.slice(0, 4)}`,
  (iso) => `${iso.slice(8)}-${iso.slice(5, 7)}-${iso.slice(2, 4)} 10:30`,
  (iso) => `${Number(iso.slice(8))} ${MONTHS[Number(iso.slice(5, 7)) - 1] ?? ""} ${iso.slice(0, 4)}`,
  (iso) => iso,
];
const POINTS: Shape["date"] = (iso) => `${iso.slice(8)}.${iso.slice(5, 7)}.${iso.slice(2, 4)}`;

const entries: fc.Arbitrary<Entry[]> = fc
  .array(
    fc.record({
      later: fc.integer({ min: 0, max: 3 }),
      units: fc.bigInt({ min: 1n, max: 10n ** 9n }).map((paise) => paise * 100n),
      isDebit: fc.boolean(),
      words: fc.array(fc.stringMatching(/^[A-Z]{1,6}[0-9]{0,4}$/), { minLength: 1, maxLength: 3 }),
      reference: fc.stringMatching(/^(?:[A-Z]{2}[1-9][0-9]{3})?$/),
    }),
    { minLength: 2, maxLength: 12 },
  )
  .map((all) => {
    // the last day is above 12, and not that of the others: the file tells its orders
    let at = Date.UTC(2026, 10, 10);
    return all.map(({ later, ...entry }, index) => {
      at = index === all.length - 1 ? Math.max(at + DAY_MS, Date.UTC(2026, 10, 13)) : at + later * DAY_MS;
      return { ...entry, day: isoDay(Math.min(at, index === all.length - 1 ? at : Date.UTC(2026, 11, 12))) };
    });
  });

const anyShapes: fc.Arbitrary<Shape> = fc.record({
  layout: fc.constantFrom(...LAYOUTS),
  cut: fc.constantFrom(",", ";", "\t", "|", "unquoted", "xlsx"),
  isReversed: fc.boolean(),
  isExchanged: fc.boolean(),
  isTurned: fc.boolean(),
  isWrapped: fc.boolean(),
  grouping: fc.constantFrom(undefined, GROUPS.indian, GROUPS.western),
  negative: fc.constantFrom<Shape["negative"][]>(
    (text) => `-${text}`,
    (text) => `(${text})`,
    (text) => `${text} Dr`,
  ),
  nothing: fc.constantFrom("", " ", "0.00", "-"),
  date: fc.constantFrom(...DATES),
  titles: fc.integer({ min: 0, max: 39 }),
  sums: fc.boolean(),
});

/** Those that a bank may have: a decimal comma has points for thousands; what is not quoted has its days in front. */
const shapes = anyShapes.map((shape): Shape => {
  if (shape.layout.hasDecimalComma)
    return { ...shape, cut: shape.cut === "unquoted" ? ";" : shape.cut, grouping: shape.grouping && GROUPS.western };
  return { ...shape, isTurned: shape.isTurned && shape.cut !== "unquoted" };
});

test("entries in the shape of any bank → those very entries", async () => {
  const folder = temporaryDirectory();
  const property = fc.asyncProperty(entries, shapes, async (all, shape) => {
    const path = join(folder, shape.cut === "xlsx" ? "a.xlsx" : "a.csv");
    const { records, lines } = written(all, shape);
    writeFileSync(path, bytesOf(records, shape.cut));
    const statement = await readStatement(path);
    expect(statement).toMatchObject({
      layout: shape.layout.bank,
      chain: shape.layout.balance === undefined ? "none" : "whole",
      ...(shape.titles > 0 ? { account: "XXXXXX4471" } : {}),
      days: [all[0]?.day, all.at(-1)?.day],
    });
    expect([...statement.lines]).toEqual(lines);
  });
  await fc.assert(property, { numRuns: 500 });
});

const OPENING = 50_000_000n;

/** The records of the file, and what is to be read of them. */
function written(all: readonly Entry[], shape: Shape) {
  const { layout, isReversed, isTurned, isWrapped, titles, sums, nothing } = shape;
  const { day, valueDay, text, references, money, balance, account, beside = [], unbooked } = layout;
  const side = "side" in money ? [money.side] : [];
  const before = [...beside, account, day, valueDay, ...text, ...references].filter((name) => name !== undefined);
  const amounts = [...Object.values(money), balance].filter((name) => name !== undefined);
  const columns = isTurned
    ? [...amounts, ...(unbooked ? [unbooked.column] : []), ...before.toReversed()]
    : [...before, ...amounts, ...(unbooked ? [unbooked.column] : [])];
  // the column of a balance's own DR or CR
  const names = [...columns, ...side];
  const at = (name: string | undefined): number => (name === undefined ? -1 : names.indexOf(name));
  const blank = (): string[] => names.map(() => "");
  const records: string[][] = Array.from({ length: titles }, (_, row) => [
    row % 2 ? "Address" : "Account No : XXXXXX4471",
  ]);
  records.push([...names]);
  let left = OPENING;
  const told = all.map((entry) => ({ ...entry, left: (left += entry.isDebit ? -entry.units : entry.units) }));
  const lines: Line[] = [];
  for (const entry of isReversed ? told.toReversed() : told) {
    const [first = "", ...rest] = entry.words;
    const record = blank();
    const fill = (name: string | undefined, cell: string): void => {
      if (name !== undefined) record[at(name)] = cell;
    };
    const date = layout.hasDecimalComma ? POINTS : shape.date;
    fill(day, date(entry.day));
    fill(valueDay, date(entry.day));
    fill(account, "XXXXXX4471");
    fill(text[0], isWrapped ? first : entry.words.join(" "));
    fill(references[0], entry.reference);
    const isDebit = entry.isDebit !== (shape.isExchanged && balance !== undefined);
    const digits = amountText(entry.units, shape);
    if ("debit" in money) {
      fill(money.debit, isDebit ? digits : nothing);
      fill(money.credit, isDebit ? nothing : digits);
    } else if (money.side === undefined) fill(money.amount, isDebit ? shape.negative(digits) : digits);
    else {
      fill(money.amount, digits);
      fill(money.side, isDebit ? "DR" : "CR");
    }
    const size = amountText(entry.left < 0n ? -entry.left : entry.left, shape);
    if (side.length > 0) record[names.length - 1] = entry.left < 0n ? "DR" : "CR";
    fill(balance, entry.left < 0n && side.length === 0 ? shape.negative(size) : size);
    records.push(record);
    lines.push({
      line: records.length,
      day: entry.day,
      ...(valueDay === undefined ? {} : { valueDay: entry.day }),
      text: entry.words.join(" "),
      references: entry.reference === "" ? [] : [entry.reference],
      amount: formatUnits(entry.units),
      direction: entry.isDebit ? "debit" : "credit",
      ...(balance === undefined
        ? {}
        : { balance: entry.left < 0n ? `-${formatUnits(-entry.left)}` : formatUnits(entry.left) }),
    });
    if (isWrapped) for (const word of rest) records.push(blank().with(at(text[0]), word));
  }
  if (sums) {
    const sum = blank().with(at(text[0]), "Total").with(at(amounts[0]), amountText(77_777_770_000n, shape));
    records.push(sum, blank(), ["This is a computer generated statement", "and needs no signature"]);
  }
  return { records, lines: isReversed ? lines.toReversed() : lines };
}

function amountText(units: bigint, { layout, grouping }: Shape): string {
  const grouped = grouping ? formatUnits(units).replace(grouping, ",") : formatUnits(units);
  return layout.hasDecimalComma ? grouped.replaceAll(",", "'").replace(".", ",").replaceAll("'", ".") : grouped;
}

function bytesOf(records: readonly (readonly string[])[], cut: Shape["cut"]): string | Buffer {
  if (cut === "xlsx")
    return zipOf(partsOf({ sheets: { A: records.map((cells, row) => textRow(row + 1, cells)).join("") } }));
  if (cut === "unquoted") return records.map((cells) => `${cells.join(",")}\r\n`).join("");
  return stringify(
    records.map((cells) => [...cells]),
    { delimiter: cut, record_delimiter: "windows" },
  );
}
