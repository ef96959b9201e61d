import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { expect, it } from "vitest";
import { guardCell } from "../../src/results/cell.ts";
import { tableIn } from "../../src/results/table.ts";

const CELL = fc.oneof(fc.string({ unit: "grapheme" }), fc.stringMatching(/^[a,;"'\r\n\t =+0-9-]*$/));

it("writes CSV as csv-stringify does, whatever the cells are", () => {
  fc.assert(
    fc.property(fc.array(fc.array(CELL, { minLength: 3, maxLength: 3 }), { minLength: 1 }), (records) => {
      const columns = ["one", "two", "three"];
      const table = tableIn("csv", { before: ["result_row"], after: ["result_batch"] }, columns);
      const rows = records.map((cells, index) => ({ number: index + 2, columns, cells }));
      const out = rows.map((row) => ({ before: [row.number], row, after: ["K7Q29F3M"] }));
      const text = `${String(table.begin())}${String(table.rows(out))}`;
      const expected = [
        ["result_row", ...columns, "result_batch"],
        ...rows.map((row) => [String(row.number), ...row.cells.map(guardCell), "K7Q29F3M"]),
      ];
      const options = { bom: true, record_delimiter: "windows", quote_record_delimiter: true } as const;
      expect(text).toBe(stringify(expected, options));
    }),
  );
});
