import { statSync } from "node:fs";
import { join } from "node:path";
import { PaydropError } from "../../../errors.ts";

const FILES = ["journal.db", "lock.db"];
const LOOK_EVERY_MS = 1000;

/**
 * Checks that the journal and the lock that this process has open are still those that lie in the state directory.
 * After they were removed, or replaced by a backup, they can still be written without an error, but nobody would ever
 * read that: the next process would send everything again.
 */
export class StateInPlace {
  readonly #stateDir: string;
  readonly #opened: readonly (string | undefined)[];
  #lookedAtMs = performance.now();

  /** To be called when both files are open. */
  constructor(stateDir: string) {
    this.#stateDir = stateDir;
    this.#opened = FILES.map((name) => identityOf(join(stateDir, name)));
  }

  /** Throws PaydropError `journal` where one of them was removed or replaced. */
  assert(): void {
    this.#lookedAtMs = performance.now();
    for (const [index, name] of FILES.entries()) {
      const path = join(this.#stateDir, name);
      if (identityOf(path) !== this.#opened[index]) throw goneFrom(this.#stateDir, path);
    }
  }

  /** As `assert`, but looks at most once a second: cheap enough to be called for each row. */
  assertNowAndThen(): void {
    if (performance.now() - this.#lookedAtMs >= LOOK_EVERY_MS) this.assert();
  }
}

function identityOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}

function goneFrom(stateDir: string, path: string): PaydropError {
  return new PaydropError(
    "journal",
    `${path} was removed or replaced while paydrop worked with it: what was sent would be written down nowhere`,
    `nothing more is sent; put back the state directory ${stateDir} as it was, or its newest backup, and start paydrop again`,
  );
}
