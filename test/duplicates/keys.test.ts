import { expect, test } from "vitest";
import fc from "fast-check";
import { createKeys, isSameKey, PaymentsDigest } from "../../src/duplicates/keys.ts";
import type { Key } from "../../src/duplicates/seen.ts";

const secret = "01".repeat(32);

test("a key has 132 bits, and is another one for another text, kind or secret", () => {
  const keys = createKeys(secret);
  const key = keys.of("payment", "payout asha 100");
  expect(key).toMatch(/^[\w-]{22}$/);
  expect(isSameKey(key, createKeys(secret).of("payment", "payout asha 100"))).toBe(true);
  const others = [
    keys.of("payment", "payout asha 101"),
    keys.of("payee", "payout asha 100"),
    createKeys("02".repeat(32)).of("payment", "payout asha 100"),
  ];
  expect(others.some((other) => isSameKey(key, other))).toBe(false);
  expect([isSameKey(key, undefined), isSameKey(undefined, undefined)]).toEqual([false, false]);
});

const digestOf = (payments: readonly Key[]): string => {
  const digest = new PaymentsDigest();
  for (const payment of payments) digest.add(payment);
  return digest.value();
};

test("the digest of a file → whatever their order, and every payment counts as often as it stands there", () => {
  const keys = createKeys(secret);
  const payments = fc.array(fc.nat(9).map((number) => keys.of("payment", String(number))));
  fc.assert(
    fc.property(payments, fc.nat(), (all, at) => {
      const turned = [...all.slice(at % (all.length + 1)), ...all.slice(0, at % (all.length + 1))];
      expect(digestOf(turned)).toBe(digestOf(all));
      const more = keys.of("payment", "one more");
      expect(digestOf([...all, more])).not.toBe(digestOf(all));
      expect(digestOf([...all, more, more])).not.toBe(digestOf(all));
    }),
  );
});
