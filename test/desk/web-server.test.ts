import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { actOf } from "../../src/batch.ts";
import { createCertificates } from "../support/certificates.ts";
import { whereIs } from "../support/needs.ts";
import { follow } from "../support/program.ts";
import { came, until } from "../support/until.ts";
import { AtDesk, PASSWORD, Visitor } from "./at-desk.ts";

const SAMPLES = join(import.meta.dirname, "../../samples/deploy");

interface Server {
  readonly name: "nginx" | "caddy";
  readonly sample: string;
  /** The sample for this port, with files of `root`, as the whole settings of a server that runs in front. */
  readonly settings: (sample: string, port: number, root: string) => string;
  readonly operands: (path: string) => readonly string[];
}

const SERVERS: readonly Server[] = [
  {
    name: "nginx",
    sample: "nginx-desk.conf",
    settings(sample, port, root) {
      const own = sample.replace(/server \{\s+listen 80;[^}]+\}/, "").replace(/listen \[::\].*/, "");
      const here = own.replace("listen 443", `listen 127.0.0.1:${port}`).replaceAll("/etc/nginx", root);
      const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${root};`);
      return `daemon off; pid ${root}/pid; events {} http { access_log off; ${folders.join(" ")}\n${here} }`;
    },
    operands: (path) => ["-c", path, "-e", "stderr"],
  },
  {
    name: "caddy",
    sample: "Caddyfile",
    settings: (sample, port, root) =>
      `{\nadmin off\nauto_https disable_redirects\n}\n${sample.replace("desk.example {", `https://127.0.0.1:${port} {\ntls ${root}/desk.crt ${root}/desk.key`)}`,
    operands: (path) => ["run", "--adapter", "caddyfile", "--config", path],
  },
];

for (const { name, sample, settings, operands } of SERVERS) {
  test(
    `${sample} → people sign in over TLS with secure cookies, upload, and see events at once`,
    { tags: [name] },
    async () => {
      const port = await freePort();
      const at = await AtDesk.open("SQLite", { PAYDROP_DESK_URL: `https://127.0.0.1:${port}` });
      await at.person("Asha", "decide");
      const { key, cert } = createCertificates().selfSigned;
      const path = join(at.root, "settings");
      writeFileSync(join(at.root, "desk.key"), key);
      writeFileSync(join(at.root, "desk.crt"), cert);
      const text = readFileSync(join(SAMPLES, sample), "utf8").replace("127.0.0.1:7878", new URL(at.deskUrl).host);
      writeFileSync(path, settings(text, port, at.root));
      const server = follow(name, spawn(whereIs(name) ?? "", operands(path), { env: { HOME: at.root } }));
      onTestFinished(() => void server.child.kill());
      // signed by itself
      process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
      const url = `https://127.0.0.1:${port}`;
      const asha = new Visitor(url);
      await until(
        "it answers",
        () =>
          asha.ask("/sign-in").then(
            () => asha.status === 200,
            () => false,
          ),
        { by: server.ended },
      );

      expect(asha.headers.getSetCookie()[0]).toMatch(/; Secure/);
      expect(asha.headers.get("strict-transport-security")).toBe("max-age=31536000");
      const body = new URLSearchParams({ csrf: asha.csrf, name: "asha", password: PASSWORD });
      // of a browser that says no more than this
      await asha.ask("/sign-in", { method: "POST", body, headers: { origin: url } });
      const folder = /<option value="([^"]+)"/.exec(await asha.ask("/upload"))?.[1] ?? "";
      const form = new FormData();
      form.set("folder", folder);
      form.set("file", new File(["x".repeat(3_000_000)], "large.csv"));
      expect(await asha.post("/upload", form)).toContain("Checked: large.csv");

      const live = await fetch(`${url}/live`, { headers: { cookie: asha.cookie } });
      const events = (live.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
      const next = async (): Promise<unknown> => (await came("an event", events.read(), { by: server.ended })).value;
      expect(await next()).toContain('"now":');
      await at.work.store.holdFolder(at.inbox, "desk_stop", actOf(at.work, "hold_folder", { by: "Asha" }));
      expect(await next()).toContain("Sending is stopped");
      await events.cancel();
    },
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
