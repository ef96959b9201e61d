import { randomInt } from "node:crypto";
import { inject, test } from "vitest";
import { FAULTS } from "../crash/server-faults.ts";
import { strikeOnce } from "../crash/server-torture.ts";
import { describeApart, ownServer } from "../support/postgres.ts";

/** The cheapest of `npm run torture -- --postgres --faults 200`. */
const CHEAPEST = ["commit cancelled", "trigger raises", "dump, same name"] as const;

// they wait for a lease more than they compute
describeApart("something is done to the server of three hosts", () => {
  test.concurrent.for(CHEAPEST)(
    "%s → nothing goes twice, nothing is lost",
    async (name, { expect, onTestFinished }) => {
      const template = await ownServer({}, onTestFinished);
      template.stopHard();
      const around = { hosts: 3, rows: 240, no: randomInt(1e9), random: () => 0.5, template };
      const fault = FAULTS[name] ?? expect.fail(name);
      const { faults } = await strikeOnce(name, fault, { ...around, servers: inject("postgresFolder") });
      expect(faults).toEqual([]);
    },
  );
});
