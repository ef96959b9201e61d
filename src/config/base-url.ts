import { NotRight } from "./values.ts";

/**
 * An address such as `https://api.bank.example/base`: https, or http to this very machine; no credentials, query or
 * fragment, which would go further than they should; given without a slash at the end. Throws `NotRight`, which never
 * repeats the text.
 */
export function readBaseUrl(raw: unknown): string {
  const url = typeof raw === "string" ? URL.parse(raw.trim()) : null;
  if (!url) throw notAnAddress("an address such as https://api.bank.example");
  if (url.username || url.password) throw notAnAddress("an address without a user name or password in it");
  if (url.search || url.hash || /[?#]/.test(String(raw))) throw notAnAddress("an address without ? or # in it");
  if (url.protocol === "http:" && !isLoopback(url.href)) {
    throw notAnAddress("an https address; http only to this machine (127.0.0.1, ::1, localhost)");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") throw notAnAddress("an https address");
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/**
 * What is odd about an address whose path has the `/v1` that every path of §4 begins with. A gateway may want it so:
 * such an address is pointed out, and not refused.
 */
export function remarkOnPath(baseUrl: string): { readonly found: string; readonly hint: string } | undefined {
  const at = baseUrl.search(/\/v1(?:\/|$)/);
  if (at < 0) return undefined;
  return {
    found: `rows go to ${baseUrl}/v1/…`,
    hint: `/v1 and what follows it is added by itself (§4); right would be ${baseUrl.slice(0, at)}, unless the service says otherwise`,
  };
}

/** The error of a wrong address. It does not repeat the address, which may hold a password. */
function notAnAddress(right: string): NotRight {
  return new NotRight(right, "the address");
}

/** A ping address without its path, often a secret: whoever knows the path can report runs that never happened. */
export function pingShown(url: string): string {
  return `${new URL(url).origin}/…`;
}

/** Whether the address is this very machine: 127.0.0.0/8, ::1, localhost. */
export function isLoopback(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname ?? "";
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
