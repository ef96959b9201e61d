import type { PaydropError } from "../errors.ts";
import type { BatchReport } from "../events.ts";

/** Who is told what happens in a drop folder, besides the folder itself. */
export interface FolderListener {
  /** A sentence that somebody should read. */
  say(text: string): void;
  /** A sentence that nobody has to read. */
  mention(text: string): void;
  /** A batch came to its end, or stopped. Not `isNews`: it was tried again, and the service is still away. */
  ended(report: BatchReport, isNews: boolean): void;
  /** A file was refused, or cannot go with these settings. */
  failed(error: PaydropError): void;
}
