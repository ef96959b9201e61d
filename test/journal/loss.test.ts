import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Postgres } from "../../src/postgres/postgres.ts";
import { serverOf } from "../../src/postgres/same-server.ts";
import { ON_ITS_WAY } from "../../src/journal/states.ts";
import { Trust, trustServer } from "../../src/postgres/trust.ts";
import { Witness, type Word } from "../../src/postgres/witness.ts";
import { describePostgres, freshDatabase } from "../support/postgres.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import type { Act, Break, Came, Limits, ModelState, Step } from "./loss-states.ts";
import { breachOf, gateOf } from "./loss-model.ts";
import { explore, stepsOf, type Way } from "./loss-ways.ts";
import { Shares, type Held } from "./shares.ts";

const ONE: Omit<Limits, "came"> = { rows: 1, losses: 1, kills: 1 };

test.each<[Came, Break]>([
  ["promotion", "witness"],
  ["promotion", "order"],
  ["promotion", "answer"],
  ["promotion", "vouching"],
  ["promotion", "leave"],
  ["promotion", "unknown"],
  ["copy", "written"],
  ["dump", "unknown"],
])("%s, a model without %s → a row leaves twice", (came, broken) => {
  const way = explore({ ...ONE, came, broken });
  expect(way && breachOf(way.step.to)).toBe("a row left twice");
});

describePostgres("a journal that goes back", () => {
  test.each<[Came]>([["promotion"], ["copy"], ["dump"]])(
    "%s at any moment → nothing leaves twice, and the database does as the model",
    async (came) => {
      const ways = waysThrough({ ...ONE, came });
      expect(ways.length).toBeGreaterThan(10);
      const office = await Office.open();
      for (const [at, way] of ways.entries()) await office.follow(`WAY${at}`, way);
    },
  );
});

/** The shortest way to each state of database and files, with each act that is done in it. */
function waysThrough(limits: Limits): Step[][] {
  const ways = new Map<string, Way>();
  const breach = explore(limits, ({ durable, server, hosts }, way) => {
    const { act } = way.step;
    const known = hosts.map(({ file, lineage, looked }) => [file, lineage, looked]);
    const name = act && JSON.stringify([durable, server, known, act]);
    if (name !== undefined && !ways.has(name)) ways.set(name, way);
  });
  expect(breach).toBeUndefined();
  // what leads to others is followed with them; of the many that are left every so many
  const followed = new Set<Step>();
  const all = [...ways.values()].map(stepsOf).sort((one, other) => other.length - one.length);
  const needed = all.filter((way) => {
    const isNew = way.slice(-1).some((step) => !followed.has(step));
    for (const step of way) followed.add(step);
    return isNew;
  });
  const every = Math.ceil(needed.length / WAYS_MAX);
  return needed.filter((_, at) => at % every === 0);
}

const WAYS_MAX = 25;
const KEPT = ["rows", "share", "witness", "meta"] as const;
const WHO = { login: "asha", host: "pay1", by: "Asha" };

/** Two hosts of one journal, each with a state folder of its own, whose database goes back as the model says. */
class Office {
  readonly #shares: Shares;
  readonly #postgres: Postgres;
  readonly #folder = temporaryDirectory();
  #id = "";
  #hosts: Host[] = [];
  #batch = 0;

  private constructor(shares: Shares, postgres: Postgres) {
    this.#shares = shares;
    this.#postgres = postgres;
  }

  static async open(): Promise<Office> {
    const url = await freshDatabase();
    const shares = await Shares.create(url);
    const postgres = await Postgres.open({ url });
    onTestFinished(() => postgres.close());
    return new Office(shares, postgres);
  }

