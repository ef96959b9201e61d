import pLimit from "p-limit";
import type * as z from "zod/mini";
import { conceal } from "../config/secret.ts";
import { nearest } from "../config/kinds.ts";
import { loadOptions, requireSending, type Options } from "../config/load.ts";
import type { Config, Yes } from "../config/schema.ts";
import { PaydropError } from "../errors.ts";
import { fieldsOf, OPERATIONS, type AnyOperation } from "../operations/index.ts";
import type { Operation, WholeSchema } from "../operations/operation.ts";
import { printable } from "../printable.ts";
import type { Answer } from "./answer.ts";
import { openSender } from "./sender.ts";

/**
 * What became of one request. `accepted`: a 2xx, nothing more. `unknown`: it may have been carried out, do not send it
 * again. `not_sent`: it was not carried out and may go again.
 */
export interface CallResult {
  readonly outcome: "accepted" | "rejected" | "unknown" | "not_sent";
  /** `refused`, `key_refused`, `no_answer`, `unreachable` …: the reasons of the results file. */
  readonly reason: string;
  /** Missing when no status line came back. */
  readonly status?: number;
  /** The first 64 KiB, with `[secret]` in place of keys. Its shape is not shown in the interface (§2.6). */
  readonly body?: string;
  /** Where no status line came back: why, for a log, without secrets. `ECONNREFUSED: connect ECONNREFUSED …` */
  readonly detail?: string;
  readonly durationMs: number;
}

/**
 * Where the calls go, and how: `baseUrl` and `apiKey`, for payouts also `aesKey` and `aesIv` (§5.2), and of the settings
 * of `paydrop help settings`, in camelCase, those about sending. `retry429: false` and `doubtful2xx: "accepted"` change
 * what a call is called; the client never sends one a second time.
 */
export type ClientOptions = Pick<
  Options,
  | ("baseUrl" | "apiKey" | "aesKey" | "aesIv" | "keyEncoding" | "padding" | "hexCase")
  | ("concurrency" | "timeoutMs" | "connectTimeoutMs" | "reuseConnections" | "retry429" | "doubtful2xx")
  | ("amountDigitsMax" | "amountDecimalsMax")
  | ("caFile" | "clientCertFile" | "clientKeyFile")
>;

/**
 * The operations of §1 as functions. Every call is sent at most once. It resolves with what became of it, whatever
 * network and service do; it rejects only for a mistake in the call: PaydropError `usage` (fields that no service could
 * take) or `config` (a payout without AES key and IV), and then nothing was sent.
 */
export type Client = {
  readonly [Method in keyof Requests]: (request: Requests[Method]) => Promise<CallResult>;
} & {
  /** Waits for all calls made before, also those that wait for their turn, then closes. Later calls are `not_sent`. */
  close(): Promise<void>;
};

/** Reads an answer by the outcome table of README §8. */
type OutcomeOf = (
  answer: Answer,
  choices: Pick<Config, "retry_429" | "doubtful_2xx">,
  yes: Yes | undefined,
) => { readonly state: CallResult["outcome"]; readonly code: string };

/** Throws PaydropError `config` for an option that cannot be right. */
export function createTypedClient(options: ClientOptions, outcomeOf: OutcomeOf): Client {
  const { config, secrets } = loadOptions(options);
  requireSending(config, secrets, { payouts: Boolean(secrets.aesKey ?? secrets.aesIv), by: "options" });
  const sender = openSender(config, secrets);
  const limit = pLimit(config.concurrency);
  const underWay = new Set<Promise<Answer>>();
  let isClosed = false;

  async function call(operation: (typeof OPERATIONS)[number], fields?: object | null): Promise<CallResult> {
    const payload = createPayload(operation, fields ?? {}, config);
    if (operation.encrypted && !sender.encrypts) throw new PaydropError("keys_missing", { operation: operation.name });
    // it waits here and not in the transport, whose clock is already running
    const turn = isClosed ? Promise.resolve(AFTER_CLOSE) : limit(() => sender.send(operation.name, payload));
    underWay.add(turn);
    const answer = await turn.finally(() => underWay.delete(turn));
    const { state: outcome, code: reason } = outcomeOf(answer, config, config.answers[operation.name]);
    const { durationMs } = answer;
    if (answer.kind !== "answered") return { outcome, reason, detail: answer.detail, durationMs };
    // a service may repeat the key that it refuses in its answer, and whoever logs a result would log the key
    return { outcome, reason, status: answer.status, body: conceal(answer.body), durationMs };
  }

  const methods = OPERATIONS.map((operation) => [operation.method, call.bind(undefined, operation)]);
  const close = async (): Promise<void> => {
    isClosed = true;
    await Promise.allSettled(underWay);
    await sender.close();
  };
  return { ...Object.fromEntries(methods), close } as Client;
}

