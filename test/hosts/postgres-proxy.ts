import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

/** A way to Postgres that can be cut. */
export interface Proxy {
  /** The same database by this way. */
  readonly url: string;
  /** Nothing is forwarded, and no connection is told. */
  cutOff(): void;
  forwardAgain(): void;
  /** From now on another server is here; all connections end. */
  pointTo(url: string): void;
  /** As a network that forgets its connections: nothing of them is forwarded any more, and nobody is told. */
  forget(): void;
  /** The next commit that lets rows go is carried out, its answer is swallowed, and its connection ends. */
  swallowCommit(): Promise<void>;
  close(): void;
}

const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

export async function startProxy(to: string): Promise<Proxy> {
  let server = new URL(to);
  const sockets = new Set<Socket>();
  let isCutOff = false;
  let swallowed: PromiseWithResolvers<void> | undefined;

  const listener = createServer((host) => {
    const postgres = connect(Number(server.port), server.hostname);
    let isSwallowing = false;
    const end = (): void => {
      host.destroy();
      postgres.destroy();
    };
    for (const socket of [host, postgres]) {
      sockets.add(socket);
      socket.on("error", end).on("close", () => {
        sockets.delete(socket);
        end();
      });
      if (isCutOff) socket.pause();
    }
    host.on("data", (bytes: Buffer) => {
      isSwallowing ||=
        swallowed !== undefined && bytes.includes("commit_shares(") && /"free":[1-9]/.test(bytes.toString("latin1"));
      postgres.write(bytes);
    });
    postgres.on("data", (bytes: Buffer) => {
      if (!isSwallowing) host.write(bytes);
      else if (bytes.includes(READY_FOR_QUERY)) {
        swallowed?.resolve();
        swallowed = undefined;
        end();
      }
    });
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  return {
    url: Object.assign(new URL(to), { port: String(port) }).href,
    cutOff() {
      isCutOff = true;
      for (const socket of sockets) socket.pause();
    },
    forget() {
      for (const socket of sockets) socket.pause();
    },
    forwardAgain() {
      isCutOff = false;
      for (const socket of sockets) socket.resume();
    },
    pointTo(url) {
      server = new URL(url);
      for (const socket of sockets) socket.destroy();
    },
    swallowCommit: () => (swallowed = Promise.withResolvers()).promise,
    close() {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
