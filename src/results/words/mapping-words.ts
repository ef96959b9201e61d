import type { MappingSaid } from "../../events.ts";

/** `mapping hrms`; with an amount both ways where its unit is not the one that travels. */
export function mappingText({ name, amount }: MappingSaid): string {
  if (!amount) return `mapping ${name}`;
  const { unit, row, read, sent } = amount;
  return `mapping ${name}: amounts are ${unit}; row ${row} says ${read}, ${sent} is sent`;
}

/** The same for a program. */
export function mappingObject({ name, amount }: MappingSaid): Readonly<Record<string, unknown>> {
  if (!amount) return { name };
  const { unit, row, read, sent } = amount;
  return { name, amount_unit: unit, amount_row: row, amount_read: read, amount_sent: sent };
}
