import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { createServer as createTlsServer } from "node:tls";
import type { TlsOptions } from "node:tls";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createCertificates } from "../support/certificates.ts";
import { paydrop, temporaryFolder } from "../support/paydrop.ts";
import { canMount, makeReadOnly, smallDisk } from "../support/small-disk.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

interface Document {
  readonly findings: readonly {
    readonly what: string;
    readonly health: string;
    readonly found: string;
    readonly hint?: string;
  }[];
  readonly choices: readonly { readonly setting: string; readonly value: string; readonly section: string }[];
  readonly origins: Readonly<Record<string, string>>;
  readonly exit_code: number;
}

const KEYS = {
  PAYDROP_BASE_URL: "https://api.bank.example",
  PAYDROP_API_KEY: "live-key-0123456789",
  PAYDROP_AES_KEY: "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
  PAYDROP_AES_IV: "00112233445566778899aabbccddeeff",
  // where the state folder would be made
  XDG_STATE_HOME: temporaryFolder(),
};

async function doctor(
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = ["--offline"],
): Promise<Document & { readonly code: number }> {
  const { code, stdout } = await paydrop(["doctor", "--json", ...flags], env);
  return { ...(JSON.parse(stdout) as Document), code };
}

function healthOf(document: Document, what: string): string | undefined {
  return document.findings.find((finding) => finding.what === what)?.health;
}

