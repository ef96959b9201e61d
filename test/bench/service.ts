import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { ServerCounts, ServerOptions, ServerQuestion } from "./server.ts";

/** The server of the measurements, in a process of its own. */
export interface Service {
  readonly url: string;
  counts(): Promise<ServerCounts>;
  /** Counts from nothing; `mark`: text whose first request is timed. */
  reset(mark?: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startService(options: ServerOptions = {}): Promise<Service> {
  const child = fork(join(import.meta.dirname, "server.ts"), [JSON.stringify(options)]);
  const { port } = (await told(child)) as { port: number };
  const ask = async (question: ServerQuestion): Promise<ServerCounts> => {
    const answer = told(child);
    child.send(question);
    return (await answer) as ServerCounts;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    counts: () => ask({ ask: "counts" }),
    reset: async (mark) => {
      await ask(mark === undefined ? { ask: "reset" } : { ask: "reset", mark });
    },
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.disconnect();
      }),
  };
}

/** Starts a server, works with it, and stops it whatever happens. */
export async function withService<T>(options: ServerOptions, work: (service: Service) => Promise<T>): Promise<T> {
  const service = await startService(options);
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

function told(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error("the server of the measurements ended by itself"));
    child.once("exit", onExit);
    child.once("message", (message) => {
      child.off("exit", onExit);
      resolve(message);
    });
  });
}
