import type { Config } from "../config/config.ts";
import { PaydropError } from "../errors.ts";
import { operationSaid } from "../operations/catalogue.ts";
import { quotedNames } from "../printable.ts";
import { proposeMappings, type Proposal, type ProposalClues } from "../reader/mapping/propose.ts";
import { ask, canAsk } from "./ask.ts";
import type { Call } from "./command.ts";
import { columnNamed } from "./map-flags.ts";

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
    const [lacking] = lackingIn(proposal);
    if (lacking === undefined || !isAsking) return { proposal, clues };
    // a person answers with the columns before their eyes
    if (clues === first) show({ proposal, clues });
    clues = await answeredOnce(call, clues, lacking);
  }
}

/** One answer more. An empty one ends the questions. */
async function answeredOnce(call: Call, clues: ProposalClues, lacking: string): Promise<ProposalClues> {
  if (lacking === UNIT) {
    const unit = await ask(call, "Are the amounts rupees or paise? A hundredth of paise is sent. ");
    if (unit === "rupees" || unit === "paise") return { ...clues, unit };
    if (unit !== "") return clues;
    throw new PaydropError("usage", "the unit of the amounts is not known", SAY_UNIT);
  }
  const answer = await ask(call, `${lacking}: one value for every row, or the name of a column in [ ]: `);
  if (answer === "") throw new PaydropError("usage", `nothing gives ${lacking}`, "nothing was written");
  const [, column] = /^\[(.+)\]$/.exec(answer) ?? [];
  return column === undefined
    ? { ...clues, constants: { ...clues.constants, [lacking]: answer } }
    : { ...clues, set: { ...clues.set, [lacking]: columnNamed(column, clues.columns, lacking) } };
}

const UNIT = "amount_unit";
const SAY_UNIT = "--unit rupees or --unit paise";

function ambiguous(names: readonly string[]): PaydropError {
  const flags = names.map((name) => `--operation ${name}`);
  return new PaydropError("usage", `these columns could be ${names.join(" or ")}`, flags.join(" or "));
}

/** Required fields that nothing gives, and the unit of the amounts where nobody said it. */
export function lackingIn({ missing, unit }: Proposal): readonly string[] {
  return [...missing, ...(unit ? [] : [UNIT])];
}

/** To be thrown for a proposal that cannot be a mapping yet. */
export function lackingError(
  lacking: readonly string[],
  { columns, mustBe, lookups }: Proposal,
  header: readonly string[],
): PaydropError {
  const used = new Set([...columns, ...mustBe].map(({ column }) => column));
  for (const { by } of lookups) used.add(by);
  const free = header.filter((column) => !used.has(column));
  const ways = lacking.map((field) => {
    if (field === UNIT) return SAY_UNIT;
    if (field.startsWith("bene_")) return `--lookup ${field}=TABLE.csv:COLUMN --lookup-by COLUMN`;
    // one amount for everybody is nobody's payroll
    if (field === "amount") return `--set ${field}=COLUMN`;
    return `--const ${field}=VALUE or --set ${field}=COLUMN`;
  });
  const among = free.length > 0 ? `; columns without a meaning: ${quotedNames(free)}` : "";
  return new PaydropError("usage", `nothing gives ${lacking.join(", ")}${among}`, `add ${ways.join("; ")}`);
}
