/** In the order in which a row passes them on its way. */
export const FAULT_LABELS = [
  // of every file that is written whole or not at all: the snapshot, a mark, results, summary, an answer
  "file.written",
  "file.renamed",
  "snapshot.taken",
  "rows.recorded",
  "batch.opened",
  "recovery.begun",
  "recovery.done",
  "commit.before",
  "commit.after",
  "send.before",
  "send.after",
  "answer.read",
] as const;

export type FaultLabel = (typeof FAULT_LABELS)[number];

/**
 * A named place at which a test ends or delays this process. Does nothing unless `PAYDROP_TEST=1` and `PAYDROP_FAULT`
 * are both set: `crash@commit.before:3` kills it like `kill -9` at the third passing, `fail@commit.before:3` throws as
 * a failing disk would, `stop@send.before:3` stops it until it gets a SIGCONT, `stall@answer.read:500` blocks for 500 ms
 * at every passing.
 */
export const faultPoint: (label: FaultLabel) => void =
  process.env["PAYDROP_TEST"] === "1" && process.env["PAYDROP_FAULT"] !== undefined
    ? pointFor(process.env["PAYDROP_FAULT"])
    : () => undefined;

function pointFor(spec: string): (label: FaultLabel) => void {
  const [, act, wanted, number] = /^(crash|fail|stop|stall)@([a-z._]+):(\d+)$/.exec(spec) ?? [];
  if (act === undefined || !(FAULT_LABELS as readonly string[]).includes(wanted ?? "")) {
    throw new Error(`PAYDROP_FAULT: there is no fault point ${spec}`);
  }
  const value = Number(number);
  let passed = 0;
  return (label) => {
    if (label !== wanted) return;
    passed += 1;
    if (act === "stall") sleep(value);
    if (passed !== value || act === "stall") return;
    if (act === "fail") throw Object.assign(new Error(`EIO: i/o error, ${label}`), { code: "EIO" });
    if (act === "stop") return void process.kill(process.pid, "SIGSTOP");
    process.kill(process.pid, "SIGKILL");
    // no further line may run, even where the signal takes its time
    sleep(60_000);
  };
}

function sleep(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
}
