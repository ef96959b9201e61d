import { mask } from "../mask.ts";
import type { Operation } from "../operations/operation.ts";
import { printable } from "../printable.ts";

const EXCERPT_CHARACTERS_MAX = 200;

/**
 * What may be kept of an answer (I10, C11): without our secrets, with the row's own account numbers, addresses and
 * names masked, on one line, short. `conceal` replaces secrets in every encoding.
 */
export function excerptOf(
  body: string,
  payload: string,
  operation: Operation,
  conceal: (text: string) => string,
): string | undefined {
  if (body.trim() === "") return undefined;
  let text = body;
  const fields = JSON.parse(payload) as Record<string, unknown>;
  for (const form of operation.forms) {
    for (const field of form.fields) {
      const value = fields[field.name];
      if (field.sensitive === undefined || typeof value !== "string" || value.length < 4) continue;
      text = text.replaceAll(value, mask(value, field.sensitive));
    }
  }
  // cut only after replacing, so that no secret survives at the edge; first roughly, so that long bodies stay cheap
  return printable(
    conceal(text)
      .slice(0, EXCERPT_CHARACTERS_MAX * 2)
      .trim(),
    EXCERPT_CHARACTERS_MAX,
  );
}
