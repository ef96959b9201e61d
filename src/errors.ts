import { errorOf, type ErrorCode, type ErrorReason } from "./messages/errors.ts";
import { tellFault } from "./messages/faults.ts";
import { told, type Command, type Facts, type Fault, type Told } from "./messages/sentence.ts";

export type { ErrorCode } from "./messages/errors.ts";

/**
 * What paydrop throws. `code` says what a program branches on, `reason` and `facts` what it was; the sentence is in
 * `messages/`: its message is `text`. None of them holds a key or a full account number.
 */
export class PaydropError extends Error implements Told {
  readonly code: ErrorCode;
  readonly reason: string;
  readonly facts: Facts;
  readonly text: string;
  /** What to do about it, for a person; may be empty. */
  readonly todo: string;
  readonly commands: readonly Command[];

  constructor(reason: ErrorReason, facts: Facts = {}, options?: ErrorOptions & { readonly told?: Told }) {
    const [code, sentence] = errorOf(reason);
    const { text, todo, commands } = options?.told ?? told(sentence, facts);
    super(text, options);
    this.name = "PaydropError";
    this.code = code;
    this.reason = reason;
    this.facts = facts;
    this.text = text;
    this.todo = todo;
    this.commands = commands;
  }
}

const NOTHING_TO_DO = { todo: "", commands: [] };

/** A broken file is refused whole and nothing of it is sent. */
export class FileRefusedError extends PaydropError {
  /** The name of the file. */
  readonly file: string;
  readonly faults: readonly Fault[];
  /** The batch that the file was taken as before, if it was: what was sent of it stays as it was. */
  readonly batch: string | undefined;

  constructor(file: string, faults: readonly Fault[], batch?: string) {
    const told = faults.map(tellFault);
    const text = told.map((one) => `${file}: ${one.text}`).join("\n");
    super("file_refused", {}, { told: { ...(told[0] ?? NOTHING_TO_DO), text } });
    this.name = "FileRefusedError";
    this.file = file;
    this.faults = faults;
    this.batch = batch;
  }
}

/** The system error code (`ENOENT`) of anything thrown, if it has one. */
export function systemCodeOf(thrown: unknown): string | undefined {
  const code = (thrown as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

/** The message of anything thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** A refusal of the system that nobody foresaw (a failing disk, too many open files) as PaydropError. */
export function foreseen(thrown: unknown): unknown {
  if (thrown instanceof PaydropError || !OF_SYSTEM.test(systemCodeOf(thrown) ?? "")) return thrown;
  if (OF_OUR_CALL.includes(systemCodeOf(thrown) ?? "")) return thrown;
  return new PaydropError("system_refused", { found: messageOf(thrown) }, { cause: thrown });
}

const OF_SYSTEM = /^(?:E[A-Z0-9]+|Unknown system error .+|ERR_WORKER_INIT_FAILED)$/;
/** Codes that say that our call made no sense: a mistake of ours. */
const OF_OUR_CALL: readonly string[] = ["ENOENT", "ENOTDIR", "EISDIR", "EEXIST", "ENOTEMPTY", "EINVAL", "EBADF"];
