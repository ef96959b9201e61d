import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inject, test, type TestContext } from "vitest";
import { describePostgres, ownServer } from "../support/postgres.ts";
import { INSTALLED, type PostgresServer } from "../support/postgres-server.ts";
import type { Program } from "../support/program.ts";
import { until } from "../support/until.ts";
import { Office, sendable } from "./office.ts";
import { startProxy, type Proxy } from "./postgres-proxy.ts";

type Context = Pick<TestContext, "expect" | "onTestFinished">;
type Settings = Readonly<Record<string, string>>;

/** What takes a server more, or waits longer. */
const apart = (name: string, tried: (context: Context) => Promise<void>): void =>
  test.concurrent(name, { tags: ["apart"] }, tried);

describePostgres("a journal whose server has forgotten commits", () => {
  test.concurrent("a dump in a database of the same name → nothing goes until a person accepts it", async (context) => {
    const firm = await Firm.open(context);
    const dump = join(firm.server.data, "../dump");
    await firm.sendUntil(60);
    firm.server.run("pg_dump", ["-Fc", "-f", dump, "postgres"]);
    await firm.sendUntil(160);
    firm.killHosts();
    const anew = `DROP DATABASE postgres WITH (FORCE)`;
    firm.server.run("psql", ["-q", "-d", "template1", "-c", anew, "-c", "CREATE DATABASE postgres"]);
    firm.server.run("pg_restore", ["-d", "postgres", dump]);
    await firm.nothingGoes("restored from a dump");
    await firm.accept();
  });

  apart("an older copy of its files → nothing goes until a person accepts it", async (context) => {
    const firm = await Firm.open(context);
    await firm.sendUntil(60);
    firm.server.stopHard();
    const copy = await firm.server.twin(firm.folder(), {});
    context.onTestFinished(() => copy.remove());
    copy.stopHard();
    firm.server.start();
    await firm.sendUntil(160);
    firm.killHosts();
    firm.server.stopHard();
    copy.start();
    firm.proxy.pointTo(copy.url);
    await firm.nothingGoes("commits of this state folder");
    await firm.accept();
  });

  apart(
    "an asynchronous standby without the last commits, which names standbys itself → nothing goes",
    async (context) => {
      const firm = await Firm.open(context);
      const standby = await firm.standby({});
      await firm.sendUntil(60);
      standby.stopHard();
      await firm.sendUntil(160);
      firm.killHosts();
      firm.server.stopHard();
      firm.promote(standby, { synchronous_standby_names: "nobody" });
      await firm.nothingGoes("its timeline was 1 and is 2");
    },
  );

  apart(
    "a member of the quorum that lacks the last commits takes over → nothing goes, however often hosts begin again",
    async (context) => {
      const firm = await Firm.open(context);
      const quorum = { synchronous_standby_names: "ANY 1 (one, other)" };
      const standby = await firm.standby(quorum);
      await firm.sendUntil(60);
      await firm.receive("one");
      standby.stopHard();
      await firm.sendUntil(160);
      firm.killHosts();
      firm.server.stopHard();
      firm.promote(standby, {});
      await firm.nothingGoes("commits of this state folder");
    },
  );

  apart("a synchronous standby takes over → hosts go on by themselves", async (context) => {
    const { expect } = context;
    const firm = await Firm.open(context);
    const standby = await firm.standby({ synchronous_standby_names: "other" });
    await firm.sendUntil(100);
    firm.server.stopHard();
    firm.promote(standby);
    const ended = await firm.conductor.ended;
    // where the standby took longer than a lease, what was on the wire is unknown
    const unknown = await firm.office.unknown();
    expect(unknown.length).toBeLessThanOrEqual(8);
    expect(ended.code, ended.stderr).toBe(unknown.length > 0 ? 4 : 3);
    // one that was let go may not have left
    const { length } = firm.office.service.lines;
    expect(length).toBeGreaterThanOrEqual(sendable(firm.plan) - unknown.length);
    expect(length).toBeLessThanOrEqual(sendable(firm.plan));
    expect(await firm.office.differences(firm.plan)).toEqual([]);
  });
});

/** Two hosts that send a file, by a way to their server that leads to another one later. */
class Firm {
  readonly office: Office;
  readonly server: PostgresServer;
  readonly proxy: Proxy;
  readonly plan: ReturnType<Office["put"]>["plan"];
  readonly #path: string;
  readonly #context: Context;
  #hosts: Program[] = [];

  private constructor(office: Office, server: PostgresServer, proxy: Proxy, context: Context) {
    this.office = office;
    this.server = server;
    this.proxy = proxy;
    this.#context = context;
    const { path, plan } = office.put("salaries", 2, 150);
    this.plan = plan;
    this.#path = path;
  }

