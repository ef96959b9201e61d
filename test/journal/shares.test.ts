import { describePostgres } from "../support/postgres.ts";
import { letsRowsGoByShares } from "./shares-contract.ts";

describePostgres("shares by their model", letsRowsGoByShares);
