import type { PaydropError } from "../errors.ts";
import type { BatchReport } from "../events.ts";

interface FolderEnd {
  /** False: it was only tried again, and the service is still away. */
  readonly isNews: boolean;
  /** All that is open are rows that wait for another file to go: this one is gone through again then. */
  readonly isPassing: boolean;
}

/** Who is told what happens in a drop folder, besides the folder itself. */
export interface FolderListener {
  /** A sentence that somebody should read. */
  say(text: string): void;
  /** A sentence that nobody has to read. */
  mention(text: string): void;
  /** A batch came to its end, or stopped. */
  ended(report: BatchReport, end: FolderEnd): void;
  /** A file was refused, or cannot go with these settings. */
  failed(error: PaydropError): void;
}
