import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import { WorkbookPieces, type OutCell, type SheetShape } from "../../src/results/workbook.ts";
import { temporaryDirectory } from "./state-dir.ts";

/** One entry of a zip file, and what to say of it that is not true. */
export interface ZipPart {
  readonly name: string;
  readonly data: string | Buffer;
  readonly lie?: { readonly size?: number; readonly crc?: number; readonly flags?: number; readonly method?: number };
  /** Take the bytes of the entry before it for its own. */
  readonly overlaps?: boolean;
}

/** A zip file made without the program's own code. */
export function zipOf(parts: readonly ZipPart[]): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  let before = 0;
  for (const { name, data, lie = {}, overlaps = false } of parts) {
    const bytes = Buffer.from(data);
    const packed = deflateRawSync(bytes, { level: 9 });
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(lie.flags ?? 0, 2);
    fields.writeUInt16LE(lie.method ?? 8, 4);
    fields.writeUInt32LE(lie.crc ?? crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(lie.size ?? bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const start = overlaps ? before : offset;
    const entry = Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\0", "latin1"), fields, Buffer.alloc(14)]);
    entry.writeUInt32LE(start, 42);
    central.push(entry, Buffer.from(name));
    before = offset;
    if (overlaps) continue;
    const whole = Buffer.concat([Buffer.from("PK\u0003\u0004", "latin1"), fields, Buffer.from(name), packed]);
    local.push(whole);
    offset += whole.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", "latin1");
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}

export interface BookShape {
  /** XML inside of `sheetData`, or a whole part beginning with `<?xml` or `<worksheet`; by sheet name. */
  readonly sheets: Readonly<Record<string, string>>;
  /** XML inside of `sst`. */
  readonly strings?: string;
  /** Format codes; cells of style n + 1 have the n-th. */
  readonly formats?: readonly string[];
  readonly is1904?: boolean;
  readonly hidden?: readonly string[];
}

const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships";

/** The parts of a workbook, as little as a reader needs. */
export function partsOf({ sheets, strings, formats = [], is1904 = false, hidden = [] }: BookShape): ZipPart[] {
  const names = Object.keys(sheets);
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="${DOCUMENT}/${type}" Target="${target}"/>`;
  const styles = [0, ...formats.map((_, index) => 200 + index)].map((id) => `<xf numFmtId="${id}"/>`);
  const codes = formats.map((code, index) => `<numFmt numFmtId="${200 + index}" formatCode="${code}"/>`);
  return [
    {
      name: "_rels/.rels",
      data: `<Relationships xmlns="${RELATIONS}">${relation("a", "officeDocument", "xl/workbook.xml")}</Relationships>`,
    },
    {
      name: "xl/workbook.xml",
      data:
        `<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><workbookPr date1904="${is1904 ? 1 : 0}"/><sheets>` +
        `${names.map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="s${index}"${hidden.includes(name) ? ' state="hidden"' : ""}/>`).join("")}</sheets></workbook>`,
    },
    {
      name: "xl/_rels/workbook.xml.rels",
      data:
        `<Relationships xmlns="${RELATIONS}">${names.map((_, index) => relation(`s${index}`, "worksheet", `worksheets/sheet${index}.xml`)).join("")}` +
        `${strings === undefined ? "" : relation("t", "sharedStrings", "sharedStrings.xml")}${relation("u", "styles", "styles.xml")}</Relationships>`,
    },
    {
      name: "xl/styles.xml",
      data: `<styleSheet><numFmts>${codes.join("")}</numFmts><cellXfs>${styles.join("")}</cellXfs></styleSheet>`,
    },
    ...(strings === undefined ? [] : [{ name: "xl/sharedStrings.xml", data: `<sst xmlns="${MAIN}">${strings}</sst>` }]),
    ...Object.values(sheets).map((xml, index) => ({
      name: `xl/worksheets/sheet${index}.xml`,
      data: /^<(?:\?xml|worksheet)/.test(xml)
        ? xml
        : `<worksheet xmlns="${MAIN}"><sheetData>${xml}</sheetData></worksheet>`,
    })),
  ];
}

/** A row of inline texts. */
export function textRow(number: number, cells: readonly string[], attributes = ""): string {
  const texts = cells.map((text, index) => (text === "" ? "" : textCell(number, index, text)));
  return `<row r="${number}"${attributes}>${texts.join("")}</row>`;
}

function textCell(row: number, column: number, text: string): string {
  return `<c r="${String.fromCharCode(65 + column)}${row}" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
}

/** Writes the bytes into a folder of their own and gives the path. */
export function workbookFile(bytes: Buffer, name = "payroll.xlsx"): string {
  const path = join(temporaryDirectory(), name);
  writeFileSync(path, bytes);
  return path;
}

export function bookFile(shape: BookShape): string {
  return workbookFile(zipOf(partsOf(shape)));
}

/** A workbook as the program writes it. */
export function workbookOf(sheet: SheetShape & { readonly rows: readonly (readonly OutCell[])[] }): Buffer {
  const pieces = new WorkbookPieces(sheet);
  return Buffer.concat([pieces.begin(), pieces.rows(sheet.rows), pieces.end()]);
}