  /** Does to journal and files what the model does to its own, and compares them after each act. */
  async follow(id: string, way: readonly Step[]): Promise<void> {
    await this.#begin(id);
    let past = [await this.#copy()];
    let before: ModelState | undefined;
    for (const { act, name, to } of way) {
      for (const at of [0, 1])
        if (to.hosts[at]?.isUp && before?.hosts[at]?.isUp === false) this.#hosts[at] = this.#host(at);
      const how = `${way.map((step) => step.name).join(", ")}: ${name}`;
      if (act?.do === "lose") {
        past = past.slice(act.back);
        await this.#lose(act.came, past[0] ?? "");
      } else if (act) await this.#act(act, how);
      if (act) expect(await this.#found(), how).toEqual(shown(to));
      if (act && act.do !== "lose" && to.durable !== before?.durable) past = [await this.#copy(), ...past];
      before = to;
    }
  }

  async #begin(id: string): Promise<void> {
    this.#id = id;
    for (const sql of [
      "DELETE FROM witness",
      "DELETE FROM host",
      "UPDATE share SET owner = NULL",
      "UPDATE batch SET phase = 'cancelled'",
      "DELETE FROM meta WHERE key <> 'fingerprint'",
    ])
      await this.#shares.ask(sql);
    await trustServer(this.#postgres, { ...(await serverOf(this.#postgres)), isSynchronous: true });
    this.#batch = await this.#shares.batch(id, 1, 1, id);
    await this.#shares.ask("UPDATE batch SET isProven = true WHERE seq = $1", this.#batch);
    this.#hosts = [];
    for (const at of [0, 1]) {
      const host = (this.#hosts[at] = this.#host(at));
      await host.trust.look();
      await this.#shares.ask(
        "INSERT INTO host VALUES ($2, '', '', now(), now(), $1)",
        ...host.trust.bearer.slice(0, 2),
      );
      host.trust.note(await this.#bear(host));
    }
  }

  #host(at: number): Host {
    const witness = new Witness(join(this.#folder, `${this.#id}-${at}`), "journal");
    return { witness, trust: new Trust(this.#postgres, witness, `host ${at}`), no: 0, word: null };
  }

  async #bear({ trust }: Host): Promise<Word | null> {
    const [borne] = await this.#shares.ask<{ word: Word | null }>(
      "SELECT bear_witness($1, $2, $3) AS word",
      ...trust.bearer,
    );
    return borne?.word ?? null;
  }

  async #act(act: Exclude<Act, { do: "lose" }>, how: string): Promise<void> {
    const shares = this.#shares;
    const host = "host" in act ? this.#hosts[act.host] : undefined;
    if (act.do === "look") expect(await saidBy(host?.trust), how).toMatch(new RegExp(`^${act.says}`));
    if (act.do === "note") host?.trust.note(host.word);
    if (act.do === "let go" && host) {
      host.held = await shares.claim(`host ${act.host}`, { batch: this.#id, here: this.#id });
      host.no = 1;
      const gone = host.held && (await shares.commit(host.held, host.no, [], 1));
      expect(gone?.leaving).toHaveLength(1);
      host.word = await this.#bear(host);
    }
    if (act.do === "accepted" && host?.held) {
      await shares.commit(host.held, (host.no += 1), [{ row: 1, to: "accepted" }], 0);
      host.word = await this.#bear(host);
      await shares.end(host.held);
    }
    if (act.do === "taken over") {
      await shares.leaseIsOver({ batch: this.#batch, share: 0 });
      await shares.takeOver();
    }
    if (act.do === "silent") {
      await shares.ask("UPDATE host SET seenAt = now() - interval '2 minutes' WHERE host = $1", `host ${act.host}`);
      await host?.trust.renew();
      await shares.ask("UPDATE host SET seenAt = now()");
    }
    if (act.do === "leave") await host?.trust.leave();
    if (act.do === "waited") await shares.ask("UPDATE meta SET value = '0' WHERE key = 'waitFrom'");
    if (act.do === "waited for nobody") {
      await shares.ask("UPDATE meta SET value = '0' WHERE key IN ('waitFrom', 'waitUntil')");
      await shares.ask("UPDATE witness SET vouchedFor = server_now()");
    }
    if (act.do === "accept") {
      const another = new Trust(this.#postgres, new Witness(join(this.#folder, "another"), "journal"), "another");
      await another.look({ who: WHO, rejectedFor: [] });
    }
    if (act.do === "settle") {
      await shares.move(this.#batch, [1], ["unknown"], "settled_not_done");
      expect(await shares.move(this.#batch, [1], ["settled_not_done"], "ready")).toEqual([1]);
    }
  }

  /** All that goes back. */
  async #copy(): Promise<string> {
    const all = KEPT.map((table) => `'${table}', (SELECT json_agg(t) FROM ${table} t WHERE ${ofBatch(table)})`);
    const [copy] = await this.#shares.ask<{ all: object }>(`SELECT json_build_object(${all.join()}) AS all`);
    return JSON.stringify(copy?.all);
  }

  async #lose(came: Came, copy: string): Promise<void> {
    await this.#shares.ask("ALTER TABLE share DISABLE TRIGGER ALL");
    for (const table of KEPT) {
      await this.#shares.ask(`DELETE FROM ${table} t WHERE ${ofBatch(table)}`);
      const sql = `INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1::json -> '${table}')`;
      await this.#shares.ask(sql, copy);
    }
    // the one before is the one that began at another time, and this one has another timeline, or was written by a restore
    const other = (name: string): string => `${name} = regexp_replace(${name}, '^\\S+', '1.5')`;
    await this.#shares.ask(`UPDATE meta SET ${other("value")} WHERE key = 'server'`);
    await this.#shares.ask(`UPDATE witness SET ${other('"vouchedFor"')}`);
    // a server of a test has no standby
    await this.#shares.ask("UPDATE meta SET value = 'true' WHERE key = 'synchronous'");
    if (came === "promotion") await this.#shares.ask("UPDATE meta SET value = value::int - 1 WHERE key = 'timeline'");
    if (came === "dump") await this.#shares.ask("UPDATE meta SET value = value WHERE key = 'fingerprint'");
  }

  async #found(): Promise<unknown> {
    const [found] = await this.#shares.ask<object>(
      `SELECT (SELECT CASE WHEN ${ON_ITS_WAY} THEN 'going' ELSE r.state END FROM rows r JOIN share b ON b.batch = r.batch WHERE r.batch = $1) AS row,
        (SELECT json_agg(json_build_array(w.isHere, w.vouchedFor = server_now()) ORDER BY w.name) FROM witness w WHERE name LIKE 'host%') AS hosts,
        journal_gate() AS gate`,
      this.#batch,
    );
    return found;
  }
}

interface Host {
  readonly trust: Trust;
  readonly witness: Witness;
  word: Word | null;
  held?: Held | undefined;
  no: number;
}

const ofBatch = (table: string): string => {
  if (table === "meta") return "t.key <> 'fingerprint'";
  return table === "witness" ? "true" : "t.batch = (SELECT max(seq) FROM batch)";
};

async function saidBy(trust: Trust | undefined): Promise<string> {
  try {
    await trust?.look();
    return "fine";
  } catch (error) {
    return (error as Error).message.includes("accepted meanwhile") ? "accepted" : `lost: ${String(error)}`;
  }
}

function shown(state: ModelState): unknown {
  const { durable, server } = state;
  const hosts = durable.witness.map(({ isHere, vouchedFor }) => [isHere, vouchedFor === server]);
  return { row: durable.rows[0]?.state, hosts, gate: gateOf(state, {}) ?? "open" };
}
