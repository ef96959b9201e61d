import type { AddressInfo } from "node:net";
import { PaydropError, messageOf } from "../../errors.ts";

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** `GET /metrics` on 127.0.0.1. Throws `config` when the port is taken. */
export async function startMetricsServer(port: number, read: () => Promise<string>): Promise<MetricsServer> {
  // imported only here: at the top of the file it would load all of Node's own fetch in every run
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => {
    const path = request.url?.split("?")[0];
    if (path !== "/metrics" || (request.method !== "GET" && request.method !== "HEAD")) {
      response.writeHead(404, { "content-type": "text/plain" }).end("look at /metrics\n");
      return;
    }
    read().then(
      (text) => response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(text),
      (error: unknown) => response.writeHead(500, { "content-type": "text/plain" }).end(`${messageOf(error)}\n`),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      const message = `--metrics-port ${port}: ${messageOf(error)}`;
      reject(new PaydropError("config", message, "choose a port that is free", { cause: error }));
    });
    server.listen(port, "127.0.0.1", resolve);
  });
  // metrics alone keep no process alive
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
