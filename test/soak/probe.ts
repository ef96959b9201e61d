/**
 * Loaded into the process that is watched, with `--import`: tells every few seconds what it holds, as JSON lines in the
 * file that SOAK_PROBE names. Needs `--expose-gc`: only what a collection leaves is memory that is kept.
 */
import { appendFileSync, existsSync, readdirSync, readlinkSync } from "node:fs";

/** One look into the process. */
export interface Sample {
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly rssBytes: number;
  /** After a collection. */
  readonly heapBytes: number;
  /** Open descriptors but connections; 0 where the system does not show them. */
  readonly descriptors: number;
  /** Connections come and go with what the service does, up to as many as the pool holds. */
  readonly connections: number;
  readonly timers: number;
}

const EVERY_MS = 2000;
const DESCRIPTORS = "/proc/self/fd";

const path = process.env["SOAK_PROBE"];
if (path !== undefined) setInterval(() => appendFileSync(path, `${JSON.stringify(look())}\n`), EVERY_MS).unref();

function look(): Sample {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return {
    pid: process.pid,
    at: Date.now(),
    rssBytes: rss,
    heapBytes: heapUsed,
    ...openDescriptors(),
    timers: process.getActiveResourcesInfo().filter((name) => name === "Timeout" || name === "Immediate").length,
  };
}

function openDescriptors(): Pick<Sample, "descriptors" | "connections"> {
  const open = existsSync(DESCRIPTORS) ? readdirSync(DESCRIPTORS) : [];
  const connections = open.filter(isConnection).length;
  return { descriptors: open.length - connections, connections };
}

function isConnection(descriptor: string): boolean {
  try {
    return readlinkSync(`${DESCRIPTORS}/${descriptor}`).startsWith("socket:");
  } catch {
    // the one that the list was read by
    return false;
  }
}
