import type { Yes } from "../config/schema.ts";

/** What the body of a 2xx says of its row. §2.6 shows no response bodies, so this reads what services commonly write. */
export type Verdict = "nothing_against" | "says_no" | "unreadable";

/** Levels of objects, lists and texts within texts; what is deeper nobody reads. */
const LEVELS_MAX = 40;

export function verdictOf(body: string): Verdict {
  const text = body.trim();
  if (text === "") return "nothing_against";
  if (UNREADABLE.test(text)) return "unreadable";
  const read = readOf(text);
  if (read === undefined) return "unreadable";
  try {
    return read.some(([key, value]) => saysNo(key, value, 0)) ? "says_no" : "nothing_against";
  } catch (error) {
    if (error instanceof TooDeep) return "unreadable";
    throw error;
  }
}

/** Whether the field holds one of the accepted values; false where it is not there, or the body is no JSON or XML. */
export function saysYes(body: string, { field, accepted }: Yes): boolean {
  const found = valueAt(body.trim(), field);
  return found !== undefined && accepted.some((one) => one.trim().toLowerCase() === found.trim().toLowerCase());
}

function valueAt(text: string, field: string): string | undefined {
  const names = field.split(".").map(nameOf);
  if (text.startsWith("<")) return partsOfXml(text).find(([key]) => nameOf(key) === names.at(-1))?.[1];
  let value: unknown = jsonOf(text);
  for (const name of names) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.entries(value).find(([key]) => nameOf(key) === name)?.[1];
  }
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : undefined;
}

/** Bytes that were no text. */
const UNREADABLE = /[\u0000\uFFFD]/;
class TooDeep extends Error {}

