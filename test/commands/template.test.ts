import { describe, expect, test } from "vitest";
import { OPERATIONS } from "../../src/operations/catalogue.ts";
import { paydrop } from "../support/paydrop.ts";

const forms = OPERATIONS.flatMap((operation) =>
  operation.forms.map((form) => [operation.name, form.option, form] as const),
);

function operandsOf(name: string, option: string | undefined): string[] {
  return option === undefined ? ["template", name] : ["template", name, "--option", option];
}

describe("template", () => {
  test.each(forms)(
    "%s %s gives the header of the interface and two example rows, and nothing else",
    async (name, option, form) => {
      const { code, stdout, stderr } = await paydrop(operandsOf(name, option));
      expect(code).toBe(0);
      const [header, ...rows] = stdout
        .replace(/^\ufeff/, "")
        .trimEnd()
        .split("\r\n");
      expect(header?.split(",")).toEqual(form.fields.map((field) => field.name));
      expect(rows).toHaveLength(2);
      for (const row of rows) {
        expect(row.split(",")).toHaveLength(form.fields.length);
        expect(row).toContain("EXAMPLE");
      }
      expect(stderr).toContain("EXAMPLE");
      expect(stderr).toContain("Not known:");
    },
  );

  test.each(forms)("%s %s fills every required field", async (name, option, form) => {
    const { stdout } = await paydrop([...operandsOf(name, option), "--json"]);
    const rows = JSON.parse(stdout) as Record<string, unknown>[];
    expect(rows).toHaveLength(2);
    for (const row of rows) {
      expect(Object.keys(row)).toEqual(
        expect.arrayContaining(form.fields.filter((f) => f.required).map((f) => f.name)),
      );
      expect(typeof row["amount"]).toBe("number");
    }
  });

  test("amounts keep their digits in JSON too", async () => {
    expect((await paydrop(["template", "transfer", "--json"])).stdout).toContain('"amount": 1250.00');
  });

  test("a payout without an option is option B", async () => {
    expect((await paydrop(["template", "payout"])).stdout).toContain("bank_acc_num");
  });

  test("quiet leaves the notes out", async () => {
    expect((await paydrop(["template", "payout", "--quiet"])).stderr).toBe("");
  });
});
