import { ACT_ERRORS } from "./acts.ts";
import { CLIENT_ERRORS } from "./client.ts";
import { COMMAND_ERRORS } from "./commands.ts";
import { CONFIG_ERRORS } from "./config.ts";
import { INTAKE_ERRORS } from "./intake.ts";
import { JOURNAL_ERRORS } from "./journal.ts";
import { RESULTS_ERRORS } from "./results.ts";
import type { ErrorSentence } from "./sentence.ts";

/** Every error that paydrop throws, by its reason. */
export const ERRORS = {
  ...ACT_ERRORS,
  ...CLIENT_ERRORS,
  ...COMMAND_ERRORS,
  ...CONFIG_ERRORS,
  ...INTAKE_ERRORS,
  ...JOURNAL_ERRORS,
  ...RESULTS_ERRORS,
} as const satisfies Readonly<Record<string, ErrorSentence>>;

export type ErrorReason = keyof typeof ERRORS;
