import { maskStrayAmount } from "../mask.ts";
import { printable } from "../printable.ts";
import type { LayoutProposal } from "../statements/propose.ts";
import { inColumns } from "./look.ts";

/** What a person looks at before they confirm how a statement is read: each column, as what, why, and its first values. */
export function layoutText(file: string, proposal: LayoutProposal): string {
  const heading = ["their column", "read as", "why", "first values"];
  const rows = proposal.names.map((name) => [name, ...meaningOf(name, proposal), valuesShown(name, proposal)]);
  const lines = [
    `${file}   read as a bank's statement`,
    ...inColumns([heading, ...rows]).map((line) => `  ${line}`),
    ...(proposal.hasDecimalComma ? ["amounts are written with a comma: 1.234,56"] : []),
  ];
  return lines.map((line) => `${printable(line)}\n`).join("");
}

function meaningOf(name: string, { columns, unclear }: LayoutProposal): readonly [as: string, why: string] {
  const found = columns.find(({ column }) => column === name);
  if (found) return [found.key, found.why];
  const open = unclear.find((one) => one.columns.includes(name));
  return ["-", open ? `may be ${open.key}, as another may; not read` : "not read"];
}

const CHARACTERS_MAX = 30;

/** Accounts are masked. */
function valuesShown(name: string, { valuesOf }: LayoutProposal): string {
  const first = [...new Set(valuesOf(name))].slice(0, 2);
  return first.map((value) => printable(maskStrayAmount(value), CHARACTERS_MAX)).join(", ");
}
