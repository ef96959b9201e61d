import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { personNamed, personOrLogin, textSaid } from "../../src/commands/who.ts";
import type { Config } from "../../src/config/config.ts";

const saying = (by?: string): Config => ({ ...(by === undefined ? {} : { by }) }) as Config;

test("a person is named as on one line of a terminal, and has one", () => {
  expect(personNamed(saying(" Asha\u001b[2K Verma "), "x")).toBe("Asha\\u{1b}[2K Verma");
  expect(personNamed(saying("A".repeat(200)), "x")).toHaveLength(80);
  for (const nobody of [undefined, "", "  "]) {
    expect(() => personNamed(saying(nobody), "paydrop release X --by NAME")).toThrow(
      "the name of the person who decides",
    );
  }
});

test("no person has the name under which the program's own acts stand", () => {
  for (const name of ["paydrop", "PayDrop "]) {
    expect(() => personNamed(saying(name), "x")).toThrow("paydrop is not a person");
    expect(() => personOrLogin(saying(name))).toThrow("paydrop is not a person");
  }
});

test("where nobody is named, what a login did is told as such", () => {
  expect(personOrLogin(saying(" Ravi ")).act("pause", "wrong file")).toEqual({
    by: "Ravi",
    kind: "pause",
    note: "wrong file",
  });
  const who = personOrLogin(saying(" "));
  expect(who.by).toBe(userInfo().username);
  expect(who.act("pause", "wrong file", undefined).note).toBe("wrong file; by login name");
  expect(who.act("pause").note).toBe("by login name");
});

test("what is said behind --note or --reason is one line, of a bounded length, or nothing", () => {
  expect(textSaid(" seen\nin the dashboard ")).toBe("seen\\nin the dashboard");
  expect(textSaid("x".repeat(5000))).toHaveLength(1000);
  for (const nothing of [undefined, true, "", " \n"]) expect(textSaid(nothing)).toBeUndefined();
});
