import { expect, test } from "vitest";
import { proxyFor } from "../../src/client/proxy.ts";

const PROXY = "http://proxy.example:3128/";

test.each<[string, NodeJS.ProcessEnv, string | undefined]>([
  ["nothing", {}, undefined],
  ["HTTPS_PROXY", { HTTPS_PROXY: PROXY }, PROXY],
  ["lower case first", { https_proxy: PROXY, HTTPS_PROXY: "http://other.example" }, PROXY],
  ["HTTP_PROXY where there is no other", { HTTP_PROXY: PROXY }, PROXY],
  ["the next one where one is empty", { https_proxy: "", HTTPS_PROXY: "", http_proxy: PROXY }, PROXY],
  [
    "none but the exceptions in capitals where the others are empty",
    { HTTPS_PROXY: PROXY, no_proxy: "", NO_PROXY: "*" },
    undefined,
  ],
  ["one that speaks SOCKS", { HTTPS_PROXY: "socks://proxy.example:1080" }, "socks://proxy.example:1080"],
  ["HTTPS_PROXY before HTTP_PROXY", { HTTP_PROXY: "http://other.example", HTTPS_PROXY: PROXY }, PROXY],
])("the proxy of an https address: %s", (_, env, url) => {
  expect(proxyFor(new URL("https://api.bank.example"), env)?.href).toBe(url);
});

test.each(["https://127.0.0.1:8443", "https://localhost", "https://[::1]"])("never for this machine: %s", (address) => {
  expect(proxyFor(new URL(address), { HTTPS_PROXY: PROXY })).toBeUndefined();
});

// as undici's EnvHttpProxyAgent reads it: compared with what that asks a proxy for
test.each<[string, string, boolean]>([
  ["https://api.bank.example", "bank.example", true],
  ["https://api.bank.example", ".BANK.example", true],
  ["https://api.bank.example", "*.bank.example", true],
  ["https://bank.example", "*.bank.example", false],
  ["https://bank.example", ".bank.example", true],
  ["https://bank.example", "ank.example", false],
  ["https://bank.example", "other.example bank.example.", true],
  ["https://bank.example", "other.example,bank.example:443", true],
  ["https://bank.example", "bank.example:8443", false],
  ["https://bank.example:8443", "bank.example:8443", true],
  ["https://bank.example.", "bank.example", true],
  ["https://bank.example", "*", true],
  ["https://bank.example", "*:80", false],
  ["https://bank.example", " , ", false],
  ["https://[fd00::1]", "fd00::1", true],
  ["https://[fd00::1]", "[fd00::1]:443", true],
  ["https://[fd00::1]", "[fd00::1]:1", false],
])("%s with NO_PROXY=%s", (address, exceptions, isDirect) => {
  const env = { HTTPS_PROXY: PROXY, NO_PROXY: exceptions };
  expect(proxyFor(new URL(address), env) === undefined).toBe(isDirect);
});
