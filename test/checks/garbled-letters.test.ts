import { describe, expect, test } from "vitest";
import { GOOD_ROWS, checkOne } from "../support/rows.ts";

const PAYOUT = GOOD_ROWS.payout;

/** What is pointed out of a narration. */
function said(narration: string): readonly string[] | undefined {
  const { instruction, warnings } = checkOne("payout", { ...PAYOUT, narration });
  expect(instruction?.payload).toContain(JSON.stringify(narration));
  return warnings?.map(({ code, column, message, hint }) => `${column ?? ""} ${code}: ${message} → ${hint}`);
}

describe("text that was opened in a wrong encoding and saved is pointed out, and goes as it is", () => {
  test.each([
    ["RenÃ© Ã‰tienne", '"Ã©" where "é" was'],
    ["à¤°à¤µà¤¿ rent", '"à¤°à¤µà¤¿" where "रवि" was'],
    ["SÃ¸ren â€“ SÃ¶hne", '"Ã¸" where "ø" was'],
  ])("%s", (text, found) => {
    expect(said(text)).toEqual([
      `narration letters_garbled: "${text}" seems to have been opened in a wrong encoding and saved so, with ${found} → Compare it with the original, and write it again; save the file from its original as "CSV UTF-8".`,
    ]);
  });

  test.each([
    "René Étienne",
    "रवि",
    "CORAÇÃO",
    "SÃO JOSÉ",
    "Müller & Söhne",
    "5 °C",
    "Ã",
    "Ã©té à demain",
    "中村",
    "😀",
    "“x”",
  ])("%s is what it says", (text) => {
    expect(said(text)).toBeUndefined();
  });

  test("in every text of a row, with its cell; of a name no more than the letters", () => {
    const { warnings } = checkOne("payout", { ...PAYOUT, name: "RenÃ© Rao", bank_owner_name: "RenÃ© Rao" });
    expect(warnings?.map(({ code, cell }) => `${cell ?? ""} ${code}`)).toEqual([
      "B2 letters_garbled",
      "H2 letters_garbled",
    ]);
    expect(JSON.stringify(warnings)).toContain('\\"Ã©\\" where \\"é\\" was');
  });
});
