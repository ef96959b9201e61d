import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { resumeCommand } from "../../src/batch/held-folder.ts";
import { asWord } from "../../src/text/printable.ts";

const NAMES = ["payroll.csv", "/srv/in box/Payroll (Nov) & co.csv", "O'Brien $HOME `date`.csv", "अप्रैल.csv", ""];

test.skipIf(process.platform === "win32")("a shell takes a name in a command to copy as the name itself", () => {
  const echoed = execFileSync("sh", ["-c", `printf '%s\\n' ${NAMES.map(asWord).join(" ")}`], { encoding: "utf8" });
  expect(echoed).toBe(`${NAMES.join("\n")}\n`);
  expect(asWord("payroll.csv")).toBe("payroll.csv");
  expect(resumeCommand("/srv/in box")).toBe("paydrop resume --inbox '/srv/in box' --by NAME");
});
