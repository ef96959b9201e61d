import { assertCanEncrypt, createSender, type Sender } from "../client/sender.ts";
import type { Config } from "../config/config.ts";

/** So long an unused sender is kept for the next file; then certificates are read anew, should they have changed. */
const UNUSED_MS = 4_000;

/** One sender for all batches: the next file finds the connections of the one before it. */
export class SharedSender {
  readonly #config: Config;
  #sender: Sender | undefined;
  #unused: NodeJS.Timeout | undefined;

  constructor(config: Config) {
    this.#config = config;
  }

  /** Throws where a key that is needed is missing. */
  open(needsEnvelope: boolean): Sender {
    const sender = (this.#sender ??= createSender(this.#config));
    if (needsEnvelope) assertCanEncrypt(this.#config);
    return sender;
  }

  /** Somebody is about to use it. */
  keep(): void {
    clearTimeout(this.#unused);
  }

  /** Nobody uses it for now. */
  closeSoon(): void {
    this.#unused = setTimeout(() => void this.close(), UNUSED_MS).unref();
  }

  /** Closes the connections; whoever sends again opens others. */
  async close(): Promise<void> {
    clearTimeout(this.#unused);
    const sender = this.#sender;
    this.#sender = undefined;
    await sender?.close();
  }
}
