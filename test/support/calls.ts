import type { Call } from "../../src/commands/command.ts";
import { PaydropError } from "../../src/errors.ts";
import { exitCodeOf } from "../../src/exit-codes.ts";
import { errorText } from "../../src/screen/error-text.ts";
import { printed } from "./call.ts";
import type { Ended } from "./paydrop.ts";

export interface CallShape {
  readonly operands?: readonly string[];
  /** By name with `_`, as commander gives them. */
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly env?: NodeJS.ProcessEnv;
}

/** A command carried out in this process: what it printed, its exit code, its last word. */
export async function called(run: (call: Call) => Promise<number>, shape: CallShape): Promise<Ended> {
  const { texts, outputs } = printed();
  const { operands = [], flags = {}, env = {} } = shape;
  try {
    const code = await run({ operands, flags, env: { ...env }, ...outputs });
    return { code, ...texts };
  } catch (error) {
    if (!(error instanceof PaydropError)) throw error;
    return { code: exitCodeOf(error), stdout: texts.stdout, stderr: texts.stderr + errorText(error, false, false) };
  }
}
