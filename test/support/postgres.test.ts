import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { describePostgres, freshDatabase, ownServer } from "./postgres.ts";

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 60_000 });
  client.on("error", () => undefined);
  await client.connect();
  onTestFinished(() => client.end().catch(() => undefined));
  return client;
}

async function only(client: pg.Client, sql: string): Promise<unknown> {
  return Object.values((await client.query<Record<string, unknown>>(sql)).rows[0] ?? {})[0];
}

describePostgres("a real Postgres", () => {
  test("two fresh databases → empty, apart, and durable", async () => {
    const [one, other] = [await connected(await freshDatabase()), await connected(await freshDatabase())];
    await one.query("CREATE TABLE pay (amount text)");
    expect(await only(other, "SELECT to_regclass('pay')")).toBeNull();
    expect(await only(one, "SHOW fsync")).toBe("on");
    expect(await only(one, "SHOW synchronous_commit")).toBe("on");
  });

  test("stopped hard and begun again → what was committed is there", async () => {
    const server = await ownServer();
    const client = await connected(server.url);
    await client.query("CREATE TABLE pay (amount text)");
    await client.query("BEGIN");
    await client.query("INSERT INTO pay VALUES ('100.00')");
    server.stopHard();
    await expect(client.query("COMMIT")).rejects.toThrow();
    await expect(connected(server.url)).rejects.toThrow();
    server.start();
    expect(await only(await connected(server.url), "SELECT count(*) FROM pay")).toBe("0");
  });

  test("paused → nobody is answered until it goes on", async () => {
    const server = await ownServer({ synchronous_commit: "off" });
    const client = await connected(server.url);
    server.pause();
    let isAnswered = false;
    const asked = only(client, "SHOW synchronous_commit").finally(() => (isAnswered = true));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(isAnswered).toBe(false);
    server.resume();
    expect(await asked).toBe("off");
  });
});
