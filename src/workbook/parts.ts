import { escaped } from "./text.ts";
import { lettersOf } from "./value.ts";

/** What a sheet has beside its rows. */
export interface SheetShape {
  /** At most 31 characters are kept, and none of `[]:*?/\`. */
  readonly name: string;
  /** The first row: in bold, and always in sight. */
  readonly header: readonly string[];
  /** In characters, for each column; 14 where it is left out. */
  readonly widths?: readonly number[];
}

const WIDTH = 14;
const SHEET_NAME_CHARACTERS_MAX = 31;

/** Styles of cells, by their place in `STYLES`. */
export const STYLE = { general: 0, text: 1, header: 2, amount: 3, date: 4, dateTime: 5, percentage: 6 } as const;

/** The parts around sheets of these names, each with its name in the package. */
export function commonParts(names: readonly string[]): readonly (readonly [part: string, xml: string])[] {
  return [
    ["[Content_Types].xml", contentTypes(names.length)],
    ["_rels/.rels", ROOT_RELATIONS],
    ["xl/workbook.xml", workbookXml(names)],
    ["xl/_rels/workbook.xml.rels", relations(names.length)],
    ["xl/styles.xml", STYLES],
  ];
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const CONTENT = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** The whole column is formatted as Text, so that rows typed below the last one are text too. */
export function sheetBeginning({ header, widths = [] }: SheetShape): string {
  const columns = header.map((_, index) => {
    const place = `min="${index + 1}" max="${index + 1}"`;
    return `<col ${place} width="${widths[index] ?? WIDTH}" style="${STYLE.text}" customWidth="1"/>`;
  });
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  return (
    `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews>` +
    `${columns.length === 0 ? "" : `<cols>${columns.join("")}</cols>`}<sheetData>`
  );
}

/** Text that looks like a number is meant: Excel must not offer to make numbers of account numbers. */
export function sheetEnd(columns: number, rows: number): string {
  const range = `A1:${lettersOf(Math.max(columns, 1) - 1)}${rows}`;
  const ignored = `<ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors>`;
  return `</sheetData>${ignored}</worksheet>`;
}

function contentTypes(sheets: number): string {
  const override = (part: string, type: string): string =>
    `<Override PartName="/xl/${part}" ContentType="${CONTENT}.${type}+xml"/>`;
  const all = Array.from({ length: sheets }, (_, index) => override(`worksheets/sheet${index + 1}.xml`, "worksheet"));
  return (
    `${XML}<Types xmlns="${PACKAGE}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    `${override("workbook.xml", "sheet.main")}${override("styles.xml", "styles")}${all.join("")}</Types>`
  );
}

const ROOT_RELATIONS =
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">` +
  `<Relationship Id="rId1" Type="${DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;

function relations(sheets: number): string {
  const relation = (id: number, type: string, target: string): string =>
    `<Relationship Id="rId${id}" Type="${DOCUMENT}/${type}" Target="${target}"/>`;
  const all = Array.from({ length: sheets }, (_, index) =>
    relation(index + 1, "worksheet", `worksheets/sheet${index + 1}.xml`),
  );
  const styles = relation(sheets + 1, "styles", "styles.xml");
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${all.join("")}${styles}</Relationships>`;
}

function workbookXml(names: readonly string[]): string {
  const sheets = names.map((name, index) => {
    const shown =
      name
        .replace(/[[\]:*?/\\]/g, " ")
        .slice(0, SHEET_NAME_CHARACTERS_MAX)
        .trim() || `Sheet${index + 1}`;
    return `<sheet name="${escaped(shown)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`;
  });
  return `${XML}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><sheets>${sheets.join("")}</sheets></workbook>`;
}

/** In the order of `STYLE`; 49 is Text, 10 a percentage, 14 and 22 are dates in the order of the reader's country. */
const STYLES =
  `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="0.00##"/></numFmts>` +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>' +
  '<fill><patternFill patternType="solid"><fgColor rgb="FFE8EDF3"/><bgColor indexed="64"/></patternFill></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  '<cellXfs count="7"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="49" fontId="1" fillId="2" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1"/>' +
  '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="14" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="22" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="10" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>' +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';
