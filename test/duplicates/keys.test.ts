import { expect, test } from "vitest";
import fc from "fast-check";
import { isSameKey, keyOf, PaymentsDigest } from "../../src/duplicates/keys.ts";
import type { Key } from "../../src/duplicates/seen.ts";

const secret = "01".repeat(32);

test("a key has 132 bits, and is another one for another text, kind or secret", () => {
  const key = keyOf(secret, "payment", "payout asha 100");
  expect(key).toMatch(/^[\w-]{22}$/);
  expect(isSameKey(key, keyOf(secret, "payment", "payout asha 100"))).toBe(true);
  const others = [
    keyOf(secret, "payment", "payout asha 101"),
    keyOf(secret, "payee", "payout asha 100"),
    keyOf("02".repeat(32), "payment", "payout asha 100"),
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
  const payments = fc.array(fc.nat(9).map((number) => keyOf(secret, "payment", String(number))));
  fc.assert(
    fc.property(payments, fc.nat(), (all, at) => {
      const turned = [...all.slice(at % (all.length + 1)), ...all.slice(0, at % (all.length + 1))];
      expect(digestOf(turned)).toBe(digestOf(all));
      const more = keyOf(secret, "payment", "one more");
      expect(digestOf([...all, more])).not.toBe(digestOf(all));
      expect(digestOf([...all, more, more])).not.toBe(digestOf(all));
    }),
  );
});
