import { describe } from "vitest";
import { describePostgres } from "../support/postgres.ts";
import { openTestJournal } from "./postgres-store.ts";
import { describeJournalStore } from "./store-contract.ts";
import { letsRowsGoByTurns } from "./turns-contract.ts";

describePostgres("a journal in Postgres", () => {
  describeJournalStore("Postgres", openTestJournal);
  describe("Postgres by the model of turns", () => letsRowsGoByTurns(openTestJournal));
});
