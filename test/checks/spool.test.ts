import { appendFileSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSpool, openSpool } from "../../src/checks/spool.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

const PAYLOADS = ['{"a":1}', '{"name":"रवि 😀"}', `{"notes":"${"x".repeat(400_000)}"}`, '{"b":2}'];

test("payloads → come back byte for byte, in any order; the file is private", () => {
  const path = join(temporaryDirectory(), "K7Q29F3M.spool");
  const made = createSpool(path);
  const places = PAYLOADS.map((payload) => made.add(payload));
  made.close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, "utf8")).toBe(PAYLOADS.map((one) => `${one}\n`).join(""));
  const spool = openSpool(path);
  const read = places.toReversed().map((lying) => spool.read(lying));
  spool.close();
  expect(read).toEqual(PAYLOADS.toReversed());
});

test("a spool that is cut, or a place that is none → nothing is read", () => {
  const path = join(temporaryDirectory(), "K7Q29F3M.spool");
  const made = createSpool(path);
  const [first, last] = [made.add('{"a":{}}'), made.add('{"b":22}')];
  made.close();
  const spool = openSpool(path);
  const wrong = { reason: "spool_damaged" };
  expect(() => spool.read({ ...first, size: first.size - 1 })).toThrow(expect.objectContaining(wrong));
  expect(() => spool.read({ ...first, place: first.place + 1 })).toThrow(expect.objectContaining(wrong));
  expect(() => spool.read({ ...first, size: 1_000 })).toThrow(expect.objectContaining(wrong));
  spool.close();
  truncateSync(path, last.place + last.size - 1);
  const cut = openSpool(path);
  expect(cut.read(first)).toBe('{"a":{}}');
  expect(() => cut.read(last)).toThrow(expect.objectContaining(wrong));
  appendFileSync(path, "]");
  expect(() => openSpool(path).read(last)).toThrow(expect.objectContaining(wrong));
  truncateSync(path, last.place + last.size - 1);
  appendFileSync(path, "}");
  expect(cut.read(last)).toBe('{"b":22}');
  cut.close();
});

test("no spool → said as that", () => {
  expect(() => openSpool(join(temporaryDirectory(), "none"))).toThrow(
    expect.objectContaining({ reason: "spool_missing" }),
  );
});
