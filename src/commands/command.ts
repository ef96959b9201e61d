/** Where a command writes. Texts end with their own newline; secrets are filtered out on the way. */
export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Characters per line. */
  readonly columns: number;
}

/** One call of a command: what stood on the command line, by setting name, and where to write. */
export interface Call {
  readonly operands: readonly string[];
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

/** Does the work and gives the exit code of DESIGN §10. Throws PaydropError when it cannot go on. */
type Run = (call: Call) => Promise<number>;

export interface OwnOption {
  /** `--option <A|B>`, as commander reads it. */
  readonly flags: string;
  readonly shown: string;
}

/** What `--help` says of a command, and where its code is; the code is loaded only when it is called. */
export interface Command {
  readonly name: string;
  /** `<file...>`, `[batch]`, as commander reads it. */
  readonly operands: string;
  /** The words that its operand may be, where it is one of a few. */
  readonly words?: readonly string[];
  readonly shown: string;
  readonly options: readonly OwnOption[];
  readonly examples: readonly string[];
  load(): Promise<{ readonly run: Run }>;
}
