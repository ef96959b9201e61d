import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import { createInterface } from "node:readline";
import tls from "node:tls";
import { onTestFinished } from "vitest";
import type { Pair } from "./certificates.ts";

export interface MailServer {
  readonly port: number;
  /** Everything that clients said, line by line. */
  readonly heard: string[];
}

/** A mail server over a socket, for as long as its test lasts. `pair`: TLS from the first byte. `refuses`: a recipient. */
export async function startMailServer({ pair, refuses }: { pair?: Pair; refuses?: string } = {}): Promise<MailServer> {
  const heard: string[] = [];
  const serve = (socket: Socket): void => {
    const say = (line: string): unknown => socket.write(`${line}\r\n`);
    let isText = false;
    say("220 mail.example ESMTP");
    socket.on("error", () => undefined);
    createInterface({ input: socket }).on("line", (line) => {
      heard.push(line);
      if (isText) {
        isText = line !== ".";
        if (!isText) say("250 queued");
      } else if (/^EHLO/i.test(line)) say("250-mail.example\r\n250 AUTH PLAIN");
      else if (/^AUTH/i.test(line)) say("235 welcome");
      else if (line === "STARTTLS") say("502 there is no TLS here");
      else if (refuses !== undefined && line.includes(refuses)) say(`550 <${refuses}> nobody of that name`);
      else if (line === "DATA") {
        isText = true;
        say("354 go on");
      } else say(line === "QUIT" ? "221 bye" : "250 fine");
    });
  };
  const server = pair ? tls.createServer({ ...pair }, serve) : net.createServer(serve);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, heard };
}