/** Keys and values at the top; a plain text counts as a message. undefined: it begins like JSON or XML, and is neither. */
function readOf(text: string): readonly (readonly [key: string, value: unknown])[] | undefined {
  const value = jsonOf(text);
  if (value !== undefined) return [["message", value]];
  if (text.startsWith("<")) return text.endsWith(">") ? partsOfXml(text) : undefined;
  if (/^[[{"]/.test(text)) return undefined;
  // a text around JSON: `OK {…}`, a callback, a guard in front
  const inner = jsonOf(/[[{][^]*[\]}]/.exec(text)?.[0] ?? "");
  return [["message", text], ...(inner === undefined ? [] : [["message", inner] as const])];
}

/** undefined: it is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    // trimmed, because a byte order mark is no JSON
    return JSON.parse(text.trim());
  } catch {
    return undefined;
  }
}

const XML_TEXT = /<([\w.:-]+)[^<>]*>(?:<!\[CDATA\[([^]*?)\]\]>|([^<]*))<\/\1\s*>/g;
const XML_ATTRIBUTE = /\s([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const XML_EMPTY = /<([\w.:-]+)\s*\/>/g;
const ENTITIES: Readonly<Record<string, string>> = { quot: '"', amp: "&", apos: "'", lt: "<", gt: ">" };

/** The texts and attributes of XML by the names of their elements; an empty element counts by its name. */
function partsOfXml(xml: string): (readonly [key: string, value: string])[] {
  const clear = (text = ""): string => text.replace(/&(\w+);/g, (all, name: string) => ENTITIES[name] ?? all);
  const ownName = (name = ""): string => name.replace(/^.*:/, "");
  return [
    ...Array.from(xml.matchAll(XML_TEXT), ([, name, raw, text]) => [ownName(name), raw ?? clear(text)] as const),
    ...Array.from(xml.matchAll(XML_ATTRIBUTE), ([, name, one, other]) => [ownName(name), clear(one ?? other)] as const),
    ...Array.from(xml.matchAll(XML_EMPTY), ([, name]) => ["message", ownName(name)] as const),
  ];
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Keys of yes or no, of which no is a failure. */
const VERDICTS =
  words(`success successful succeeded ok okay valid accepted approved authorized authorised allowed permitted
  acknowledged passed created initiated submitted eligible`);
/** Keys of yes or no, of which yes is a failure. */
const AGAINST =
  words(`blocked denied expired duplicate duplicated reversed cancelled canceled timedout timeout frozen closed
  unauthorized unauthorised forbidden refused aborted suspended invalid`);
/** What the names of keys end with, that say what became of it; behind it may stand a word of form. */
const STATES = words("status state result outcome ack acknowledgement acknowledgment response resp decision verdict");
const TEXTS = words("message msg description desc detail details reason text title info remark remarks note");
const FORMS = words("code desc description text message msg name value detail details info reason flag type");
const CODES = words("code statuscode responsecode respcode resultcode rescode retcode rc returncode");
const FAILURES = words(
  "error errors fail failed failure failures fault faults exception exceptions rejected rejection declined decline",
);
/** A code of an error that says that there is none. */
const NOTHING = /^(?:0*|""|null|none|nil|na|n\/a|false|no|ok|success(?:ful)?)$/i;

/** `Payment_Status` is `paymentstatus`, whatever its writing. */
const nameOf = (key: string): string => key.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Whether the name ends with one of these, or with one of them and a word of form: `failurereason`, `txnstatusdesc`. */
function endsWith(name: string, ends: ReadonlySet<string>, forms = FORMS): boolean {
  for (let at = 0; at < name.length; at++) {
    const rest = name.slice(at);
    if (ends.has(rest)) return true;
    for (const form of forms) {
      if (!rest.endsWith(form)) continue;
      const bare = rest.slice(0, -form.length);
      if (ends.has(bare) || (bare.endsWith("s") && ends.has(bare.slice(0, -1)))) return true;
    }
  }
  return false;
}

/** What a key says, whatever its value is. */
type Meaning = "failure" | "verdict" | "against" | "code" | "state" | "text" | "nothing";
const MEANINGS = new Map<string, Meaning>();
const MEANINGS_MAX = 1_000;

export function meaningOf(key: string): Meaning {
  const name = nameOf(key);
  let meaning = MEANINGS.get(name);
  if (meaning !== undefined) return meaning;
  const bare = name.replace(/^(?:is|was|has|have|are)(?=.)/, "");
  if (endsWith(bare, FAILURES)) meaning = "failure";
  else if (VERDICTS.has(bare)) meaning = "verdict";
  else if (AGAINST.has(bare)) meaning = "against";
  else if (CODES.has(name)) meaning = "code";
  else if (endsWith(name, STATES)) meaning = "state";
  else if (endsWith(name, TEXTS, new Set())) meaning = "text";
  else meaning = "nothing";
  // answers of one service have the same few keys
  if (MEANINGS.size < MEANINGS_MAX) MEANINGS.set(name, meaning);
  return meaning;
}

function saysNo(key: string, value: unknown, level: number): boolean {
  if (level > LEVELS_MAX) throw new TooDeep();
  const meaning = meaningOf(key);
  if (typeof value === "object" && value !== null) {
    const keepsName = meaning === "failure" || Array.isArray(value);
    return Object.entries(value).some(([part, one]) => saysNo(keepsName ? key : part, one, level + 1));
  }
  const said = typeof value === "string" ? value.trim() : JSON.stringify(value ?? "");
  // once more XML or JSON, in a text
  if (/^<[^]*>$/.test(said)) return partsOfXml(said).some(([part, one]) => saysNo(part, one, level + 1));
  const inner = typeof value === "string" && /^[[{"]/.test(said) ? jsonOf(said) : undefined;
  if (inner !== undefined) return saysNo(key, inner, level + 1);
  switch (meaning) {
    case "failure":
      return !NOTHING.test(said);
    case "verdict":
      return /^(?:false|no?|f|0)$/i.test(said) || textSaysNo(said);
    case "against":
      return /^(?:true|y(?:es)?|t|1)$/i.test(said);
    case "code":
    case "state":
      return value === false || /^(?:[45]\d\d|false|n|no|f)$/i.test(said) || textSaysNo(said);
    case "text":
      return textSaysNo(said);
    case "nothing":
      return false;
    default:
      return meaning satisfies never;
  }
}

/** Words that say no, in any form in which services write them. */
const NO =
  words(`fail fails failed failure failures error errors err rejected rejection reject declined decline reversed
  reversal cancelled canceled cancel denied refused invalid insufficient inadequate duplicate duplicated duplicates
  unsuccessful aborted nok ko nack nak cannot unable unauthorized unauthorised unauthenticated forbidden limit limits exceeded
  exceeds closed frozen expired dormant inactive blocked suspended timeout timedout mismatch mismatched unavailable
  incorrect wrong malformed unsupported unrecognized unrecognised unknown bounced returned refunded void voided terminated
  lapsed blacklisted exception fatal cant couldnt didnt doesnt wont`);
/** Said of nothing: `0 errors`, `no duplicates`. */
const NEGATIONS = words("no 0 zero without not non none");
const NOT =
  words(`found enough allowed accepted permitted processed available authorized authorised valid sufficient active
  registered supported successful done possible exist exists approved eligible completed honoured honored credited debited`);
const TWO = words("timed-out could-not can-not did-not does-not no-such no-funds not-have try-again try-later");
/** `within limit`, `remaining daily limit`: the word of a limit that is kept. */
const KEPT = words("within remaining available daily monthly");
const NONE = words("0 none null false nil");
const STEM = /(?:fail(?:ed|ure)|rejected|declined|reversed|cancell?ed)$/;

/** Answers of one service say the same few texts. */
const SAID = new Map<string, boolean>();
const SAID_MAX = 1_000;
const SAID_CHARACTERS_MAX = 100;

function textSaysNo(text: string): boolean {
  let saysSo = SAID.get(text);
  if (saysSo !== undefined) return saysSo;
  saysSo = hasWordsOfNo(text);
  if (SAID.size < SAID_MAX && text.length <= SAID_CHARACTERS_MAX) SAID.set(text, saysSo);
  return saysSo;
}

function hasWordsOfNo(text: string): boolean {
  const spaced = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replaceAll(/['’]/g, "");
  const said = spaced.toLowerCase().match(/[a-z]+|\d+/g) ?? [];
  return said.some((word, at) => {
    const [before = "", after = ""] = [said[at - 1], said[at + 1]];
    if (TWO.has(`${word}-${after}`) || (word === "not" && NOT.has(after))) return true;
    if (!NO.has(word) && !STEM.test(word)) return false;
    if (word.startsWith("limit") && KEPT.has(before)) return false;
    return !NEGATIONS.has(before) && !NONE.has(after);
  });
}