describe("doctor", () => {
  test("with everything set all is fine, and no key is shown", async () => {
    const { code, stdout, stderr } = await paydrop(["doctor", "--offline"], KEYS);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("PAYDROP_AES_KEY  32 bytes");
    expect(stdout).toContain("PAYDROP_AES_IV   16 bytes");
    for (const secret of [KEYS.PAYDROP_API_KEY, KEYS.PAYDROP_AES_KEY, KEYS.PAYDROP_AES_IV]) {
      expect(stdout).not.toContain(secret);
    }
  });

  test("without anything it names what is missing and exits 2", async () => {
    const document = await doctor({});
    expect(document).toMatchObject({ code: 2, exit_code: 2 });
    expect(healthOf(document, "base URL")).toBe("wrong");
    expect(healthOf(document, "PAYDROP_API_KEY")).toBe("wrong");
    expect(healthOf(document, "PAYDROP_AES_KEY")).toBe("look");
  });

  test("a key of the wrong length is wrong, and not shown", async () => {
    const document = await doctor({ ...KEYS, PAYDROP_AES_IV: "00112233445566778899aabbccddee" });
    expect(document.code).toBe(2);
    expect(healthOf(document, "PAYDROP_AES_IV")).toBe("wrong");
    expect(JSON.stringify(document)).not.toContain("00112233");
  });

  test("an address that brings the path of an endpoint along is worth a look", async () => {
    const document = await doctor({ ...KEYS, PAYDROP_BASE_URL: "https://api.bank.example/v1/" });
    expect(healthOf(document, "base URL")).toBe("look");
  });

  test("every named choice is listed with the section that is silent", async () => {
    const { choices, origins } = await doctor({ ...KEYS, PAYDROP_PADDING: "zero" });
    const byName = new Map(choices.map((choice) => [choice.setting, choice]));
    expect(byName.get("padding")).toMatchObject({ value: "zero", section: "§5.2" });
    for (const name of [
      "hex_case",
      "key_encoding",
      "empty_fields",
      "retry_429",
      "ifsc_format",
      "number_grouping",
      "decimal_sign",
      "rules",
      "amounts",
      "accepted",
    ]) {
      expect(byName.has(name)).toBe(true);
    }
    expect(origins["padding"]).toBe("PAYDROP_PADDING");
  });

  test("a relative PAYDROP_STATE_DIR is worth a look: from another folder it would be another one", async () => {
    const { PAYDROP_BASE_URL, PAYDROP_API_KEY } = KEYS;
    const env = { PAYDROP_BASE_URL, PAYDROP_API_KEY, PAYDROP_STATE_DIR: "state" };
    const document = await doctor(env);
    expect(document.findings.filter(({ what }) => what === "state folder")).toContainEqual({
      what: "state folder",
      health: "look",
      found: 'PAYDROP_STATE_DIR is "state": from each folder another one',
      hint: expect.stringMatching(/^write the whole path: \/.*state$/) as string,
    });
    expect(healthOf(await doctor({ ...env, PAYDROP_STATE_DIR: "/var/lib/paydrop-none" }), "state folder")).toBe("fine");
  });

  test("a state folder that is open to others is wrong", async () => {
    const folder = join(temporaryFolder(), "state");
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    const document = await doctor({ ...KEYS, PAYDROP_STATE_DIR: folder });
    expect(document.code).toBe(2);
    expect(healthOf(document, "state folder")).toBe("wrong");
    chmodSync(folder, 0o700);
    expect((await doctor({ ...KEYS, PAYDROP_STATE_DIR: folder })).code).toBe(0);
  });

  test.skipIf(!canMount)("a state folder that cannot be made is wrong: the first run would end with 74", async () => {
    const disk = smallDisk(64);
    const env = { ...KEYS, PAYDROP_STATE_DIR: join(disk, "paydrop", "state") };
    expect((await doctor(env)).findings.find(({ what }) => what === "state folder")).toMatchObject({ health: "fine" });
    makeReadOnly(disk);
    const document = await doctor(env);
    expect(document.code).toBe(2);
    expect(document.findings.find(({ what }) => what === "state folder")).toMatchObject({
      health: "wrong",
      found: expect.stringContaining(`${env.PAYDROP_STATE_DIR} cannot be made in ${disk}: `) as string,
    });
  });

  test("a key file that others may read is worth a look", async () => {
    const file = join(temporaryFolder(), "key");
    writeFileSync(file, "live-key-0123456789\n");
    chmodSync(file, 0o644);
    const { PAYDROP_API_KEY: direct, ...others } = KEYS;
    const document = await doctor({ ...others, PAYDROP_API_KEY_FILE: file });
    expect(direct).toBeDefined();
    expect(document.code).toBe(0);
    expect(healthOf(document, "PAYDROP_API_KEY_FILE")).toBe("look");
  });
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A TLS server that notes what it is sent. */
async function tlsServer(options: TlsOptions): Promise<{ readonly port: number; readonly received: Buffer[] }> {
  const received: Buffer[] = [];
  const server = createTlsServer(options, (socket) => {
    socket.on("error", () => undefined).on("data", (bytes: Buffer) => received.push(bytes));
  });
  server.on("tlsClientError", () => undefined);
  return { port: await listening(server), received };
}

function found(document: Document, what: string): string {
  return document.findings
    .filter((finding) => finding.what === what)
    .map((finding) => `${finding.health} ${finding.found}`)
    .join("\n");
}

describe("the way to the service", () => {
  const certificates = createCertificates();
  const folder = temporaryFolder();
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const trusted = { PAYDROP_CA_FILE: file("ca.pem", certificates.ca) };
  const env = (port: number, more: Readonly<Record<string, string>> = trusted): Record<string, string> => ({
    ...KEYS,
    PAYDROP_BASE_URL: `https://localhost:${port}`,
    ...more,
  });

  test("a service with a good certificate is reached, its days are counted, and nothing is sent to it", async () => {
    const { port, received } = await tlsServer({ ...certificates.server, requestCert: false });
    const document = await doctor(env(port), []);
    expect(document.code).toBe(0);
    expect(found(document, "service")).toMatch(/^fine .*127\.0\.0\.1:\d+ answers within \d+ ms$/);
    expect(found(document, "its certificate")).toMatch(
      /^look TLSv1\.3, .* valid until \d{4}-\d\d-\d\d \(1 day left\)$/,
    );
    expect(Buffer.concat(received).length).toBe(0);
  });

  test.each([
    ["expired", certificates.expired, trusted, /expired/],
    ["for another host", certificates.otherHost, trusted, /altnames/],
    ["of an unknown authority", certificates.server, {}, /verify|issuer|self-signed/],
  ] as const)("a certificate that is %s is wrong", async (_, pair, trust, why) => {
    const { port, received } = await tlsServer({ ...pair });
    const document = await doctor(env(port, { ...trust, NODE_TLS_REJECT_UNAUTHORIZED: "" }), []);
    expect(document.code).toBe(2);
    expect(found(document, "service")).toMatch(/^wrong not reached/);
    expect(found(document, "service")).toMatch(why);
    expect(Buffer.concat(received).length).toBe(0);
  });

  test.each(["TLSv1.2", "TLSv1.3"] as const)(
    "a service that wants a client certificate gets it, or says so (%s)",
    async (version) => {
      const options = { requestCert: true, rejectUnauthorized: true, ca: certificates.ca } as const;
      const { port } = await tlsServer({
        ...certificates.server,
        ...options,
        minVersion: version,
        maxVersion: version,
      });
      const without = await doctor(env(port), []);
      expect(without.code).toBe(2);
      expect(found(without, "service")).toMatch(/^wrong/);
      const own = {
        ...trusted,
        PAYDROP_CLIENT_CERT_FILE: file("client.pem", certificates.client.cert),
        PAYDROP_CLIENT_KEY_FILE: file("client.key", certificates.client.key),
      };
      const document = await doctor(env(port, own), []);
      expect(document.code).toBe(0);
      expect(found(document, "PAYDROP_CLIENT_CERT_FILE")).toMatch(/1 day left/);
      const swapped = await doctor(
        env(port, { ...own, PAYDROP_CLIENT_KEY_FILE: file("o.key", certificates.server.key) }),
        [],
      );
      expect(swapped.code).toBe(2);
      expect(found(swapped, "PAYDROP_CLIENT_KEY_FILE")).toContain("not the key of the certificate");
    },
  );

  test("nobody there, something else there, and a name that does not exist are told apart", async () => {
    const plain = await listening(createTcpServer((socket) => socket.end("220 mail ready\r\n")));
    expect(found(await doctor(env(plain), []), "service")).toMatch(
      /^wrong not reached: .*(?:wrong version|packet|TLS)/i,
    );
    expect(found(await doctor(env(1), []), "service")).toContain("ECONNREFUSED");
    const nowhere = await doctor({ ...env(1), PAYDROP_BASE_URL: "https://service.invalid" }, []);
    expect(found(nowhere, "service")).toMatch(/^wrong not reached: .*(?:ENOTFOUND|EAI_AGAIN)/);
    expect(nowhere.code).toBe(2);
  });

  test("by a proxy only the tunnel is asked for; a proxy that refuses is named", async () => {
    const asked: string[] = [];
    const proxy = createHttpServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(405).end();
    });
    proxy.on("connect", (request, socket) => {
      asked.push(`${request.method} ${request.url}`);
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
    const port = await listening(proxy);
    const behind = { ...KEYS, PAYDROP_BASE_URL: "https://api.bank.example", HTTPS_PROXY: `http://127.0.0.1:${port}` };
    const document = await doctor(behind, []);
    expect(document.code).toBe(2);
    expect(found(document, "service")).toContain(`by the proxy 127.0.0.1:${port}: the proxy answered 403`);
    expect(asked).toEqual(["CONNECT api.bank.example:443"]);
    expect(found(await doctor({ ...behind, NO_PROXY: "bank.example" }, []), "service")).not.toContain("proxy");
    const { HTTPS_PROXY, ...direct } = behind;
    const fallback = await doctor({ ...direct, HTTP_PROXY: HTTPS_PROXY }, []);
    expect(found(fallback, "service")).toContain("the proxy answered 403");
    const spelt = await doctor({ ...direct, HTTPS_PROXY: "http://bob:hunter2@:99999" }, []);
    expect(found(spelt, "service")).toMatch(/^wrong not reached: HTTPS_PROXY is not the address of a proxy$/m);
  });

  test("a proxy that takes the connection and says nothing costs the connect timeout", async () => {
    const port = await listening(createTcpServer(() => undefined));
    const behind = { ...KEYS, PAYDROP_BASE_URL: "https://api.bank.example", PAYDROP_CONNECT_TIMEOUT: "1s" };
    const document = await doctor({ ...behind, HTTPS_PROXY: `http://127.0.0.1:${port}` }, []);
    expect(document.code).toBe(2);
    expect(found(document, "service")).toContain(`by the proxy 127.0.0.1:${port}: no answer within 1 s`);
  });

  test("through a SOCKS proxy nothing is tried, and that is told: a run does go by it", async () => {
    const asked = vi.fn();
    const port = await listening(createTcpServer(asked));
    const behind = { ...KEYS, PAYDROP_BASE_URL: "https://api.bank.example", HTTPS_PROXY: `socks5://127.0.0.1:${port}` };
    const document = await doctor(behind, []);
    expect(document.code).toBe(0);
    expect(found(document, "service")).toContain(`look not checked by the SOCKS proxy 127.0.0.1:${port}`);
    expect(asked).not.toHaveBeenCalled();
  });
});

test("a variable that nearly has the name of a setting is told, without what it holds; another program's is not", async () => {
  const env = { PAYDROP_CONCURENCY: "3", PAYDROP_APIKEY: "sk-0123456789", PAYDROP_IMAGE: "x:1", PAYDROP_RATEE: "" };
  const said = await doctor({ ...KEYS, ...env });
  expect(said.code).toBe(0);
  expect(healthOf(said, "PAYDROP_CONCURENCY")).toBe("look");
  expect(said.findings.map(({ what }) => what).filter((what) => Object.keys(env).includes(what))).toEqual([
    "PAYDROP_CONCURENCY",
    "PAYDROP_APIKEY",
  ]);
  expect(JSON.stringify(said)).not.toContain("sk-0123456789");
  expect((await paydrop(["doctor", "--offline"], { ...KEYS, ...env })).stdout).toContain(
    "→ did you mean PAYDROP_CONCURRENCY?",
  );

  const folder = temporaryDirectory();
  writeFileSync(join(folder, "t.csv"), "from_account,to_account,amount\n50100271828001,50100000000001,101.00\n");
  const operands = ["run", "--sandbox", "--operation", "transfer", join(folder, "t.csv")];
  const run = await paydrop(operands, env);
  expect(run).toMatchObject({ code: 0 });
  expect(run.stderr).toContain(
    "PAYDROP_CONCURENCY is not a setting and has no effect: did you mean PAYDROP_CONCURRENCY?",
  );
  expect(run.stderr).not.toContain("PAYDROP_IMAGE");
  expect((await paydrop([...operands, "--quiet"], env)).stderr).toBe("");
});

test("a variable that ends as our names do is told with those; what Kubernetes sets for a service of our name is not", async () => {
  const bare = { PAYDROP_KEY: "sk-0123456789", PAYDROP_URL: "https://x.example", PAYDROP_IV: "abcdef0123456789" };
  const cluster = {
    PAYDROP_SERVICE_HOST: "10.0.0.7",
    PAYDROP_PORT: "tcp://10.0.0.7:80",
    PAYDROP_PORT_80_TCP_PROTO: "tcp",
  };
  const said = await doctor({ ...KEYS, ...bare, ...cluster });
  const told = said.findings.filter(({ what }) => what in bare || what in cluster);
  expect(told.map(({ what, hint }) => `${what}: ${hint ?? ""}`)).toEqual([
    "PAYDROP_KEY: did you mean PAYDROP_API_KEY or PAYDROP_AES_KEY?",
    "PAYDROP_URL: did you mean PAYDROP_BASE_URL or PAYDROP_PING_URL?",
    "PAYDROP_IV: did you mean PAYDROP_AES_IV?",
  ]);
  for (const value of Object.values(bare)) expect(JSON.stringify(said)).not.toContain(value);
});

describe("folders and clock", () => {
  test("a drop folder of which nothing goes is told: a STOP lies in it, or it is still held by one", async () => {
    const inbox = temporaryDirectory();
    const stateDir = join(temporaryDirectory(), "state");
    const flags = ["--offline", "--inbox", inbox, "--state-dir", stateDir];
    mkdirSync(join(inbox, "transfers"));
    writeFileSync(join(inbox, "transfers", "Stop.txt"), "");
    const stopped = await doctor(KEYS, flags);
    expect(stopped.code).toBe(0);
    expect(found(stopped, `inbox ${inbox}`)).toContain(
      `look nothing goes from it: ${join(inbox, "transfers", "Stop.txt")} lies there`,
    );
    expect((await paydrop(["run", "--inbox", inbox, "--state-dir", stateDir], KEYS)).code).toBe(0);
    rmSync(join(inbox, "transfers", "Stop.txt"));
    expect(found(await doctor(KEYS, flags), `inbox ${inbox}`)).toContain(
      "look nothing goes from it: a file named STOP was put into the folder",
    );
    await paydrop(["resume", "--inbox", inbox, "--by", "asha", "--state-dir", stateDir], KEYS);
    expect(found(await doctor(KEYS, flags), `inbox ${inbox}`)).not.toContain("nothing goes");
  });

  test("an inbox that another state folder has sent from is wrong: every run of it would be refused", async () => {
    const inbox = temporaryDirectory();
    const folder = temporaryDirectory();
    const flags = (state: string): string[] => ["--inbox", inbox, "--state-dir", join(folder, state)];
    // it is held: the folder is this state directory's although nothing went
    writeFileSync(join(inbox, "STOP"), "");
    expect((await paydrop(["run", ...flags("own")], KEYS)).code).toBe(0);
    await paydrop(["run", "--inbox", temporaryDirectory(), "--state-dir", join(folder, "other")], KEYS);
    for (const state of ["other", "none yet"]) {
      const said = await doctor(KEYS, ["--offline", ...flags(state)]);
      expect(said.code).toBe(2);
      expect(found(said, `inbox ${inbox}`)).toContain(
        `wrong ${join(inbox, ".paydrop")} was written with another state directory`,
      );
      expect(existsSync(join(folder, "none yet"))).toBe(false);
      expect((await paydrop(["run", ...flags(state)], KEYS)).code).toBe(74);
    }
    expect((await doctor(KEYS, ["--offline", ...flags("own")])).code).toBe(0);
    // each mark is told of the folder that it lies in
    const payouts = join(inbox, "payouts");
    mkdirSync(payouts);
    await paydrop(["run", "--inbox", payouts, "--state-dir", join(folder, "own")], KEYS);
    const both = await doctor(KEYS, ["--offline", ...flags("other")]);
    for (const place of [inbox, payouts])
      expect(found(both, `inbox ${place}`)).toContain(`wrong ${join(place, ".paydrop")} was written`);
  });

  test("where something else stands in the place of the mark, doctor and a run say that none is kept", async () => {
    const inbox = temporaryDirectory();
    mkdirSync(join(inbox, ".paydrop"));
    const said = `${join(inbox, ".paydrop")} is not a file that paydrop wrote: no mark of what was sent is kept`;
    const looked = await doctor(KEYS, ["--offline", "--inbox", inbox]);
    expect(found(looked, `inbox ${inbox}`)).toContain(`look ${said}`);
    const ran = await paydrop(["run", "--quiet", "--inbox", inbox, "--state-dir", temporaryDirectory()], KEYS);
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining(said) as string });
  });

  test("an inbox is looked at: rights, free space, and that state and settings lie elsewhere", async () => {
    const inbox = temporaryDirectory();
    const good = await doctor(KEYS, ["--offline", "--inbox", inbox]);
    expect(good.code).toBe(0);
    expect(found(good, `inbox ${inbox}`)).toMatch(/^fine can be read and written\nfine .* free/);

    const settings = join(inbox, "paydrop.toml");
    writeFileSync(settings, "concurrency = 2\n", { mode: 0o600 });
    chmodSync(inbox, 0o777);
    const flags = ["--offline", "--inbox", inbox, "--state-dir", join(inbox, "state"), "--config", settings];
    const bad = await doctor(KEYS, flags);
    expect(bad.code).toBe(2);
    expect(found(bad, `inbox ${inbox}`)).toContain("wrong holds the state folder\nwrong holds the settings file");
    expect(found(bad, `inbox ${inbox}`)).toContain("look anybody on this machine may write there");

    const missing = await doctor(KEYS, ["--offline", "--inbox", join(inbox, "none"), inbox]);
    expect(missing.code).toBe(2);
    expect(found(missing, `inbox ${join(inbox, "none")}`)).toMatch(/^wrong ENOENT/);
  });

  test.skipIf(!existsSync("/dev/shm"))("a state folder in memory is worth a look", async () => {
    const document = await doctor({ ...KEYS, PAYDROP_STATE_DIR: "/dev/shm/paydrop-test/none-yet" });
    expect(document.code).toBe(0);
    expect(found(document, "state folder")).toContain("look lies in memory (tmpfs)");
  });

  test("a clock that is behind what the journal has seen is wrong", async () => {
    const state = join(temporaryDirectory(), "state");
    const input = join(temporaryDirectory(), "payroll.csv");
    writeFileSync(input, "from_account,to_account,amount\nA-1,B-1,10.00\n");
    expect((await paydrop(["run", "--sandbox", "--state-dir", state, "--operation", "transfer", input])).code).toBe(0);
    expect(found(await doctor({ ...KEYS, PAYDROP_STATE_DIR: state }), "clock")).toMatch(/^fine/);
    const database = new DatabaseSync(join(state, "journal.db"));
    database.exec(`UPDATE batch SET created_at = ${Date.now() + 3_600_000}`);
    database.close();
    const document = await doctor({ ...KEYS, PAYDROP_STATE_DIR: state });
    expect(found(document, "clock")).toMatch(/^wrong .* but the journal has already seen/);
    // whoever has set it right must not set it wrong again
    const hint = document.findings.find(({ what }) => what === "clock")?.hint;
    expect(hint).toContain("if it is right, that of an earlier run was ahead");
    expect(document.code).toBe(2);
  });
});
