/** The middle of an odd number of figures, the mean of the two in the middle of an even one; NaN of none. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = NaN, high = NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

/** Half the way from the least to the most, in per cent of the median: `±3 %`. */
export function spread(figures: readonly number[]): string {
  if (figures.length < 2) return "";
  const half = (Math.max(...figures) - Math.min(...figures)) / 2;
  return `±${Math.round((half / median(figures)) * 100)} %`;
}

/** The share of these that is at or below the figure, between 0 and 1, as a figure. */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

/** `28,400`, `2.41`, `0.187`, `20`: three digits that count, all of a whole number, thousands apart. */
export function figure(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const decimals = Number.isInteger(value) || size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return value.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

export function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? "–" : `${figure(Math.round(bytes / 1e6))} MB`;
}

/** A table of Markdown whose columns are as wide as they must be; the first is a name, the others are figures. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((cell, at) => Math.max(3, cell.length, ...rows.map((row) => (row[at] ?? "").length)));
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, at) => (at === 0 ? (cells[at] ?? "").padEnd(width) : (cells[at] ?? "").padStart(width))).join(" | ")} |`;
  const rule = `| ${widths.map((width, at) => (at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [line(header), rule, ...rows.map(line)].join("\n");
}
