import type { ErrorSentence, Sentence } from "./sentence.ts";

export const CLIENT_ERRORS = {
  key_wrong: {
    kind: "config",
    text: "{name} has {characters} characters; right would be {hex} of hex, {base64} of base64 or {bytes} of plain text (key_encoding: {encoding})",
    todo: "Copy it again from the service's dashboard under Settings, API Security.",
  },
  keys_missing: {
    kind: "config",
    text: "a {operation} travels encrypted: AES key or IV is missing",
    todo: "Give both: PAYDROP_AES_KEY and PAYDROP_AES_IV.",
  },
  padding_none: {
    kind: "config",
    text: 'padding "none" needs a payload of a multiple of 16 bytes, and this one has {bytes}',
    todo: 'Choose the padding that the service expects, such as padding = "pkcs7".',
  },
  pem_wrong: { kind: "config", text: "{path} cannot be used: {why}", todo: "Give a PEM file that paydrop may read." },
  proxy_wrong: {
    kind: "config",
    text: "HTTPS_PROXY or HTTP_PROXY is not the address of a proxy",
    todo: "Write it like http://proxy.example:3128, or unset it.",
  },
  not_reached: {
    kind: "config",
    text: "not reached: {why}",
    todo: "Compare address, port and clock. Is there a firewall or proxy in between? An authority of its own: PAYDROP_CA_FILE.",
  },
  option_wrong: { kind: "config", text: "{option} is not {right}", todo: "Correct the option." },
  call_fields: { kind: "usage", text: "{operation}: these are not the fields of one form", todo: "Give {known}." },
  call_field: { kind: "usage", text: "{operation}: {field} is missing or not right", todo: "Give {right}." },
  call_options: { kind: "usage", text: "{operation}: a call has no such option", todo: "Give { signal }, or nothing." },
} as const satisfies Readonly<Record<string, ErrorSentence>>;

export const SANDBOX_RUNS: Sentence = {
  text: "SANDBOX at {url}: nothing here moves money. What it accepted: {url}/sandbox/ledger",
};
