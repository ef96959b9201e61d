import { posix } from "node:path";
import { defined } from "../defined.ts";
import { damaged, WorkbookError } from "./fault.ts";
import type { Package } from "./package.ts";
import { unescaped } from "./text.ts";
import { attributesOf, isTrue, XmlScanner } from "./xml.ts";

export const SMALL_PART_BYTES_MAX = 16 * 1024 * 1024;
const SHEETS_MAX = 256;

export interface SheetEntry {
  readonly name: string;
  readonly isHidden: boolean;
  readonly part: string;
}

/** What lies where in a workbook. */
export interface WorkbookContents {
  readonly sheets: readonly SheetEntry[];
  readonly is1904: boolean;
  readonly strings?: string;
  readonly styles?: string;
}

interface Relation {
  /** The last word of its address: `worksheet`. */
  readonly type: string;
  readonly target: string;
}

export async function readContents(pack: Package): Promise<WorkbookContents> {
  const root = [...(await readRelations(pack, "")).values()].find(({ type }) => type === "officeDocument");
  if (!root || !/\.xml$/i.test(root.target) || !pack.has(root.target)) throw notAWorkbook(pack);
  const relations = await readRelations(pack, root.target);
  const partOfType = (wanted: string): string | undefined =>
    [...relations.values()].find(({ type }) => type === wanted)?.target;
  const { sheets, is1904, isWorkbook } = await readSheets(pack, root.target, relations);
  if (!isWorkbook) throw notAWorkbook(pack);
  if (sheets.length === 0) throw damaged("it has no sheet with cells");
  const [strings, styles] = [partOfType("sharedStrings"), partOfType("styles")];
  // without the workbook's styles a date would be any number
  if ([strings, styles].some((part) => part !== undefined && !pack.has(part)))
    throw damaged("one of its parts is missing");
  return defined({ sheets, is1904, strings, styles });
}

async function readSheets(
  pack: Package,
  part: string,
  relations: ReadonlyMap<string, Relation>,
): Promise<{ sheets: SheetEntry[]; is1904: boolean; isWorkbook: boolean }> {
  const sheets: SheetEntry[] = [];
  let is1904 = false;
  let isWorkbook = false;
  await scan(pack, part, (name, raw) => {
    if (name === "workbook") isWorkbook = true;
    if (name === "workbookPr") is1904 = isTrue(attributesOf(raw).get("date1904"));
    if (name !== "sheet") return;
    const attributes = attributesOf(raw);
    const id = [...attributes].find(([key]) => key.endsWith(":id"))?.[1] ?? "";
    const relation = relations.get(id);
    if (relation?.type !== "worksheet") return;
    if (sheets.length === SHEETS_MAX) throw new WorkbookError("workbook_too_large", `more than ${SHEETS_MAX} sheets`);
    const state = attributes.get("state") ?? "visible";
    sheets.push({
      name: unescaped(attributes.get("name") ?? ""),
      isHidden: state !== "visible",
      part: relation.target,
    });
  });
  return { sheets, is1904, isWorkbook };
}

/** The relations of a part by id; with "" as `part`, those of the whole package. */
async function readRelations(pack: Package, part: string): Promise<ReadonlyMap<string, Relation>> {
  const folder = part === "" ? "" : posix.dirname(part);
  const relations = new Map<string, Relation>();
  const path = posix.join(folder, "_rels", `${posix.basename(part)}.rels`);
  if (!pack.has(path)) return relations;
  await scan(pack, path, (name, raw) => {
    if (name !== "Relationship") return;
    const attributes = attributesOf(raw);
    if (attributes.get("TargetMode") === "External") return;
    const target = attributes.get("Target") ?? "";
    relations.set(attributes.get("Id") ?? "", {
      type: posix.basename(attributes.get("Type") ?? ""),
      target: target.startsWith("/") ? target.slice(1) : posix.join(folder, target),
    });
  });
  return relations;
}

async function scan(pack: Package, part: string, open: (name: string, attributes: string) => void): Promise<void> {
  const ignore = (): void => undefined;
  const scanner = new XmlScanner({ open, close: ignore, text: ignore });
  for await (const bytes of pack.read(part, SMALL_PART_BYTES_MAX)) scanner.write(bytes);
  scanner.end();
}

/** For a zip file that is no workbook: says what it is instead. */
function notAWorkbook(pack: Package): WorkbookError {
  const names = [...pack.names()];
  const has = (pattern: RegExp): boolean => names.some((name) => pattern.test(name));
  const kind = has(/^xl\/workbook\.bin$/)
    ? "a binary workbook (.xlsb)"
    : has(/^content\.xml$/)
      ? "an OpenDocument file (.ods)"
      : has(/^index\/.*\.iwa$/)
        ? "a file of Numbers"
        : has(/^word\/|^ppt\//)
          ? "a document of Word or PowerPoint"
          : "a zip file without a workbook in it";
  return new WorkbookError("workbook_of_another_kind", kind);
}
