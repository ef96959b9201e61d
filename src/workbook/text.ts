import { isUtf8 } from "node:buffer";
import { damaged } from "./fault.ts";

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
/** `_x000D_`: how workbooks write characters that XML does not have, and those that would look like one. */
const ESCAPED = /_x([0-9a-fA-F]{4})_/g;

/**
 * Text as XML means it. `raw`: bytes of UTF-8, one character each. No entity but XML's own five is known, and none can
 * be declared: a declaration refuses the file.
 */
export function xmlText(raw: string): string {
  let text = raw;
  if (/[\u0080-\u00ff]/.test(text)) {
    const bytes = Buffer.from(text, "latin1");
    if (!isUtf8(bytes)) throw damaged("its text is not UTF-8");
    text = bytes.toString("utf8");
  }
  if (text.includes("\r")) text = text.replace(/\r\n?/g, "\n");
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#([0-9]{1,7})|#x([0-9a-fA-F]{1,6})|([a-z]{2,4}));|&/g, (_, decimal, hex, name) => {
    const entity = ENTITIES[String(name)];
    if (entity !== undefined) return entity;
    const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
    if (!(code > 0 && code <= 0x10ffff)) throw damaged("it uses an entity that XML does not have");
    return String.fromCodePoint(code);
  });
}

/** The text of a cell, from the raw text of its element. */
export function cellText(raw: string): string {
  return unescaped(xmlText(raw));
}

/** Text with the workbook's own escapes undone. */
export function unescaped(text: string): string {
  return text.includes("_x")
    ? text.replace(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;
}

const TO_ESCAPE =
  /[&<>"]|_(?=x[0-9a-fA-F]{4}_)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const AS_ENTITY: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text as it stands in a cell or an attribute, so that `cellText` gives it back, whatever it is. */
export function escaped(text: string): string {
  return text.replace(
    TO_ESCAPE,
    (character) => AS_ENTITY[character] ?? `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`,
  );
}
