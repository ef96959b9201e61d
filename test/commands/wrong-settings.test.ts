import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { processFile } from "../../src/index.ts";
import * as wire from "../support/fault-server.ts";
import { AES_IV, AES_KEY, API_KEY, openDesk, transfersCsv } from "../support/desk.ts";
import { startService } from "../support/service.ts";

/** No connection is made in these tests. */
const FAR = "https://api.bank.invalid";

describe("settings that cannot be right are told before a file is taken in", () => {
  test("all at once, by name and place, without what they hold", async () => {
    const desk = openDesk(FAR, {
      PAYDROP_AES_KEY: AES_KEY.slice(2),
      PAYDROP_AES_IV: `${AES_IV}00`,
      HTTPS_PROXY: "user:word@proxy.example:3128",
    });
    const ca = desk.write("ca.pem", "no certificate");
    desk.write("t.csv", transfersCsv(2));
    desk.env["PAYDROP_CA_FILE"] = ca;
    desk.env["PAYDROP_CLIENT_CERT_FILE"] = join(desk.folder, "client.pem");
    desk.env["PAYDROP_CLIENT_KEY_FILE"] = ca;
    const { code, stdout, stderr } = await desk.run("t.csv");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/PAYDROP_AES_KEY has 62 characters.*; PAYDROP_AES_IV has 34 characters/);
    expect(stderr).toContain(`${ca}: the certificates to trust are not right`);
    expect(stderr).toMatch(/client\.pem cannot be read/);
    expect(stderr).toContain("HTTPS_PROXY is not the address of a proxy");
    expect(stderr).not.toContain("word");
    expect(existsSync(desk.stateDir)).toBe(false);
    expect(readdirSync(desk.folder).sort()).toEqual(["ca.pem", "t.csv"]);
  });

  test("by the library too", async () => {
    const desk = openDesk(FAR);
    const file = desk.write("t.csv", transfersCsv(1));
    writeFileSync(join(desk.folder, "ca.pem"), "");
    const keys = { apiKey: API_KEY, aesKey: AES_KEY, aesIv: AES_IV.slice(2) };
    const options = { baseUrl: FAR, stateDir: desk.stateDir, caFile: join(desk.folder, "ca.pem"), ...keys };
    await expect(processFile(file, options)).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(/AES_IV has 30 characters.*; .*ca\.pem: the certificates to trust/) as string,
    });
    expect(existsSync(desk.stateDir)).toBe(false);
  });
});

test("a base URL that brings /v1 along is told before the first row, with what would be right", async () => {
  const server = await startService(({ path }) => wire.answer(path.startsWith("/v1/v1/") ? 404 : 200));
  const desk = openDesk(`${server.url}/v1`);
  desk.write("t.csv", transfersCsv(2));
  const { code, stderr } = await desk.run("t.csv");
  expect(code).toBe(7);
  expect(stderr).toMatch(/^.*PAYDROP_BASE_URL: rows go to .*\/v1\/v1\/…/);
  expect(stderr).toContain(`right would be ${server.url}, unless`);
  desk.env["PAYDROP_BASE_URL"] = server.url;
  const byFlag = await desk.run("t.csv", "--base-url", `${server.url}/v1`, "--accept-destination");
  expect(byFlag.stderr).toMatch(/^.*--base-url: rows go to .*\/v1\/v1\/…/);
  const right = await desk.run("t.csv", "--accept-destination");
  expect({ code: right.code, counts: right.counts }).toEqual({ code: 0, counts: { accepted: 2 } });
  expect(right.stderr).not.toContain("/v1/v1");
});
