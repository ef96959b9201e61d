import { once } from "node:events";
import net from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { Client } from "undici";
import { expect, onTestFinished, test, vi } from "vitest";
import { KEEP_ALIVE_MS, RestingConnections, type Opener } from "../../src/client/connections.ts";

interface Opened {
  readonly connections: RestingConnections;
  /** Of each connection that was opened, whether it was closed. */
  readonly closed: () => boolean[];
  /** What each of them is told its socket by. */
  readonly onSocket: Parameters<Opener>[0][];
}

/** Nothing is sent over them: what counts is which one is taken. The clocks stand still. */
function open(connectionsMax: number): Opened {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const opened: Client[] = [];
  const onSocket: Opened["onSocket"] = [];
  const opener: Opener = (tell) => {
    onSocket.push(tell);
    opened.push(new Client("http://127.0.0.1:9"));
    return opened.at(-1) as Client;
  };
  const connections = new RestingConnections(connectionsMax, opener);
  return { connections, onSocket, closed: () => opened.map((client) => client.destroyed) };
}

test("a connection that rested while the machine slept is not used again: the other side may have closed it", () => {
  const { connections, closed } = open(1);
  const first = connections.take();
  connections.rest(first);
  expect(connections.take()).toBe(first);
  connections.rest(first);
  vi.setSystemTime(Date.now() + 2 * KEEP_ALIVE_MS);
  expect(connections.take()).not.toBe(first);
  expect(closed()).toEqual([true, false]);
});

test("a connection that was closed takes the place of none: the next one that has not rested yet is left to rest", () => {
  const { connections } = open(2);
  connections.rest(connections.take());
  vi.setSystemTime(Date.now() + 2 * KEEP_ALIVE_MS);
  const second = connections.take();
  connections.rest(second);
  expect(connections.take()).not.toBe(second);
});

test("what was read while a connection rested is nobody's answer, also before it was closed for that (I6)", async () => {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = net.connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [theirs] = (await once(server, "connection")) as [Socket];
  onTestFinished(() => {
    for (const one of [socket, theirs]) one.destroy();
    server.close();
  });
  const { connections, onSocket, closed } = open(1);
  const first = connections.take();
  onSocket[0]?.(socket);
  connections.rest(first);
  theirs.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
  await once(socket, "data");
  expect(connections.take()).not.toBe(first);
  expect(closed()).toEqual([true, false]);
});

test("in the end none is left open, whether it rests or is used", async () => {
  const { connections, closed } = open(3);
  const [first] = [connections.take(), connections.take()];
  connections.rest(first);
  await connections.destroy();
  expect(closed()).toEqual([true, true]);
});
