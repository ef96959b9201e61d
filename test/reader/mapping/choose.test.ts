import { describe, expect, test } from "vitest";
import { operationsComplete } from "../../../src/checks/operation-of.ts";
import type { Mapping } from "../../../src/config/mapping.ts";
import type { FileFault } from "../../../src/errors.ts";
import { chooseMapping } from "../../../src/reader/mapping/choose.ts";
import { asWord } from "../../../src/text/printable.ts";
import { TEMPLATES, templateOf } from "../../../src/reader/mapping/templates.ts";
import { mappingsOf, transferToml } from "../../support/mappings.ts";

const HRMS = transferToml("hrms", "rupees");

function choose(
  columns: readonly string[],
  toml: string,
  wanted?: string,
  path = "pay.csv",
): Mapping | FileFault | undefined {
  return chooseMapping({
    columns,
    mappings: mappingsOf(toml),
    ownOperations: operationsComplete(columns),
    path,
    ...(wanted === undefined ? {} : { wanted }),
  });
}

function said(columns: readonly string[], toml: string, wanted?: string): string {
  const chosen = choose(columns, toml, wanted);
  if (!chosen) return "ours";
  return "code" in chosen ? `${chosen.code}: ${chosen.message}` : chosen.name;
}

const OURS = ["from_account", "to_account", "amount"];

describe("a mapping is for exactly the columns that were confirmed", () => {
  test.each([
    ["in any order", ["Net Pay", "Ref", "Payee Account"]],
    ["in any writing of the names", ["net_pay ", "REF", "payee-account"]],
    ["with the columns that a retry file adds", ["Ref", "Payee Account", "Net Pay", "retry_message", "retry_of"]],
    ["with empty columns that a spreadsheet adds", ["Ref", "Payee Account", "Net Pay", "", " "]],
  ])("%s", (_, columns) => {
    expect(said(columns, HRMS)).toBe("hrms");
  });

  test("a column more, a column less, another name: refused, and what differs is named", () => {
    expect(said(["Ref", "Payee Account", "Net Pay", "Month"], HRMS)).toBe(
      'mapping_differs: these are nearly the columns of the mapping hrms, but with "Month" beside them',
    );
    expect(said(["Payee Account", "Net Pay"], HRMS)).toBe(
      'mapping_differs: these are nearly the columns of the mapping hrms, but without "Ref"',
    );
    expect(said(["Ref", "Payee Account", "Gross Pay"], HRMS)).toBe(
      'mapping_differs: these are nearly the columns of the mapping hrms, but without "Net Pay" and with "Gross Pay" beside them',
    );
  });

  test("another file altogether is none of its business", () => {
    expect(said(OURS, HRMS)).toBe("ours");
    expect(said(["Grade", "City", "Net Pay", "Mode"], HRMS)).toBe("ours");
  });
});

describe("which one", () => {
  const BOTH = HRMS + transferToml("old", "paise");
  const columns = ["Ref", "Payee Account", "Net Pay"];

  test("two that fit are a question, and a person's word answers it", () => {
    const asked = choose(columns, BOTH) as FileFault;
    expect(asked.code).toBe("mapping_ambiguous");
    expect(asked.hint).toBe("Say which is meant: --mapping hrms or --mapping old or --mapping none.");
    expect([said(columns, BOTH, "old"), said(columns, BOTH, "none")]).toEqual(["old", "ours"]);
  });

  test("the word does not make a mapping fit, nor name one that is not there", () => {
    expect(said([...columns, "Month"], BOTH, "hrms")).toMatch(/^mapping_differs: .*"Month"/);
    expect(() => choose(columns, BOTH, "hrsm")).toThrow('there is no mapping "hrsm"');
  });

  test("our own columns in paise are a question too; in rupees there is nothing to ask", () => {
    const own = (unit: string): string =>
      `[mapping.own]\noperation="transfer"\namount_unit="${unit}"\nheader=["from_account","to_account","amount"]\n` +
      `[mapping.own.columns]\nfrom_account="from_account"\nto_account="to_account"\namount="amount"\n`;
    expect(said(OURS, own("paise"))).toMatch(/^mapping_ambiguous/);
    expect(said([...OURS, "memo"], own("paise"))).toMatch(/^mapping_differs/);
    expect(said(OURS, own("rupees"))).toBe("own");
    expect(said([...OURS, "memo"], own("rupees"))).toBe("ours");
  });
});

describe("published templates", () => {
  const headers = TEMPLATES.flatMap((template) => template.headers.map((header) => [template.name, header] as const));

  test.each(headers)("%s is known by its header, and not read before a person confirmed it", (name, header) => {
    expect(templateOf(header)?.name).toBe(name);
    expect(said(header, HRMS)).toMatch(/^mapping_unconfirmed: /);
    expect((choose(header, "") as FileFault).hint).toContain("paydrop map pay.csv");
    expect(said(header, HRMS, "none")).toBe("ours");
  });

  test("the command that is told can be copied, wherever the file lies and whatever it is called", () => {
    const path = "/srv/pay roll/Ravi's salaries of November, the second and corrected list of all branches.csv";
    const copied = `paydrop map ${asWord(path)}`;
    const [header = []] = TEMPLATES.flatMap(({ headers: known }) => known);
    expect((choose(header, "", undefined, path) as FileFault).hint).toContain(`${copied} shows`);
    expect((choose(["Ref", "Net Pay"], HRMS, "hrms", path) as FileFault).hint).toContain(`${copied}; --mapping`);
  });

  test("Cashfree's columns would pass for collection requests: they are asked about first", () => {
    const cashfree = TEMPLATES.find(({ name }) => name === "cashfree")?.headers[0] ?? [];
    expect(operationsComplete(cashfree)).toEqual(["collection"]);
    expect(said(cashfree, "")).toMatch(/^mapping_unconfirmed: .*Cashfree/);
  });

  test("a file of PayPal has no header row", () => {
    expect(said(["asha@mail.example", "100.5", "USD", "ID001", "Here is your payment", "PAYPAL"], "")).toMatch(
      /^mapping_headerless/,
    );
  });

  test("a first row of values is no header either, and none of them is shown", () => {
    const said = choose(["ACC1", "Asha Rao", "501000011101", "HDFC0001234", "100.00", "asha@firm.example"], "");
    expect(said).toMatchObject({ code: "header_missing" });
    expect(JSON.stringify(said)).not.toMatch(/5010|Asha|asha/);
    expect(choose(["Emp No", "Pay 2026", "2025", "2026"], "")).toBeUndefined();
  });

  test.each([
    ["razorpayx", "paise"],
    ["razorpayx-paise", "rupees"],
  ] as const)("%s is never read as %s", (name, unit) => {
    const header = TEMPLATES.find((template) => template.name === name)?.headers[0] ?? [];
    const amount = name === "razorpayx" ? "Fund Account Phone Number" : "Payout Amount";
    const toml = [
      `[mapping.rzp]\noperation="payout"\noption="B"\namount_unit="${unit}"`,
      `header=${JSON.stringify(header)}`,
      `[mapping.rzp.columns]\n"${amount}"="amount"\n"Payout Mode"="payment_mode"\n"Fund Account Name"=["name","bank_owner_name"]`,
      `"Fund Account Ifsc"="ifsc_code"\n"Fund Account Number"="bank_acc_num"`,
      `[mapping.rzp.constants]\ndebit_account_id="ACC-OPS-01"`,
    ].join("\n");
    expect(said(header, toml)).toMatch(/^mapping_unit: /);
    expect(said(header, toml, "rzp")).toMatch(/^mapping_unit: /);
  });
});