const AFTER_CLOSE: Answer = { kind: "unsent", cause: "local", detail: "the client is closed", durationMs: 0 };

type Unwrapped<S> = S extends z.ZodMiniOptional<infer Inner> | z.ZodMiniDefault<infer Inner> ? Inner : S;
type Value<S> = Unwrapped<S> extends WholeSchema ? number : string;
type LeftOut<Shape> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodMiniOptional | z.ZodMiniDefault ? Name : never;
}[keyof Shape];
type RequestOf<F> = F extends { readonly schema: z.ZodMiniObject<infer Shape> }
  ? { readonly [Name in Exclude<keyof Shape, LeftOut<Shape>>]: Value<Shape[Name]> } & {
      readonly [Name in LeftOut<Shape>]?: Value<Shape[Name]>;
    }
  : never;

/**
 * What each method of the client takes: the fields of §2 under their own names. Amounts are plain decimal strings
 * (`"2500.00"`), whole numbers are numbers, all else is text. What §2 does not call required may be left out.
 */
export type Requests = {
  readonly [One in AnyOperation as One["method"]]: RequestOf<One["forms"][number]>;
};

/**
 * The arguments of a library call as compact JSON: fields in the order of §2, amounts with the digits given, empty
 * optional fields left out. Throws PaydropError "usage" for what is not of the field's schema: such calls are mistakes of
 * the caller's code. The values themselves are never repeated: one may be an account number.
 */
function createPayload({ name: operation, forms }: Operation, fields: object, config: Config): string {
  const { amount_digits_max: digits, amount_decimals_max: decimals } = config;
  const names = Object.keys(fields);
  // where only shared fields are given, both forms of payouts (§2.5) fit: the first is taken, and the error says what it lacks
  const form = forms.find(({ schema }) => names.every((name) => Object.hasOwn(schema.shape, name)));
  if (!form) {
    const shapes = forms.map(({ schema }) => Object.keys(schema.shape));
    const field = names.find((name) => !shapes.flat().includes(name));
    const meant = nearest(field ?? "", shapes.flat());
    const known = shapes.map((shape) => shape.join(", ")).join("; or ");
    throw new PaydropError("call_fields", { operation, known, field: field && printable(field, 40), meant });
  }
  const values = fields as Readonly<Record<string, string | number | undefined>>;
  const parts = fieldsOf(form).flatMap((field) => {
    const { name, kind, required, examples } = field;
    const value = values[name] ?? field.default;
    if (!required && (value === undefined || value === "")) return [];
    const type = kind === "whole" ? "number" : "string";
    const text = typeof value === type ? String(value) : undefined;
    const schema = form.schema.shape[name] as z.ZodMiniType;
    const [whole = "", part = ""] = text?.split(".") ?? [];
    // as in a file
    const isLong = kind === "amount" && (part.length > decimals || whole.length + part.length > digits);
    if (!text?.isWellFormed() || isLong || !schema.safeParse(text).success) {
      const most = isLong ? ` of at most ${digits} digits, ${decimals} of them after the point,` : "";
      const right = `a ${type}${most} such as ${JSON.stringify(examples[0])}`;
      throw new PaydropError("call_field", { operation, field: name, right });
    }
    return [`"${name}":${kind === "amount" ? text : JSON.stringify(value)}`];
  });
  return `{${parts.join(",")}}`;
}
