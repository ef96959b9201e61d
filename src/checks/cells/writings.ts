import { amountReaderOf, type AmountWriting } from "./group-digits.ts";
import { inspectAmount, type AmountLimits } from "./read-number.ts";
import type { Finding } from "../sentences.ts";

const USUAL: AmountWriting = { numberGrouping: "none", decimalSign: "point" };

/** Every writing that settings can name, except the usual one. */
const WRITINGS = (
  [
    { ...USUAL, numberGrouping: "indian" },
    { ...USUAL, numberGrouping: "western" },
    { ...USUAL, numberGrouping: "space" },
    { ...USUAL, numberGrouping: "apostrophe" },
    { ...USUAL, decimalSign: "comma" },
    { numberGrouping: "point", decimalSign: "comma" },
    { numberGrouping: "space", decimalSign: "comma" },
    { numberGrouping: "apostrophe", decimalSign: "comma" },
  ] as const satisfies readonly AmountWriting[]
).map((writing) => ({ writing, read: amountReaderOf(writing) }));

/**
 * As `inspectAmount`, with the lines of paydrop.toml (`setting`) by which the amount would be read as the number that
 * was probably meant. No line changes a setting that is not the usual one: it was made on purpose. Where no writing
 * gives just that number, as for a damaged text, there is no line.
 */
export function inspectWriting(text: string, limits: AmountLimits, inForce: AmountWriting): Finding | undefined {
  const finding = inspectAmount(text, limits);
  if (finding?.plain === undefined || inspectAmount(finding.plain, limits)) return finding;
  const reading = WRITINGS.filter(({ writing, read }) => keeps(writing, inForce) && read?.(text) === finding.plain);
  const fewest = Math.min(...reading.map(({ writing }) => linesOf(writing, inForce).length));
  const [first, ...others] = reading
    .map(({ writing }) => linesOf(writing, inForce))
    .filter((lines) => lines.length === fewest);
  if (!first) return finding;
  const or = others.flatMap(([line = ""]) => / = (.*)/.exec(line)?.[1] ?? []);
  return { ...finding, setting: [first.join(" and "), ...or].join(" or ") };
}

function keeps(writing: AmountWriting, { numberGrouping, decimalSign }: AmountWriting): boolean {
  return (
    (numberGrouping === USUAL.numberGrouping || writing.numberGrouping === numberGrouping) &&
    (decimalSign === USUAL.decimalSign || writing.decimalSign === decimalSign)
  );
}

/** The lines that would have to be added to the settings in force. */
function linesOf({ numberGrouping, decimalSign }: AmountWriting, inForce: AmountWriting): string[] {
  return [
    ...(numberGrouping === inForce.numberGrouping ? [] : [`number_grouping = "${numberGrouping}"`]),
    ...(decimalSign === inForce.decimalSign ? [] : [`decimal_sign = "${decimalSign}"`]),
  ];
}
