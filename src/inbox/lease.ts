import { setTimeout as sleep } from "node:timers/promises";
import type { Work } from "../batch.ts";
import type { Hosts } from "../journal/store.ts";
import { HOST_NEWS } from "../messages/hosts.ts";
import { told, toldLines } from "../messages/sentence.ts";
import { printable } from "../printable.ts";

const ASKED_AGAIN_MS = 5_000;

/** Works in an inbox until the signal, and gives the exit code. */
type WorkThere = (signal: AbortSignal) => Promise<number>;

/**
 * While this host has the lease of an inbox, and a clock that is right, it works there; with `signal` or the loss of the
 * lease `work` ends, and it waits for the lease again. Where no other host shares the journal it simply works.
 */
export async function whileLeased(
  { store: { hosts } }: Pick<Work, "store">,
  folder: string,
  signal: AbortSignal,
  say: (text: string) => void,
  work: WorkThere,
): Promise<number> {
  const name = `inbox ${folder}`;
  let code = 0;
  for (let isTold = false; !signal.aborted;) {
    if (!hosts.clockApart && (await hosts.lease(name))) {
      const ended = await untilLost(hosts, name, signal, work);
      if (!ended.isLost) return ended.code;
      code = ended.code;
      isTold = false;
      continue;
    }
    if (!isTold) say(whyNot(hosts, folder));
    isTold = true;
    await sleep(ASKED_AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
  return code;
}

async function untilLost(hosts: Hosts, name: string, signal: AbortSignal, work: WorkThere) {
  const lost = new AbortController();
  const look = (): void => {
    if (hosts.clockApart) lost.abort();
    if (!hosts.holds(name)) lost.abort("folder_elsewhere");
  };
  const looking = setInterval(look, ASKED_AGAIN_MS);
  try {
    const code = await work(AbortSignal.any([signal, lost.signal]));
    return { code, isLost: lost.signal.aborted };
  } finally {
    clearInterval(looking);
    await hosts.giveBack(name);
  }
}

function whyNot({ clockApart }: Hosts, folder: string): string {
  if (!clockApart) return toldLines(told(HOST_NEWS.inbox_elsewhere, { folder: printable(folder) }));
  return toldLines(told(HOST_NEWS.clock_apart, clockApart));
}
