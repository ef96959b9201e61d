import { isTransfer } from "./office-files.ts";
import type { Written } from "./office-files.ts";
import type { PaymentRow } from "./payments.ts";
import type { Request } from "./two-services.ts";

/** Of a file in our own columns. */
const PLAIN = "salary";

/** How files of another system are read, by a mapping that people change: each batch as it was at first, to its end. */
export class Readings {
  /** What the mapping and its table make of a row now. */
  says: string | undefined;
  readonly #mapped = new Set<string>();
  /** Of each batch, by when it was first seen. */
  readonly #first = new Map<string, string | undefined>();

  know({ sha256, isMapped }: Written): void {
    if (isMapped) this.#mapped.add(sha256);
  }

  /** What went otherwise than every batch that has the payment says. */
  look(rows: readonly PaymentRow[], requests: readonly Request[]): string[] {
    for (const { batch, sha256 } of rows) {
      if (!this.#first.has(batch)) this.#first.set(batch, this.#mapped.has(sha256) ? this.says : PLAIN);
    }
    return requests.flatMap(({ payment, marker, said }) => {
      if (isTransfer(marker)) return [];
      const expected = rows.filter((row) => row.payment === payment).map(({ batch }) => this.#first.get(batch));
      return expected.includes(said) ? [] : [`${payment} went as ${said}, its batches say ${expected.join(", ")}`];
    });
  }
}
