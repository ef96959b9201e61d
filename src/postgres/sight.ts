import { messageOf } from "../errors.ts";

const TICK_MS = 1_000;
/** Without an answer for so many ticks the server is away: it is asked every five seconds. Sooner where asking failed. */
const [SILENT_TICKS, FAILED_TICKS] = [12, 3];
const REMINDED_TICKS = 60;

/** `since`: its last answer, in milliseconds since 1970; `found`: what was heard of it, empty where it is only silent. */
export interface ServerNews {
  readonly code: "server_gone" | "server_still_gone" | "server_back";
  readonly since: number;
  readonly found: string;
}

/**
 * Whether the server of a shared journal answers this process, and since when it does not (README §13). That it is away is
 * told once, then every minute, and that it is back. Counted in ticks: a process that stood still itself has missed nothing.
 */
export class Sight {
  readonly #tell: (news: ServerNews) => void;
  #answeredAt = Date.now();
  #silentTicks = 0;
  #found = "";
  #isAway = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (news: ServerNews) => void = () => undefined) {
    this.#tell = tell;
  }

  get answeredAt(): number {
    return this.#answeredAt;
  }

  get awaySince(): number | undefined {
    return this.#isAway ? this.#answeredAt : undefined;
  }

  /** Of a process that waits for a server that is away; any other one is told by what it asked. */
  begin(): void {
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref();
  }

  answered(): void {
    const since = this.#answeredAt;
    this.#answeredAt = Date.now();
    this.#silentTicks = 0;
    if (this.#isAway) {
      this.#isAway = false;
      this.#tell({ code: "server_back", since, found: this.#found });
    }
    this.#found = "";
  }

  failed(error: unknown): void {
    this.#found = messageOf(error);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    this.#silentTicks += 1;
    const most = this.#found === "" ? SILENT_TICKS : FAILED_TICKS;
    const isNew = !this.#isAway && this.#silentTicks >= most;
    if (!isNew && !(this.#isAway && this.#silentTicks % REMINDED_TICKS === 0)) return;
    this.#isAway = true;
    const code = isNew ? "server_gone" : "server_still_gone";
    this.#tell({ code, since: this.#answeredAt, found: this.#found });
  }
}