  static async open(context: Context): Promise<Firm> {
    const server = await ownServer({}, context.onTestFinished);
    const proxy = await startProxy(server.url);
    context.onTestFinished(() => proxy.close());
    const settings = { PAYDROP_CONCURRENCY: "8", PAYDROP_HOST_LANES: "4" };
    const office = await Office.open(context.onTestFinished, 50, settings, proxy.url);
    return new Firm(office, server, proxy, context);
  }

  get conductor(): Program {
    const [, conductor] = this.#hosts;
    if (!conductor) throw new Error("nobody conducts the run");
    return conductor;
  }

  folder(): string {
    return join(inject("postgresFolder"), `own-${randomBytes(6).toString("hex")}`);
  }

  #start(): Program[] {
    const states = ["helper", "conductor"].map((name) => ({ PAYDROP_STATE_DIR: join(this.office.folder, name) }));
    return [this.office.start(["work"], states[0]), this.office.start(["run", this.#path], states[1])];
  }

  async sendUntil(rows: number): Promise<void> {
    if (this.#hosts.length === 0) this.#hosts = this.#start();
    await until(`${rows} rows have gone`, () => this.office.service.lines.length >= rows, { by: this.conductor.ended });
  }

  killHosts(): void {
    for (const { child } of this.#hosts) child.kill("SIGKILL");
  }

  /** A standby named `other`; `settings`: of the server that it follows. */
  async standby(settings: Settings): Promise<PostgresServer> {
    this.server.stopHard();
    const at = `host=127.0.0.1 port=${this.server.port} user=postgres application_name=other`;
    const standby = await this.server.twin(this.folder(), { primary_conninfo: at, hot_standby: "on" }, true);
    this.#context.onTestFinished(() => standby.remove());
    this.server.start(settings);
    await until("the standby follows", async () => (await this.#followers()).includes("other"));
    return standby;
  }

  async #followers(): Promise<string[]> {
    return (
      await this.office.ask<{ name: string }>(
        "SELECT application_name AS name FROM pg_stat_replication WHERE state = 'streaming'",
      )
    ).map(({ name }) => name);
  }

  /** Another member of the quorum: it only keeps what it gets. */
  async receive(name: string): Promise<void> {
    const folder = this.folder();
    mkdirSync(folder);
    const to = `host=127.0.0.1 port=${this.server.port} user=postgres application_name=${name}`;
    const child = spawn(join(INSTALLED?.bin ?? "", "pg_receivewal"), ["-D", folder, "--synchronous", "-d", to], {
      stdio: "ignore",
    });
    this.#context.onTestFinished(async () => {
      child.kill("SIGKILL");
      await once(child, "exit").catch(() => undefined);
    });
    await until(`${name} follows`, async () => (await this.#followers()).includes(name));
  }

  promote(standby: PostgresServer, settings?: Settings): void {
    if (settings) standby.start(settings);
    standby.run("pg_ctl", ["-D", standby.data, "-w", "promote"]);
    this.proxy.pointTo(standby.url);
  }

  /** Hosts begin again and again, as an orchestrator does it. */
  async nothingGoes(why: string): Promise<void> {
    const { expect } = this.#context;
    const { service } = this.office;
    // what had left by then has arrived
    await sleep(500);
    const { length } = service.lines;
    const said: string[] = [];
    for (let times = 0; times < 2; times += 1) {
      for (const { ended } of this.#start()) {
        const { code, stderr } = await ended;
        expect(code, stderr).toBe(74);
        said.push(stderr);
      }
    }
    expect(said.join("\n")).toContain(why);
    expect(service.lines).toHaveLength(length);
    expect(service.twice).toEqual([]);
    const status = await this.office.run(["status"], { PAYDROP_QUIET: "" });
    expect(status.stdout + status.stderr).toContain(why);
  }

  /** Then what may have gone is unknown, and nothing of it goes. */
  async accept(): Promise<void> {
    const { expect } = this.#context;
    const ended = await this.office.run(["run", this.#path, "--accept-lost-journal", "--by", "Asha"]);
    expect(ended.code, ended.stderr).toBe(4);
    expect(this.office.service.twice).toEqual([]);
    expect(await this.office.differences(this.plan)).toEqual([]);
    const { ready, accepted = 0, unknown = 0 } = await this.office.states();
    expect([ready, accepted + unknown]).toEqual([undefined, sendable(this.plan)]);
    expect(await this.office.ask("SELECT DISTINCT by FROM act WHERE kind = 'accept_lost_journal'")).toEqual([
      { by: "Asha" },
    ]);
    // it goes on from there
    const again = await this.office.run(["run", this.#path], {
      PAYDROP_STATE_DIR: join(this.office.folder, "conductor"),
    });
    expect(again.code, again.stderr).toBe(4);
    expect(this.office.service.twice).toEqual([]);
  }
}
