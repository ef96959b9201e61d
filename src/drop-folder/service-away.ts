import type { Stop, StopCode } from "../events.ts";
import { backoffMs } from "../submission/retry.ts";

/**
 * What a stop means for a folder that is watched. `service`: everything waits and is tried again; proven unsent, or
 * refused for the key or the address, so that nothing goes twice. `endpoint`: the same of one operation. `person`:
 * something unclear answers: every further try could make one more unknown row. `batch`: only that batch stops.
 */
export type StopKind = "service" | "endpoint" | "person" | "batch" | "signal";

const KINDS: Readonly<Record<StopCode, StopKind>> = {
  unreachable: "service",
  rate_limited: "service",
  key_refused: "service",
  address_refused: "service",
  certificate_refused: "service",
  no_tls: "service",
  local_error: "service",
  redirect: "person",
  html_answer: "person",
  unknown_in_a_row: "person",
  same_refusal: "batch",
  day_over_cap: "batch",
  reads_otherwise: "batch",
  paused: "batch",
  cancelled: "batch",
  folder_held: "batch",
  signal: "signal",
  stop_file: "signal",
  work_failed: "signal",
};

export function kindOfStop({ code, operation }: Pick<Stop, "code" | "operation">): StopKind {
  if (operation !== undefined) return "endpoint";
  return KINDS[code];
}

/** What a person can mend. For the other stops there is nothing, or it is told with the stop itself. */
const MENDING: Readonly<Partial<Record<StopCode, string>>> = {
  key_refused: "check PAYDROP_API_KEY; a new key is read when paydrop starts again",
  address_refused: "check PAYDROP_BASE_URL; a new one is read when paydrop starts again",
  certificate_refused: "check PAYDROP_BASE_URL and PAYDROP_CA_FILE, or the certificate of the service",
  no_tls: "check PAYDROP_BASE_URL and its port; a new one is read when paydrop starts again",
  local_error: "check the AES key, the IV and the API key with `paydrop doctor`",
};

/** What a person can do about it; undefined: only wait. */
export function mendingOf(code: StopCode): string | undefined {
  return MENDING[code];
}

/** The wait doubles up to so many times the first one. */
export const RETRY_MAX_TIMES = 20;
/** The least wait, as a share of the first: people must have time to read what is said, and a service to come back. */
const WAIT_MIN_SHARE = 1 / 30;

/** A service that cannot take rows: when it is tried again, doubling up to a bound, with full jitter (DESIGN §8). */
export class Away {
  readonly #firstMs: number;
  #tries = 0;
  #code: StopCode | undefined;
  #retryAtMs = 0;

  constructor(firstMs: number) {
    this.#firstMs = firstMs;
  }

  get isAway(): boolean {
    return this.#tries > 0;
  }

  /** Why; undefined: it is not away. */
  get code(): StopCode | undefined {
    return this.#code;
  }

  get retryInMs(): number | undefined {
    return this.isAway ? Math.max(0, this.#retryAtMs - performance.now()) : undefined;
  }

  /**
   * Gives whether this is news: not the same reason as the last time. `isTry`: the service was away when this batch
   * began; one that was on its way before tells of the same outage, and is no reason to wait longer.
   */
  failed(code: StopCode, isTry: boolean): boolean {
    const isNews = code !== this.#code;
    this.#code = code;
    if (this.isAway && !isTry) return isNews;
    const waitMs = backoffMs(this.#tries, this.#firstMs, this.#firstMs * RETRY_MAX_TIMES, Math.random);
    this.#tries += 1;
    this.#retryAtMs = performance.now() + Math.max(waitMs, this.#firstMs * WAIT_MIN_SHARE);
    return isNews;
  }

  isBack(): void {
    this.#tries = 0;
    this.#code = undefined;
  }
}
