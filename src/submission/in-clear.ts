/** An escape, and what has no width: it stands between two letters, and nobody sees it. */
const MAY_HIDE = /\\[uU]|\p{Cf}/u;
/** An escape of JSON, also in a text of JSON that stands in another one: its backslash is doubled there. */
const ESCAPE = /\\+u([0-9a-f]{4})/gi;
const WITHOUT_WIDTH = /\p{Cf}/gu;

/** Whether a text may read otherwise than it is written: few do, and only these are looked at once more. */
export function mayHide(text: string): boolean {
  return MAY_HIDE.test(text);
}

/** The text as people read it: `\u0035` is `5`, and characters without width are left out. */
export function inClear(text: string): string {
  const plain = text.replace(ESCAPE, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return plain.replace(WITHOUT_WIDTH, "").toWellFormed();
}
