import type { FileFormat } from "../format.ts";

/** The names of the files out; all begin with the whole name of the file in (DESIGN §9). */
interface OutNames {
  readonly results: string;
  readonly retry: string;
  readonly summary: string;
}

/** `payroll.csv` gives `payroll.csv.results.csv`; tables of any delimiter become `.csv`. */
export function outNames(fileName: string, format: FileFormat): OutNames {
  const extension = format === "jsonl" && fileName.toLowerCase().endsWith(".ndjson") ? "ndjson" : format;
  return {
    results: `${fileName}.results.${extension}`,
    retry: `${fileName}.retry.${extension}`,
    summary: `${fileName}.summary.json`,
  };
}

/** `payroll.csv.results.csv` of an earlier batch is kept as `payroll.csv.results.K7Q29F3M.csv`. */
export function nameOfBatch(name: string, batchId: string): string {
  const point = name.lastIndexOf(".");
  return `${name.slice(0, point)}.${batchId}${name.slice(point)}`;
}

/** The input file whose results were put aside under the id of this batch; undefined for any other name. */
export function fileOfAside(name: string, batchId: string): string | undefined {
  const at = name.lastIndexOf(`.results.${batchId}.`);
  return at > 0 ? name.slice(0, at) : undefined;
}
