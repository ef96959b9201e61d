import { readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Config } from "../config/schema.ts";
import { isoSecond } from "../day.ts";
import { giveToOwner, isAnother, makePrivateFolder } from "../disk.ts";
import { PaydropError } from "../errors.ts";
import { Sight } from "../postgres/sight.ts";
import { SERVER_NEWS } from "../messages/hosts.ts";
import { told, toldLines } from "../messages/sentence.ts";
import { printable } from "../printable.ts";
import { serverGonePath } from "../state-dir.ts";

/**
 * Of a process that sends by a shared journal: says when the server is away, and when it is back, and leaves a note of that
 * for `paydrop status` on this host. undefined: the journal lies in the state folder.
 */
export function sightOf(
  { shared, state_dir }: Pick<Config, "shared" | "state_dir">,
  say: (text: string, code: string) => void,
): Sight | undefined {
  if (!shared) return undefined;
  // of a process that was killed
  note(state_dir, undefined);
  return new Sight(({ code, since, found }) => {
    note(state_dir, code === "server_back" ? undefined : since);
    const news = told(SERVER_NEWS[code], { since: isoSecond(since), found: printable(found, 200) });
    say(toldLines(news), code);
  });
}

function note(stateDir: string, since: number | undefined): void {
  const path = serverGonePath(stateDir);
  try {
    if (since === undefined) {
      rmSync(path, { force: true });
      return;
    }
    makePrivateFolder(stateDir);
    writeFileSync(path, JSON.stringify({ pid: process.pid, since }), { mode: 0o600 });
    giveToOwner(path);
  } catch {
    // it only says more than the log does
  }
}

/** An error that says of a server that is away since when a process of this host waits for it. */
export function sinceWhen(thrown: unknown, stateDir: string): unknown {
  if (!(thrown instanceof PaydropError) || thrown.reason !== "server_away") return thrown;
  const since = noted(stateDir);
  return since === undefined ? thrown : new PaydropError("server_away", { ...thrown.facts, since }, { cause: thrown });
}

function noted(stateDir: string): string | undefined {
  try {
    const { pid, since } = JSON.parse(readFileSync(serverGonePath(stateDir), "utf8")) as Record<string, unknown>;
    return typeof pid === "number" && typeof since === "number" && isAnother(pid) ? isoSecond(since) : undefined;
  } catch {
    return undefined;
  }
}
