import type { Socket } from "node:net";
import type { Dispatcher } from "undici";

/**
 * HTTP/1.1 does not say which request an answer belongs to (RFC 9112 §9.2): only silence between two requests does. It
 * is longer than the 40 ms by which a delayed acknowledgement can hold back what the other side has already written
 * (Nagle).
 */
const REST_MS = 60;
/** Shorter than servers keep idle connections: a connection that closes just when a row is written makes it unknown. */
export const KEEP_ALIVE_MS = 4_000;

/**
 * Makes a dispatcher with one connection, and tells the connection's socket where it can be known. Who answers `keep` has
 * it: nothing is sent over it.
 */
export type Opener = (onSocket: (socket: Socket | undefined) => "keep" | undefined) => Dispatcher;

/** One connection. `bytesRead`: how many bytes had been read from it when its last request ended. */
export interface Connection {
  readonly client: Dispatcher;
  socket: Socket | undefined;
  bytesRead: number;
  restingSinceMs: number;
  /** By the clock on the wall, which goes on while the process or the whole machine stands still. */
  restingSinceTime: number;
}

/**
 * Connections to one origin, each used by one request at a time and then left to rest. Bytes that come while a
 * connection rests are nobody's answer: it is closed (I6). The connection that has rested longest is used first. If it
 * has not rested enough, another is opened, up to `connectionsMax`; beyond that it is used all the same. A connection
 * that nobody used for `KEEP_ALIVE_MS` is replaced: the other side may have closed it, though nothing of that was read
 * yet. The caller bounds how many requests are made at once.
 */
export class RestingConnections {
  readonly #connectionsMax: number;
  readonly #opener: Opener;
  readonly #all = new Set<Connection>();
  /** Longest rested first. */
  readonly #resting: Connection[] = [];
  #isClosed = false;

  constructor(connectionsMax: number, opener: Opener) {
    this.#connectionsMax = connectionsMax;
    this.#opener = opener;
  }

  /** A connection that nobody uses. Give it back with `rest` or `drop`. */
  take(): Connection {
    for (;;) {
      const longest = this.#resting[0];
      if (longest === undefined) return this.#open();
      const isRested = performance.now() - longest.restingSinceMs >= REST_MS;
      if (!isRested && this.#all.size < this.#connectionsMax) return this.#open();
      this.#resting.shift();
      const isFresh = Date.now() - longest.restingSinceTime < KEEP_ALIVE_MS;
      // undici closes a connection on which bytes came unasked, too, but perhaps not yet
      const hasSpoken = longest.socket !== undefined && longest.socket.bytesRead !== longest.bytesRead;
      if (isFresh && !hasSpoken) return longest;
      this.drop(longest);
    }
  }

  rest(connection: Connection): void {
    connection.bytesRead = connection.socket?.bytesRead ?? 0;
    connection.restingSinceMs = performance.now();
    connection.restingSinceTime = Date.now();
    this.#resting.push(connection);
  }

  /** Instead of `rest`: closes the connection, whatever it waits for. */
  drop(connection: Connection): void {
    this.#all.delete(connection);
    void connection.client.destroy();
  }

  /** Closes all connections. Later requests fail before anything is sent. */
  async destroy(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#all].map(({ client }) => client.destroy()));
  }

  #open(): Connection {
    const client = this.#opener((socket) => {
      connection.socket = socket;
      return undefined;
    });
    const connection: Connection = { client, socket: undefined, bytesRead: 0, restingSinceMs: 0, restingSinceTime: 0 };
    if (this.#isClosed) void client.destroy();
    this.#all.add(connection);
    return connection;
  }
}
