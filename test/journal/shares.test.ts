import { expect, onTestFinished, test } from "vitest";
import { Postgres } from "../../src/postgres/postgres.ts";
import type { Commit } from "../../src/journal/store.ts";
import { Committer, type HeldShare } from "../../src/postgres/shares.ts";
import { Trust } from "../../src/postgres/trust.ts";
import { Witness } from "../../src/postgres/witness.ts";
import { bareShare } from "../support/commit.ts";
import { describePostgres, freshDatabase } from "../support/postgres.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { letsRowsGoByShares } from "./shares-contract.ts";
import { Shares, type Answer, type Held, type Outcome } from "./shares.ts";

describePostgres("shares by their model", letsRowsGoByShares);

/** One that asks, and others at the same time. */
async function sessions(count: number): Promise<[Shares, ...Shares[]]> {
  const one = await Shares.create(await freshDatabase());
  const others: Shares[] = [];
  while (others.length < count - 1) others.push(await one.another());
  return [one, ...others];
}

async function claimed(shares: Shares, me: string, batch: string): Promise<Held> {
  const held = await shares.claim(me, { batch });
  if (!held) throw new Error(`${me} got no share of ${batch}`);
  return held;
}

const rowsOf = (answer: Answer | undefined): number[] | undefined => answer?.leaving.map(({ row }) => row);

