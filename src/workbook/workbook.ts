import type { CellContext } from "./cell.ts";
import { readContents, SMALL_PART_BYTES_MAX, type SheetEntry, type WorkbookContents } from "./contents.ts";
import { Package } from "./package.ts";
import type { SheetFacts } from "./sheet-facts.ts";
import { SheetHandler, type SheetRow } from "./sheet-rows.ts";
import { SharedStrings } from "./strings.ts";
import { readStyles, type Style } from "./styles.ts";
import { XmlScanner } from "./xml.ts";

/** A sheet that unpacks to more is refused: a million rows and fourteen columns are about 0.8 GB of XML. */
const SHEET_BYTES_MAX = 2 * 1024 * 1024 * 1024;
/** Shared texts must be in memory. Six different texts in each of a million rows are about 0.2 GB of XML. */
const STRINGS_BYTES_MAX = 512 * 1024 * 1024;

/**
 * A workbook (.xlsx, .xlsm) as it lies on disk: a zip of XML parts (ECMA-376). Formulas are never calculated, macros
 * and links never looked at. Every method throws WorkbookError for what breaks the file.
 */
export class Workbook {
  /** In the order of the tabs; charts and macro sheets are not among them. */
  readonly sheets: readonly SheetEntry[];
  readonly #path: string;
  readonly #contents: WorkbookContents;
  #strings: SharedStrings | undefined;
  #styles: readonly Style[] | undefined;

  private constructor(path: string, contents: WorkbookContents) {
    this.#path = path;
    this.#contents = contents;
    this.sheets = contents.sheets;
  }

  static async open(path: string): Promise<Workbook> {
    const contents = await withPackage(path, readContents);
    return new Workbook(path, contents);
  }

  /**
   * The rows of a sheet in order, in chunks; may be called as often as one likes. `facts` is filled on the way, and
   * complete at the end. Apart from the texts that cells share, memory is flat.
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
    const { strings, styles, is1904 } = this.#contents;
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
