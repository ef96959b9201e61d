import { isLoopback } from "../config/base-url.ts";
import { PaydropError } from "../errors.ts";

/**
 * The proxy that the environment names for an https address: HTTPS_PROXY, else HTTP_PROXY, each in lower case first.
 * None for an address that NO_PROXY lists, and none for this machine. Throws PaydropError "config" for what is not the
 * address of a proxy, and does not repeat it: it may hold a password.
 */
export function proxyFor(base: URL, env: NodeJS.ProcessEnv): URL | undefined {
  if (isLoopback(base.href)) return undefined;
  const variable = VARIABLES.find((name) => env[name]);
  if (variable === undefined || isException(base, env["no_proxy"] || env["NO_PROXY"] || "")) return undefined;
  const proxy = URL.parse(env[variable] ?? "");
  if (proxy && /^(?:https?|socks5?):$/.test(proxy.protocol) && isDecodable(proxy)) return proxy;
  throw new PaydropError(
    "config",
    `${variable} is not the address of a proxy`,
    "write it like http://proxy.example:3128, or unset it",
  );
}

const VARIABLES = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether NO_PROXY lists the address. Its entries stand between commas or spaces: a name, which counts for all names
 * below it too (`*.name`: only for those), with or without a port; or `*`.
 */
function isException({ hostname, port }: URL, exceptions: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, "");
  return exceptions
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, written = "", onlyPort = port || "443"] = /^(\[.+\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (written === "" || onlyPort !== (port || "443")) return false;
      const name = written.replace(/^\[|\]$|\.$/g, "").replace(/^\*?\./, "");
      return name === "*" || (host === name && !written.startsWith("*")) || host.endsWith(`.${name}`);
    });
}
