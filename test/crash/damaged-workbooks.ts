/** Workbooks taken apart without the program's own code, changed, and packed again. */
import { inflateRawSync } from "node:zlib";
import { zipOf, type ZipPart } from "../support/workbooks.ts";
import { damageBytes, damagedCell, damagedName } from "./damage.ts";
import type { Dice } from "./random.ts";

/** The parts of a zip by its directory, but for those that cannot be unpacked; fails for one that is none. */
export function unzipped(bytes: Buffer): { readonly name: string; readonly data: Buffer }[] {
  const end = bytes.lastIndexOf("PK\u0005\u0006", undefined, "latin1");
  if (end < 0) throw new Error("no directory");
  const parts: { name: string; data: Buffer }[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let count = bytes.readUInt16LE(end + 10); count > 0; count -= 1) {
    const [method, packed, nameLength] = [
      bytes.readUInt16LE(at + 10),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt16LE(at + 28),
    ];
    const name = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    const local = bytes.readUInt32LE(at + 42);
    const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const data = bytes.subarray(from, from + packed);
    try {
      parts.push({ name, data: method === 0 ? data : inflateRawSync(data) });
    } catch {
      // nobody may need it
    }
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return parts;
}

export function damageWorkbook(whole: Buffer, dice: Dice): Buffer {
  const parts: ZipPart[] = unzipped(whole);
  do damageParts(parts, dice);
  while (dice.is(0.4));
  return zipOf(parts);
}

function damageParts(parts: ZipPart[], dice: Dice): void {
  const [at, other] = [dice.below(parts.length), dice.below(parts.length)];
  const [part, another] = [parts[at], parts[other]];
  if (!part || !another) return;
  const acts: readonly (() => unknown)[] = [
    ...Array<() => unknown>(12).fill(() => inSheet(parts, (xml) => damageXml(xml, dice), dice)),
    () => parts.splice(at, 1),
    () => parts.push(part),
    () => (parts[at] = { ...part, name: dice.pick(["../x.xml", part.name.toUpperCase(), "xl/worksheets/sheet9.xml"]) }),
    () =>
      ([parts[at], parts[other]] = [
        { ...part, data: another.data },
        { ...another, data: part.data },
      ]),
    () => ([parts[at], parts[other]] = [another, part]),
    () => (parts[at] = { ...part, data: damageBytes(Buffer.from(part.data), dice) }),
    () => (parts[at] = { ...part, data: damageXml(String(part.data), dice) }),
    () =>
      (parts[at] = { ...part, lie: dice.pick([{ size: 5 }, { crc: 7 }, { flags: 1 }, { method: 0 }, { method: 14 }]) }),
    () => (parts[at] = { ...part, overlaps: true }),
  ];
  dice.pick(acts)();
}

function inSheet(parts: ZipPart[], change: (xml: string) => string, dice: Dice): void {
  const sheets = parts.flatMap(({ name }, at) => (/worksheets\/|sharedStrings/.test(name) ? [at] : []));
  if (sheets.length === 0) return;
  const at = dice.pick(sheets);
  const part = parts[at];
  if (part) parts[at] = { ...part, data: change(String(part.data)) };
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** One of the places of a pattern, changed. */
function oneOf(xml: string, pattern: RegExp, change: (piece: string) => string, dice: Dice): string {
  const found = [...xml.matchAll(pattern)];
  if (found.length === 0) return xml;
  const { 0: piece, index } = dice.pick(found);
  return xml.slice(0, index) + change(piece) + xml.slice(index + piece.length);
}

function damageXml(xml: string, dice: Dice): string {
  const text = (change: (text: string) => string) =>
    oneOf(xml, />[^<]+</g, (piece) => `>${escaped(change(piece.slice(1, -1)))}<`, dice);
  const cell = (change: (cell: string) => string) => oneOf(xml, /<c [^>]*>.*?<\/c>/gs, change, dice);
  const row = (change: (row: string) => string) => oneOf(xml, /<row .*?<\/row>/gs, change, dice);
  const acts: readonly (() => string)[] = [
    ...Array<() => string>(6).fill(() => text((one) => damagedCell(one, dice))),
    () => text((one) => damagedName(one, dice)),
    () =>
      cell((one) =>
        one.replace(/ t="\w+"/, dice.pick(["", ' t="n"', ' t="s"', ' t="str"', ' t="b"', ' t="e"', ' t="d"'])),
      ),
    () => cell((one) => one.replace(/ s="\d+"/, ` s="${dice.below(20)}"`)),
    () => cell((one) => one + one),
    () => cell(() => ""),
    () => cell((one) => one.replace(/<(?:is|v)>/, "<f>SUM(A1:A9)</f>$&")),
    () => cell((one) => one.replace(/ r="[A-Z]+/, ` r="${dice.pick(["A", "C", "Z", "XFD", "AAAA"])}`)),
    () => row(() => ""),
    () => row((one) => one + one),
    () => row((one) => one.replace("<row ", '<row hidden="1" ')),
    () => row((one) => one.replace(/ r="\d+"/, ` r="${dice.below(50)}"`)),
    () =>
      row((one) =>
        one.replaceAll(/ r="([A-Z]*)\d+"/g, (_, letters: string) => ` r="${letters}${900 + dice.below(50)}"`),
      ),
    () =>
      xml.replace(
        "</sheetData>",
        `</sheetData><mergeCells count="1"><mergeCell ref="${dice.pick(["A1:C1", "A2:A9", "H2:H9", "B3:D3"])}"/></mergeCells>`,
      ),
    () => oneOf(xml, /<\/?\w+/g, (tag) => tag + dice.pick(["x", "", ">", " a=1"]), dice),
    () => oneOf(xml, /<[^>]+>/g, () => "", dice),
    () => xml.replace(/\?>/, '?><!DOCTYPE x [<!ENTITY a "ha">]>'),
    () =>
      oneOf(
        xml,
        /&\w+;|[A-Za-z]{4}/g,
        (piece) => dice.pick([`${piece}&a;`, "&#0;", "&#x1F600;", "&#8238;", "_x0007_", "&amp;amp;"]),
        dice,
      ),
  ];
  return dice.pick(acts)();
}
