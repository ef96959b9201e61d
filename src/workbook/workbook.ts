import { posix } from "node:path";
import { defined } from "../defined.ts";
import { damaged, WorkbookError } from "./fault.ts";
import { Package } from "./package.ts";
import { SheetHandler, type CellContext, type SheetFacts, type SheetRow } from "./sheet-rows.ts";
import { SharedStrings } from "./strings.ts";
import { readStyles, type Style } from "./styles.ts";
import { unescaped } from "./text.ts";
import { attributesOf, XmlScanner } from "./xml.ts";

/** What unpacks to more is refused: a sheet of a million rows and fourteen columns is about 0.8 GB of XML. */
const SHEET_BYTES_MAX = 2 * 1024 * 1024 * 1024;
/** Shared texts must be in memory. Six different ones in each of a million rows are about 0.2 GB of XML. */
const STRINGS_BYTES_MAX = 512 * 1024 * 1024;
const SMALL_PART_BYTES_MAX = 16 * 1024 * 1024;
const SHEETS_MAX = 256;

export interface SheetEntry {
  readonly name: string;
  readonly isHidden: boolean;
  readonly part: string;
}

/**
 * A workbook (.xlsx, .xlsm) as it lies on disk: a zip of XML parts (ECMA-376). Formulas are never calculated, macros
 * and links never looked at. Every method throws WorkbookError for what breaks the file.
 */
export class Workbook {
  /** In the order of the tabs; charts and macro sheets are not among them. */
  readonly sheets: readonly SheetEntry[];
  readonly #path: string;
  readonly #parts: WorkbookParts;
  #strings: SharedStrings | undefined;
  #styles: readonly Style[] | undefined;

  private constructor(path: string, parts: WorkbookParts) {
    this.#path = path;
    this.#parts = parts;
    this.sheets = parts.sheets;
  }

  static async open(path: string): Promise<Workbook> {
    const parts = await withPackage(path, readParts);
    return new Workbook(path, parts);
  }

  /**
   * The rows of a sheet in order, in chunks, as often as one likes. `facts` is filled on the way, whole at the end.
   * Beside the texts that cells share, memory is flat.
   */
  async *rows(
    sheet: SheetEntry,
    options: { readonly columnsMax: number; readonly facts?: (facts: SheetFacts) => void },
  ): AsyncGenerator<readonly SheetRow[]> {
    const pack = await Package.open(this.#path);
    try {
      const context = await this.#context(pack, options.columnsMax);
      const handler = new SheetHandler(context);
      const scanner = new XmlScanner(handler);
      options.facts?.(handler.facts);
      for await (const bytes of pack.read(sheet.part, SHEET_BYTES_MAX)) {
        scanner.write(bytes);
        const rows = handler.takeRows();
        if (rows.length > 0) yield rows;
      }
      scanner.end();
    } finally {
      pack.close();
    }
  }

  async #context(pack: Package, columnsMax: number): Promise<CellContext> {
    const { strings, styles, is1904 } = this.#parts;
    if (strings !== undefined) this.#strings ??= await SharedStrings.read(pack.read(strings, STRINGS_BYTES_MAX));
    if (styles !== undefined) this.#styles ??= await readStyles(pack.read(styles, SMALL_PART_BYTES_MAX));
    return { strings: this.#strings, styles: this.#styles ?? [], is1904, columnsMax };
  }
}

async function withPackage<T>(path: string, read: (pack: Package) => Promise<T>): Promise<T> {
  const pack = await Package.open(path);
  try {
    return await read(pack);
  } finally {
    pack.close();
  }
}

interface WorkbookParts {
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

async function readParts(pack: Package): Promise<WorkbookParts> {
  const root = [...(await readRelations(pack, "")).values()].find(({ type }) => type === "officeDocument");
  if (!root || !/\.xml$/i.test(root.target) || !pack.has(root.target)) throw notAWorkbook(pack);
  const relations = await readRelations(pack, root.target);
  const partOfType = (wanted: string): string | undefined =>
    [...relations.values()].find(({ type }) => type === wanted)?.target;
  const { sheets, is1904, isWorkbook } = await readSheets(pack, root.target, relations);
  if (!isWorkbook) throw notAWorkbook(pack);
  if (sheets.length === 0) throw damaged("it has no sheet with cells");
  const [strings, styles] = [partOfType("sharedStrings"), partOfType("styles")];
  // without its styles a date would be any number
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
    if (name === "workbookPr") is1904 = /^(?:1|true)$/.test(attributesOf(raw).get("date1904") ?? "");
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

/** The relations of a part by id; of the whole package for "". */
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

/** A zip file, but of what? */
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
