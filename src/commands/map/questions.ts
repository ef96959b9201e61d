import type { Config } from "../../config/config.ts";
import { PaydropError } from "../../errors.ts";
import { isOfParty, operationSaid } from "../../operations/catalogue.ts";
import { printable, quotedNames } from "../../text/printable.ts";
import { otherMeasureIn, proposeMappings, type Proposal } from "../../reader/mapping/propose.ts";
import type { ProposalClues } from "../../reader/mapping/propose-columns.ts";
import { ask, canAsk } from "../ask.ts";
import type { Call } from "../command.ts";
import { assertConstant, assertHasFields, wayToColumn } from "./constants.ts";
import { columnNamed } from "./flags.ts";

export interface Answered {
  readonly proposal: Proposal;
  readonly clues: ProposalClues;
}

/** The proposal, after what it lacks was asked on a terminal. */
export async function askedOut(
  call: Call,
  config: Config,
  first: ProposalClues,
  show: (answered: Answered) => void,
): Promise<Answered> {
  let clues = first;
  const isAsking = canAsk(call) && !config.json && !config.quiet;
  for (;;) {
    const proposals = proposeMappings(clues);
    const [proposal] = proposals;
    if (!proposal) {
      const message = `there is no option "${clues.option ?? ""}"`;
      throw new PaydropError("usage", message, "write --option A or --option B");
    }
    if (proposals.length > 1) {
      const names = proposals.map((one) => one.operation);
      if (!isAsking) throw ambiguous(names);
      const operation = operationSaid(await ask(call, `What are the rows: ${names.join(", ")}? `))?.name;
      if (operation) clues = { ...clues, operation };
      continue;
    }
    assertHasFields(proposal, clues);
    const [lacking] = lackingIn(proposal);
    if (lacking === undefined || !isAsking) return { proposal, clues };
    // a person answers with the columns before their eyes
    if (clues === first) show({ proposal, clues });
    clues = await answeredOnce(call, clues, lacking, proposal);
  }
}

/** The clues with one answer more. Throws `usage` at an empty answer, which ends the questions. */
async function answeredOnce(
  call: Call,
  clues: ProposalClues,
  lacking: string,
  proposal: Proposal,
): Promise<ProposalClues> {
  if (lacking === UNIT) {
    const other = otherMeasureOf(proposal);
    const first = other === undefined ? "" : `${other} `;
    const unit = await ask(call, `${first}Are the amounts rupees or paise? A hundredth of paise is sent. `);
    if (unit === "rupees" || unit === "paise") return { ...clues, unit };
    if (unit !== "") return clues;
    throw new PaydropError("usage", "the unit of the amounts is not known", SAY_UNIT);
  }
  const said = unclearWords(proposal, lacking).map((words) => `${words}. `);
  const wanted = isOfParty(lacking)
    ? "the name of a column in [ ]"
    : "one value for every row, or the name of a column in [ ]";
  const answer = await ask(call, `${said.join("")}${lacking}: ${wanted}: `);
  if (answer === "") throw new PaydropError("usage", `nothing gives ${lacking}`, "nothing was written");
  const [, column] = /^\[(.+)\]$/.exec(answer) ?? [];
  if (column !== undefined) {
    return { ...clues, set: { ...clues.set, [lacking]: columnNamed(column, clues.columns, lacking) } };
  }
  const constant = { from: lacking, field: lacking, value: answer };
  assertConstant(constant, clues.columns, (_, name) => `[${printable(name)}]`);
  return { ...clues, constants: { ...clues.constants, [lacking]: answer } };
}

const UNIT = "amount_unit";
const SAY_UNIT = "--unit rupees or --unit paise";

function ambiguous(names: readonly string[]): PaydropError {
  const flags = names.map((name) => `--operation ${name}`);
  return new PaydropError("usage", `these columns could be ${names.join(" or ")}`, flags.join(" or "));
}

/** Fields that must be said before a mapping can be written, and the unit of the amounts where nobody said it. */
export function lackingIn({ form, missing, unclear, unit }: Proposal): readonly string[] {
  // a field that a row may leave out may be missing in the mapping too, but not one whose default would be sent
  const needed = form.fields.filter((field) => field.required || field.default !== undefined);
  const asked = unclear.filter(({ field }) => needed.some(({ name }) => name === field)).map(({ field }) => field);
  return [...missing, ...asked, ...(unit || asked.includes("amount") ? [] : [UNIT])];
}

function unclearWords({ unclear }: Proposal, field: string): string[] {
  return unclear.filter((one) => one.field === field).map(({ columns }) => `${quotedNames(columns)} could each be ${field}`); // prettier-ignore
}

function otherMeasureOf({ columns }: Proposal): string | undefined {
  const column = columns.find(({ field }) => field === "amount")?.column ?? "";
  const other = otherMeasureIn(column);
  return other === undefined ? undefined : `The column ${quotedNames([column])} says ${printable(other)}: nothing is converted.`; // prettier-ignore
}

/** To be thrown for a proposal that cannot be a mapping yet. */
export function lackingError(lacking: readonly string[], proposal: Proposal, header: readonly string[]): PaydropError {
  const { columns, mustBe, lookups, unclear } = proposal;
  const used = new Set([...columns, ...mustBe].map(({ column }) => column));
  for (const { by } of lookups) used.add(by);
  for (const column of unclear.flatMap((one) => one.columns)) used.add(column);
  const free = header.filter((column) => !used.has(column));
  const ways = lacking.map((field) => {
    if (field === UNIT) return SAY_UNIT;
    if (unclear.some((one) => one.field === field)) return `--set ${field}=COLUMN`;
    // one payee or one amount for everybody is nobody's payroll
    if (isOfParty(field) || field === "amount") return wayToColumn(field);
    return `--const ${field}=VALUE or --set ${field}=COLUMN`;
  });
  const among = free.length > 0 ? `; columns without a meaning: ${quotedNames(free)}` : "";
  const nothing = lacking.filter((field) => !unclear.some((one) => one.field === field));
  const parts = [
    ...lacking.flatMap((field) => unclearWords(proposal, field)),
    ...(nothing.length > 0 ? [`nothing gives ${nothing.join(", ")}${among}`] : []),
  ];
  const other = lacking.includes(UNIT) ? otherMeasureOf(proposal) : undefined;
  const hint = `add ${ways.join("; ")}`;
  return new PaydropError("usage", parts.join("; "), other === undefined ? hint : `${other} ${hint}`);
}
