import { stream } from "hono/streaming";
import { messageOf } from "../errors.ts";
import type { FileFormat } from "../file-format.ts";
import type { BatchRecord } from "../journal/store.ts";
import { markup, type Html } from "../pages/html.ts";
import { resultsPieces, retryPieces } from "../results/download.ts";
import type { Desk } from "./desk.ts";
import { plain, type Asked } from "./pages.ts";

const TYPES: Readonly<Record<FileFormat, string>> = {
  csv: "text/csv; charset=utf-8",
  json: "application/json",
  jsonl: "application/jsonl",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

/** A table can be had as a workbook, too; of other files nobody has one. */
const formatsOf = ({ format }: BatchRecord): readonly FileFormat[] =>
  format === "json" || format === "jsonl" ? [format] : ["xlsx", "csv"];

export const linksTo = (batch: BatchRecord, what: "results" | "retry"): readonly Html[] =>
  formatsOf(batch).map(
    (format, at) => markup`${at > 0 && " · "}<a href="/batch/${batch.id}/${what}.${format}" download>.${format}</a>`,
  );

/** What lies beside the file, for whoever cannot see its folder. Names and accounts in it are those of the file. */
export function download(desk: Desk, { c }: Asked, batch: BatchRecord, name: string): Response {
  const [what, format] = name.split(".");
  const isKnown = what === "results" || what === "retry";
  const as = isKnown && formatsOf(batch).find((one) => one === format);
  if (!isKnown || !as) return plain(c, 404, "no_page");
  const pieces = what === "results" ? resultsPieces(desk, batch, as) : retryPieces(desk, batch, as);
  c.header("content-type", TYPES[as]);
  c.header("content-disposition", dispositionOf(`${batch.fileName}.${name}`));
  return stream(
    c,
    async (out) => {
      for await (const piece of pieces) {
        if (out.aborted) return;
        if (piece.length > 0) await (typeof piece === "string" ? out.write(piece) : out.write(piece));
      }
    },
    (error) => {
      desk.say(`desk: ${messageOf(error)}`);
      // a file that breaks off must not look whole
      throw error;
    },
  );
}

/** The name in ASCII, and as it is. */
function dispositionOf(name: string): string {
  const plainName = name.replaceAll(/[^ -~]|["\\%]/g, "_");
  return `attachment; filename="${plainName}"; filename*=UTF-8''${encodeURIComponent(name).replaceAll(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)}`;
}
