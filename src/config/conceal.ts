/**
 * The last filter before text goes to a terminal or a log: the secrets of this process, also in hex, base64 and URL
 * form, become `[secret]`. It is the net below the other measures, not a licence to print.
 */
const concealed = new Set<string>();
let pattern: RegExp | undefined;

/** Shorter texts would blot out harmless words; no real key is that short. */
const LENGTH_MIN = 8;

export function conceal(text: string): string {
  if (concealed.size === 0) return text;
  pattern ??= new RegExp(
    [...concealed]
      .sort(byLength)
      .map((form) => RegExp.escape(form))
      .join("|"),
    "gi",
  );
  return text.replace(pattern, "[secret]");
}

/** `text`, which was cut off, without secrets, and without as much of its end as could be the beginning of a secret. */
export function concealOfCut(text: string): string {
  const longest = Math.max(1, ...[...concealed].map((form) => form.length));
  const left = conceal(text);
  return left.slice(0, Math.max(0, left.length - longest + 1));
}

/** Every `Secret` reports itself here when it is made. */
export function concealFromNowOn(secret: string): void {
  if (secret.length < LENGTH_MIN || concealed.has(secret)) return;
  for (const form of formsOf(secret)) concealed.add(form);
  pattern = undefined;
}

function formsOf(secret: string): string[] {
  const contents = [Buffer.from(secret)];
  if (/^(?:[0-9a-f]{2})+$/i.test(secret)) contents.push(Buffer.from(secret, "hex"));
  else if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(secret)) contents.push(Buffer.from(secret, "base64"));
  const forms = contents.flatMap((bytes) => {
    const hex = bytes.toString("hex");
    return [hex, bytes.toString("base64").replace(/=+$/, ""), bytes.toString("base64url")];
  });
  const all = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), ...forms];
  return all.filter((form) => form.length >= LENGTH_MIN);
}

function byLength(one: string, other: string): number {
  return other.length - one.length;
}
