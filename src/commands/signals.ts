import type { StopSignal } from "../processor.ts";
import { removeScratchFolders } from "../disk/scratch.ts";

export interface Listening {
  readonly signal: StopSignal;
  /** A signal came. */
  readonly stopping: boolean;
  close(): void;
}

/**
 * The first signal asks to stop softly, the second hard; after that the system's own behaviour is back. `announce` is
 * called before anything stops: a person must know what the next Ctrl-C would do. A closed terminal (SIGHUP) is a soft
 * stop too, unless the log listens for it.
 */
export function listenForSignals(announce: (which: "soft" | "hard") => void, hangUpStops: boolean): Listening {
  const soft = new AbortController();
  const hard = new AbortController();
  const names: NodeJS.Signals[] = hangUpStops ? ["SIGINT", "SIGTERM", "SIGHUP"] : ["SIGINT", "SIGTERM"];
  const onSignal = (): void => {
    const which = soft.signal.aborted ? "hard" : "soft";
    announce(which);
    (which === "soft" ? soft : hard).abort();
    if (which === "hard") close();
  };
  const close = (): void => {
    for (const name of names) process.off(name, onSignal);
  };
  for (const name of names) process.on(name, onSignal);
  return {
    signal: { soft: soft.signal, hard: hard.signal },
    get stopping() {
      return soft.signal.aborted;
    },
    close,
  };
}

/** For a command that has nothing in flight: a signal ends it as usual, once its copies of files are removed. */
export async function leavingNothing(work: () => Promise<number>): Promise<number> {
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const onSignal = (name: NodeJS.Signals): void => {
    removeScratchFolders();
    close();
    process.kill(process.pid, name);
  };
  const close = (): void => {
    for (const name of names) process.off(name, onSignal);
  };
  for (const name of names) process.on(name, onSignal);
  try {
    return await work();
  } finally {
    close();
  }
}
