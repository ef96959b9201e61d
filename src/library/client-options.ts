import type { ClientOptions } from "../client/client.ts";
import { readOption, readSecretOption, type SettingOption } from "../config/from-options.ts";
import type { SecretName } from "../config/secrets-in.ts";
import { unknownOption } from "../config/nearest.ts";
import { NotRight, saidOf, text, yesOrNo, type ValueReader } from "../config/values.ts";
import { PaydropError } from "../errors.ts";
import { assertOptions } from "./given.ts";

/** Where the calls go, and how; `baseUrl` and `apiKey` are needed. */
export interface CreateClientOptions extends ClientOptions {
  /**
   * What a complete 429 is called: `not_sent` (true, the default), so that it may go again, or `unknown` (false). The
   * client itself never sends a call a second time.
   */
  readonly retry429?: boolean;
}

type Reader = (given: unknown) => unknown;

const setting =
  (name: SettingOption): Reader =>
  (given) =>
    readOption(name, given);

const secret =
  (name: SecretName): Reader =>
  (given) =>
    readSecretOption(name, given);

/** The value is never repeated in the error: it may be a private key. */
const plain =
  (name: string, read: ValueReader<unknown>): Reader =>
  (given) => {
    try {
      return read(given);
    } catch (error) {
      if (!(error instanceof NotRight)) throw error;
      const said = saidOf(given, new NotRight(error.message, "the value"));
      throw new PaydropError("config", `${name}: ${said}`, "correct the option");
    }
  };

/** Every option of a client, in the order in which they are read. */
const READERS: Readonly<Record<keyof CreateClientOptions, Reader>> = {
  baseUrl: setting("baseUrl"),
  apiKey: secret("apiKey"),
  aesKey: secret("aesKey"),
  aesIv: secret("aesIv"),
  keyEncoding: setting("keyEncoding"),
  padding: setting("padding"),
  hexCase: setting("hexCase"),
  concurrency: setting("concurrency"),
  timeoutMs: setting("timeoutMs"),
  connectTimeoutMs: setting("connectTimeoutMs"),
  reuseConnections: setting("reuseConnections"),
  ca: plain("ca", text),
  clientCert: plain("clientCert", text),
  clientKey: plain("clientKey", text),
  useProxyFromEnvironment: plain("useProxyFromEnvironment", yesOrNo),
  retry429: setting("retry429"),
};

const REQUIRED: ReadonlySet<string> = new Set<keyof CreateClientOptions>(["baseUrl", "apiKey"]);

/** The options as they count. Throws PaydropError `config`, which names the one that cannot be right. */
export function readClientOptions(options: CreateClientOptions): CreateClientOptions {
  assertOptions("createClient", options);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(READERS, name));
  if (unknown !== undefined) throw unknownOption(unknown, Object.keys(READERS));
  const read: Record<string, unknown> = {};
  for (const [name, reader] of Object.entries(READERS)) {
    const given: unknown = options[name as keyof CreateClientOptions];
    if (given !== undefined || REQUIRED.has(name)) read[name] = reader(given);
  }
  if ((read["aesKey"] === undefined) === (read["aesIv"] === undefined)) return read as unknown as CreateClientOptions;
  throw new PaydropError("config", "aesKey and aesIv belong together, and one is missing", "give both, or neither");
}