describePostgres("shares of several hosts at the same moment", () => {
  test("ten hosts claim at once → each share once, and never more lanes than allowed", async () => {
    const [one, ...others] = await sessions(11);
    await one.batch("PAY", 3, 8);
    await one.ask("UPDATE batch SET isProven = true");
    const claim = (host: Shares, at: number): Promise<Held | undefined> =>
      host.claim(`host ${at}`, { lanes: 2, concurrency: 7 });
    const held = (await Promise.all(others.map(claim))).filter((share) => share !== undefined);
    expect(held.map(({ lanes }) => lanes).sort()).toEqual([1, 2, 2, 2]);
    expect(new Set(held.map(({ share }) => share)).size).toBe(4);
    for (const share of held.filter(({ lanes }) => lanes === 2)) expect(await one.end(share)).toBe(true);
    expect((await claim(one, 10))?.lanes).toBe(2);
  });

  test("a claim that waits for another → gets another share", async () => {
    const [first, second] = (await sessions(2)) as [Shares, Shares];
    await first.batch("PAY", 3, 2);
    await first.ask("UPDATE batch SET isProven = true");
    await first.ask("BEGIN");
    expect((await first.claim("host 1"))?.share).toBe(0);
    expect((await first.endsBefore([second], () => second.claim("host 2")))?.share).toBe(1);
  });

  test("nothing was accepted yet → one share of one batch goes alone", async () => {
    const [one, ...others] = await sessions(6);
    for (const id of ["PAY", "LOAN"]) await one.batch(id, 3, 2);
    const held = (await Promise.all(others.map((host, at) => host.claim(`host ${at}`)))).filter((share) => share);
    expect(held).toMatchObject([{ id: "PAY", share: 0, proven: false }]);
    const [alone] = held as [Held];
    await one.commit(alone, 1, [], 1);
    expect(await one.claim("host 9")).toBeUndefined();
    await one.commit(alone, 2, [{ row: 1, to: "accepted" }], 1);
    expect(await one.claim("host 9")).toMatchObject({ id: "PAY", share: 1, proven: true });
    expect(await one.claim("host 9")).toMatchObject({ id: "LOAN", share: 0, proven: false });
    expect(await one.claim("host 9")).toBeUndefined();
  });

  test("a batch to be approved → no host gets a share of it, and of a held one nothing leaves when that is over", async () => {
    const [one] = await sessions(1);
    await one.batch("PAY", 3);
    const approve = (until: string): Promise<unknown> =>
      one.ask(
        `UPDATE batch SET approvers = 1, approvedUntil = extract(epoch FROM clock_timestamp() + interval '${until}') * 1000`,
      );
    await approve("-1 s");
    expect(await one.claim("host 1")).toBeUndefined();
    await approve("1 h");
    const held = await claimed(one, "host 1", "PAY");
    await approve("-1 s");
    expect(rowsOf(await one.commit(held, 1, [], 1))).toEqual([]);
    await approve("1 h");
    expect(rowsOf(await one.commit(held, 2, [], 1))).toEqual([1]);
  });

  test("a commit waits while its share is taken over → it is fenced", async () => {
    const [other, host] = (await sessions(2)) as [Shares, Shares];
    const seq = await other.batch("PAY", 2);
    const held = await claimed(host, "host 1", "PAY");
    expect(rowsOf(await host.commit(held, 1, [], 1))).toEqual([1]);
    await other.leaseIsOver(held);
    await other.ask("BEGIN");
    expect(await other.takeOver()).toEqual([{ batch: "PAY", row: 1 }]);
    const late = (): Promise<Answer | undefined> => host.commit(held, 2, [{ row: 1, to: "accepted" }], 1);
    expect(await other.endsBefore([host], late)).toBeUndefined();
    expect(await other.states(seq)).toBe("1 unknown, 2 ready");
  });

  test("a takeover waits for nobody → a share whose owner commits stays its own", async () => {
    const [other, host] = (await sessions(2)) as [Shares, Shares];
    const seq = await other.batch("PAY", 2);
    const held = await claimed(host, "host 1", "PAY");
    await other.leaseIsOver(held);
    await host.ask("BEGIN");
    await host.commit(held, 1, [], 1);
    await other.ask("SET lock_timeout = '5s'");
    expect(await other.takeOver()).toEqual([]);
    await host.ask("COMMIT");
    expect(await other.takeOver()).toEqual([]);
    expect(await other.states(seq)).toBe("1 on its way, 2 ready");
  });

  test("two take over at once → each row is unknown once, and told once", async () => {
    const [one, other] = (await sessions(2)) as [Shares, Shares];
    await one.batch("PAY", 2);
    const held = await claimed(one, "host 1", "PAY");
    await one.commit(held, 1, [], 1);
    await one.leaseIsOver(held);
    expect((await Promise.all([one.takeOver(), other.takeOver()])).flat()).toEqual([{ batch: "PAY", row: 1 }]);
    expect(await one.ask("SELECT kind, batch, rows FROM act")).toEqual([{ kind: "recover", batch: "PAY", rows: [1] }]);
  });

  test.each(["cancelled", "held"])("a row becomes %s while a commit waits → it is not let go", async (state) => {
    const [person, host] = (await sessions(2)) as [Shares, Shares];
    const seq = await person.batch("PAY", 3);
    const held = await claimed(host, "host 1", "PAY");
    await person.ask("BEGIN");
    expect(await person.move(seq, [1, 3], ["ready"], state)).toEqual([1, 3]);
    expect(rowsOf(await person.endsBefore([host], () => host.commit(held, 1, [], 3)))).toEqual([2]);
    expect(await person.states(seq)).toBe(`1 ${state}, 2 on its way, 3 ${state}`);
  });

  test("a person waits while a commit lets rows go → those stay as they are", async () => {
    const [host, person] = (await sessions(2)) as [Shares, Shares];
    const seq = await host.batch("PAY", 3);
    const held = await claimed(host, "host 1", "PAY");
    await host.ask("BEGIN");
    expect(rowsOf(await host.commit(held, 1, [], 2))).toEqual([1, 2]);
    const cancel = (): Promise<number[]> => person.move(seq, [1, 2, 3], ["ready"], "cancelled");
    expect(await host.endsBefore([person], cancel)).toEqual([3]);
    expect(await host.states(seq)).toBe("1 on its way, 2 on its way, 3 cancelled");
  });

  test.each([
    ["a pause", "UPDATE batch SET phase = 'paused'"],
    ["a stop", `UPDATE batch SET stop = '{"code":"key_refused"}'`],
    ["a held folder", "INSERT INTO hold VALUES ('/inbox', 'STOP', 1)"],
  ])("%s while a commit waits → nothing more goes, outcomes are in", async (_, sql) => {
    const [person, host] = (await sessions(2)) as [Shares, Shares];
    const seq = await person.batch("PAY", 3);
    const held = await claimed(host, "host 1", "PAY");
    await host.commit(held, 1, [], 1);
    await person.ask("BEGIN");
    await person.move(seq, [3], ["ready"], "held");
    await person.ask(sql);
    const commit = (): Promise<Answer | undefined> => host.commit(held, 2, [{ row: 1, to: "accepted" }], 1);
    expect(rowsOf(await person.endsBefore([host], commit))).toEqual([]);
    expect(await person.states(seq)).toBe("1 accepted, 2 ready, 3 held");
    expect(await person.claim("host 2")).toBeUndefined();
  });

  test("one stop of all → every batch of the destination at its next commit", async () => {
    const [one] = await sessions(1);
    for (const id of ["PAY", "LOAN", "OLD"]) await one.batch(id, 3);
    await one.batch("AWAY", 3, 1, "http://elsewhere");
    await one.ask("UPDATE batch SET isProven = true");
    await one.ask("UPDATE batch SET run = NULL WHERE id = 'OLD'");
    const [pay, loan] = [await claimed(one, "host 1", "PAY"), await claimed(one, "host 2", "LOAN")];
    const away = await one.claim("host 3", { here: "http://elsewhere" });
    await one.commit(pay, 1, [], 1);
    const stop = { code: "key_refused", all: true };
    expect(await one.commit(pay, 2, [{ row: 1, to: "rejected", stop }], 1)).toMatchObject({ stop, leaving: [] });
    expect(await one.commit(loan, 1, [], 1)).toMatchObject({ stop, leaving: [] });
    expect(away && (await one.commit(away, 1, [], 1))).toMatchObject({ stop: null, leaving: [{ row: 1 }] });
    expect(await one.ask("SELECT id FROM batch WHERE stop IS NULL ORDER BY seq")).toEqual([
      { id: "OLD" },
      { id: "AWAY" },
    ]);
  });

  test("hosts stop all at once → none waits for the other for ever", async () => {
    const [one, ...hosts] = await sessions(5);
    for (const [at] of hosts.entries()) await one.batch(`PAY${at}`, 20);
    await one.ask("UPDATE batch SET isProven = true");
    const held = await Promise.all(hosts.map((host, at) => claimed(host, `host ${at}`, `PAY${at}`)));
    for (let row = 1; row <= 20; row += 1) {
      await one.ask("UPDATE batch SET stop = NULL, isProven = false");
      const commit = (no: number, outcomes: readonly Outcome[], free: number): Promise<(Answer | undefined)[]> =>
        Promise.all(hosts.map((host, at) => host.commit(held[at] as Held, no, outcomes, free)));
      await commit(2 * row - 1, [], 1);
      const stop = { code: "key_refused", all: true };
      expect(await commit(2 * row, [{ row, to: "accepted", stop }], 0)).toMatchObject(hosts.map(() => ({ stop })));
    }
  });

  test("one commit comes twice at the same moment → it is made once", async () => {
    const [person, host, again] = (await sessions(3)) as [Shares, Shares, Shares];
    const seq = await person.batch("PAY", 4);
    const held = await claimed(host, "host 1", "PAY");
    await host.commit(held, 1, [], 1);
    await person.ask("BEGIN");
    await person.move(seq, [4], ["ready"], "held");
    const both = [host, again];
    const answers = await person.endsBefore(both, () =>
      Promise.all(both.map((one) => one.commit(held, 2, [{ row: 1, to: "ready" }], 1))),
    );
    expect(answers.map(rowsOf)).toEqual([[2], [2]]);
    expect(await person.states(seq)).toBe("1 ready, 2 on its way, 3 ready, 4 held");
    expect(await person.ask("SELECT letGo FROM share")).toEqual([{ letGo: 2 }]);
    expect(await person.ask("SELECT attempts FROM rows WHERE row = 1")).toEqual([{ attempts: 1 }]);
  });

  test("one of two shares was taken over → the other's outcomes are in", async () => {
    const [one] = await sessions(1);
    const seq = await one.batch("PAY", 2, 2);
    await one.ask("UPDATE batch SET isProven = true");
    const shares = [await claimed(one, "host 1", "PAY"), await claimed(one, "host 1", "PAY")] as const;
    await one.commitAll(shares.map((held) => ({ held, no: 1, free: 1, outcomes: [] })));
    await one.leaseIsOver(shares[0]);
    await one.takeOver();
    const outcomes = ([1, 3] as const).map((row) => [{ row, to: "accepted" }] as const);
    const answers = await one.commitAll(
      shares.map((held, at) => ({ held, no: 2, free: 1, outcomes: outcomes[at] ?? [] })),
    );
    expect(answers).toMatchObject([{ share: 1, leaving: [{ row: 4 }] }]);
    expect(await one.states(seq)).toBe("1 unknown, 2 ready, 3 accepted, 4 on its way");
  });

  test("an outcome of a row that is not on its way → nothing of the commit is done", async () => {
    const [one] = await sessions(1);
    const seq = await one.batch("PAY", 3);
    const held = await claimed(one, "host 1", "PAY");
    await one.commit(held, 1, [], 1);
    const both = [1, 2].map((row) => ({ row, to: "accepted" }) as const);
    await expect(one.commit(held, 2, both, 1)).rejects.toThrow("was not on its way");
    expect(await one.states(seq)).toBe("1 on its way, 2 ready, 3 ready");
  });
});

