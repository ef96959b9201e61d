import { setTimeout as sleep } from "node:timers/promises";
import type { Life } from "./lives.ts";

interface Ended {
  /** undefined: by a signal. */
  readonly code: number | undefined;
  readonly output: string;
  readonly at: number;
}

const BEGUN_AGAIN_AFTER_MS = 1_000;

/** A process that something begins again a second after its end, as systemd and Kubernetes do, whatever it ended with. */
export class KeptHost {
  readonly operands: readonly string[];
  readonly ends: Ended[] = [];
  readonly #begin: () => Life;
  /** A run that has come to its end is not begun again. */
  readonly #doneWith: readonly number[];
  #life!: Life;
  #isKept = false;
  #over: Promise<void> = Promise.resolve();

  constructor(operands: readonly string[], begin: () => Life) {
    this.operands = operands;
    this.#doneWith = operands[0] === "run" ? [0, 3, 4] : [];
    this.#begin = begin;
    this.keep();
  }

  /** Begins it, also once more after it was ended. */
  keep(): void {
    this.#isKept = true;
    this.#life = this.#begin();
    this.#over = this.#untilItStays();
  }

  async #untilItStays(): Promise<void> {
    for (;;) {
      const end = await this.#life.ended.catch((error: unknown) => ({ code: undefined, output: String(error) }));
      this.ends.push({ ...end, at: Date.now() });
      if (end.code !== undefined && this.#doneWith.includes(end.code)) return;
      if (this.#isKept) await sleep(BEGUN_AGAIN_AFTER_MS);
      if (!this.#isKept) return;
      this.#life = this.#begin();
    }
  }

  get pid(): number {
    return this.#life.child.pid ?? 0;
  }

  signal(name: NodeJS.Signals): void {
    this.#life.child.kill(name);
  }

  /** What it said in all of its lives that were not over at that time. */
  heardSince(time: number): string {
    const late = this.ends.filter(({ at }) => at > time).map(({ output }) => output);
    return [...late, this.#life.output()].join("\n");
  }

  /** Asks it to end, and kills it where it does not. Gives how long it took. */
  async end(withinMs: number): Promise<number> {
    const askedAt = performance.now();
    this.#isKept = false;
    this.signal("SIGCONT");
    this.signal("SIGTERM");
    const killed = setTimeout(() => this.signal("SIGKILL"), withinMs);
    await this.#over;
    clearTimeout(killed);
    return performance.now() - askedAt;
  }
}
