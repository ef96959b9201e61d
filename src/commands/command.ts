import type { SettingName } from "../config/schema.ts";
import { PaydropError } from "../errors.ts";

/** Where a command writes. Texts end with their own newline; secrets are filtered out on the way. */
export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Characters per line. */
  readonly columns: number;
}

/** One call of a command: what stood on the command line, and where to write. */
export interface Call {
  readonly operands: readonly string[];
  /** By name with `_`: settings, and the command's own options (`retry_xlsx`). */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** The text behind an option; undefined where it was not given, or is empty. */
export function optionOf({ flags }: Call, name: string): string | undefined {
  const said = flags[name];
  return typeof said === "string" && said !== "" ? said : undefined;
}

/** Whether somebody is there to answer: both ends are terminals. */
export function canAsk({ stderr }: Call): boolean {
  return process.stdin.isTTY && stderr.isTerminal;
}

/** One line from a person, without spaces around it. Throws PaydropError `usage` when they leave. */
export async function ask({ stderr }: Call, question: string): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin });
  const left = new AbortController();
  lines.once("close", () => left.abort());
  try {
    stderr.write(`${question.trimEnd()} `);
    return (await lines.question("", { signal: left.signal })).trim();
  } catch {
    throw new PaydropError("no_answer");
  } finally {
    lines.close();
  }
}

export interface Listening {
  readonly signals: { readonly soft: AbortSignal; readonly hard: AbortSignal };
  close(): void;
}

/**
 * The first signal asks to stop softly, the second hard; after that the system's own behaviour is back. `announce` is
 * called before anything stops: a person must know what the next Ctrl-C would do. A closed terminal (SIGHUP) is a soft
 * stop too, unless the log listens for it.
 */
export function listenForSignals(announce: (which: "soft" | "hard") => void, hangUpStops: boolean): Listening {
  const soft = new AbortController();
  const hard = new AbortController();
  const names = ["SIGINT", "SIGTERM", ...(hangUpStops ? (["SIGHUP"] as const) : [])] as const;
  const onSignal = (): void => {
    const which = soft.signal.aborted ? "hard" : "soft";
    announce(which);
    (which === "soft" ? soft : hard).abort();
    if (which === "hard") close();
  };
  const close = (): void => {
    for (const name of names) process.off(name, onSignal);
  };
  for (const name of names) process.on(name, onSignal);
  return { signals: { soft: soft.signal, hard: hard.signal }, close };
}

/** A command as `--help` tells it, and its code. */
export interface Command {
  /** Its name and operands as commander reads them: `settle [batch]`, `config [show|example|schema]`. */
  readonly usage: string;
  /** Loaded only when it is called. */
  readonly load: () => Promise<{ run(call: Call, commands: readonly Command[]): Promise<number> }>;
  readonly shown: string;
  /** Its own options as commander reads them (`--option <A|B>`), and what they mean. */
  readonly options?: Readonly<Record<string, string>>;
  /** Settings that its help lists, too. Every command takes all of them as flags. */
  readonly settings?: readonly SettingName[];
  readonly examples: readonly string[];
}

export function nameOf({ usage }: Command): string {
  return usage.split(" ")[0] ?? "";
}
