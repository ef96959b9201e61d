import { expect, test } from "vitest";
import type { OperationName } from "../../src/operations/operation.ts";
import { correctionLines, CorrectionsHeard } from "../../src/results/words/correction-words.ts";

function headOf(...operations: readonly OperationName[]): string | undefined {
  const heard = new CorrectionsHeard();
  for (const [index, operation] of operations.entries()) {
    const changes = [{ column: "vpa", from: "a••@b", to: "c••@b" }];
    heard.add({ number: index + 2, operation, correction: { of: { batch: "K7Q29F3M", row: 2 }, changes, payeeChanged: true } }); // prettier-ignore
  }
  const said = heard.said();
  return said && correctionLines(said)[0];
}

test("who is another one is called what they are: money is collected from a payer, and a borrower applies", () => {
  expect(headOf("payout")).toBe("1 row corrects an earlier one, 1 with another payee account");
  expect(headOf("collection", "collection")).toBe("2 rows correct earlier ones, 2 with another payer");
  expect(headOf("loan")).toBe("1 row corrects an earlier one, 1 with another borrower");
  expect(headOf("transfer", "collection")).toBe("2 rows correct earlier ones, 2 with another payee account or payer");
});
