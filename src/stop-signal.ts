/**
 * How a person asks a run to stop. `soft`: no new attempt, rows in flight finish. `hard`: rows in flight are recorded
 * unknown at once (DESIGN §8). `hard` never fires before `soft`.
 */
export interface StopSignal {
  readonly soft: AbortSignal;
  readonly hard: AbortSignal;
}