/** As the committer knows a share that was claimed. */
const heldBy = ({ id, batch: seq, share: nth, epoch }: Held): HeldShare => ({
  ...bareShare(id),
  seq,
  nth,
  epoch,
  no: 0,
});

describePostgres("a server that was away", () => {
  /** One that holds a share, has made two commits, and loses its session. */
  async function cutOff(meanwhile: string): Promise<{ again: () => Promise<unknown>; states: () => Promise<string> }> {
    const url = await freshDatabase();
    const one = await Shares.create(url);
    const seq = await one.batch("PAY", 4, 2);
    await one.ask("UPDATE batch SET isProven = true");
    const [held, other] = [await claimed(one, "host 1", "PAY"), await claimed(one, "host 1", "PAY")].map((share) =>
      heldBy(share),
    ) as [HeldShare, HeldShare];
    const postgres = await Postgres.open({ url, isSender: true });
    const trust = new Trust(postgres, new Witness(temporaryDirectory(), "journal"), "host 1");
    const committer = new Committer(postgres, "host 1", trust);
    onTestFinished(() => {
      committer.close();
      return postgres.close();
    });
    for (const share of [held, other]) committer.hold(share);
    const commit = async (share: HeldShare, ...outcomes: Commit["outcomes"][number][]): Promise<unknown> =>
      (await committer.commit([{ share, outcomes, freeLanes: 1 }]))[0];
    await commit(other);
    const outcome = { row: 1, state: "accepted", code: "http_200", tries: 1 } as const;
    await commit(held);
    await commit(held, outcome);
    await one.ask(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()",
    );
    await one.ask(`ALTER TABLE share DISABLE TRIGGER ALL; ${meanwhile}`);
    return {
      again: () => commit(held, { ...outcome, row: 2 }),
      states: () => one.states(seq),
    };
  }

  test("it knows all → the next commit goes on", async () => {
    const { again, states } = await cutOff("");
    expect(await again()).toMatchObject({ isLost: false, leaving: [{ row: 3 }] });
    expect(await states()).toBe(
      "1 accepted, 2 accepted, 3 on its way, 4 ready, 5 on its way, 6 ready, 7 ready, 8 ready",
    );
  });

  test("the share was taken over → it is lost to this host, and nothing else", async () => {
    const { again } = await cutOff("UPDATE share SET epoch = epoch + 1, owner = NULL, commitNo = 0");
    expect(await again()).toMatchObject({ isLost: true, leaving: [] });
  });

  test.each([
    ["a commit", "UPDATE share SET mark = 0, commitNo = 0 WHERE share = 0"],
    ["a commit of another share", "UPDATE share SET mark = 0, commitNo = 0 WHERE share = 1"],
    ["the claim", "UPDATE share SET mark = 0, commitNo = 0, epoch = epoch - 1, owner = NULL WHERE share = 0"],
  ])("it has forgotten %s → nothing more goes", async (_, forget) => {
    const { again } = await cutOff(forget);
    await expect(again()).rejects.toMatchObject({ reason: "server_lost_commit" });
  });
});
