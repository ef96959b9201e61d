import { describe, expect, test } from "vitest";
import { cellsOf, faultOf, read } from "../support/tables.ts";

describe("rows", () => {
  test("any values → the very characters of the file", async () => {
    const text = '[{"a":"x\\u00e9\\n","b":100.00,"c":true,"d":null,"e":{"f": [1]},"g":"\\ud800"}]';
    expect(await cellsOf("a.json", text)).toEqual([
      [
        "xé\n",
        { token: "number", source: "100.00" },
        { token: "boolean", source: "true" },
        { token: "null", source: "null" },
        { token: "nested", source: '{"f": [1]}' },
        "\ud800",
      ],
    ]);
  });

  test("same keys in the same order → one shared array of names; others their own", async () => {
    const { rows } = await read("a.json", '[{"a":1,"b":2},{"a":3,"b":4},{"b":5,"a":6},{"a":7,"b":8}]');
    expect(rows[1]?.columns).toBe(rows[0]?.columns);
    expect(rows[2]?.columns).toEqual(["b", "a"]);
    expect(rows[3]?.columns).toBe(rows[0]?.columns);
  });

  test("a key twice in a row → told of that row alone", async () => {
    const { rows } = await read("a.json", '[{"a":1,"A":2},{"a":1,"a":2},{"a":3}]');
    expect(rows.map(({ repeatedKey }) => repeatedKey)).toEqual(["A", "a", undefined]);
    expect(rows[1]).toMatchObject({ columns: ["a"], cells: [{ source: "2" }] });
  });

  test("thousands of rows, as a list, in a wrapper, by lines → in order, in pages", async () => {
    const objects = Array.from({ length: 20_000 }, (_, index) => `{"name":"}],\\"${index}","amount":${index}.50}`);
    const list = `[${objects.join(",\n")}]`;
    for (const [name, text] of [
      ["a.json", list],
      ["w.json", `{"rows":${list},"period":"2026-11"}`],
      ["a.jsonl", objects.join("\n\n")],
    ] as const) {
      const { table, rows } = await read(name, text);
      expect(rows).toHaveLength(20_000);
      expect(rows.every((row, index) => row.number === index + 1 && row.cells[0] === `}],"${index}`)).toBe(true);
      for await (const page of table.rows()) expect(page.length).toBeLessThanOrEqual(1000);
    }
  });
});

describe("wrapper", () => {
  const members = [
    '"operation":"payout"',
    '"period" : "2026-11"',
    '"control":{"rows":2,"total":11087750.50}',
    '"rows":[{"a":"1"}, {"a":"2"}]',
  ];

  test.each([[[0, 1, 2, 3]], [[3, 2, 1, 0]], [[2, 3, 0, 1]]])(
    "members in the order %j → known before the rows",
    async (order) => {
      const { table, rows } = await read("a.json", `{${order.map((index) => members[index]).join(",\n")}}`);
      expect(table.wrapper).toEqual({
        operation: "payout",
        period: "2026-11",
        control: { rows: 2, total: "11087750.50" },
      });
      expect(rows.map((row) => row.cells)).toEqual([["1"], ["2"]]);
    },
  );

  test.each([
    ['{"rows":[{"a":"1"}],"control":{"total":"10.00"}}', { control: { total: "10.00" } }],
    ['{"period":" ","rows":[{"a":"1"}]}', {}],
    ['[{"a":"1"}]', undefined],
  ])("%s → %j", async (text, wrapper) => {
    expect((await read("a.json", text)).table.wrapper).toEqual(wrapper);
  });

  test.each(["dry_run", "has_more", "execute_on", "currency", "total", "created", "Period"])(
    "%s beside the rows → refused, named",
    async (name) => {
      for (const text of [`{"${name}":true,"rows":[{"a":"1"}]}`, `{"rows":[{"a":"1"}],"${name}":null}`]) {
        expect(await faultOf(read("a.json", text))).toMatchObject({
          code: "json_beside_rows",
          text: expect.stringContaining(`"${name}"`) as string,
        });
      }
    },
  );

  test.each([
    ['{"operation":5,"rows":[{}]}', '"operation" is not a text'],
    ['{"control":"x","rows":[{}]}', '"control" is not'],
    ['{"control":{"rows":1.5},"rows":[{}]}', '"control" is not'],
    ['{"control":{"total":"1,000"},"rows":[{}]}', '"control" is not'],
    ['{"control":{"totl":1},"rows":[{}]}', '"control" is not'],
    ['{"control":{"rows":1,"rows":2},"rows":[{}]}', '"control" is not'],
    ['{"rows":[{}],"rows":[{}]}', "twice"],
    ['{"period":"a","period":"b","rows":[{}]}', "twice"],
    ['{"debit_account_id":"A","amount":5}', 'no list named "rows"'],
    ['{"rows":""}', 'no list named "rows"'],
  ])("%s → refused", async (text, words) => {
    expect(await faultOf(read("a.json", text))).toMatchObject({
      code: "json_wrapper",
      text: expect.stringContaining(words) as string,
    });
  });
});

describe("what breaks the file", () => {
  test.each([
    ["a trailing comma", '[{"a":"1"},]', "json_malformed", 2],
    ["a trailing comma in a row", '[{"a":"1"},{"a":"2",}]', "json_malformed", 2],
    ["NaN", '[{"a":NaN}]', "json_malformed", 1],
    ["a missing comma", '[{"a":"1"}{"a":"2"}]', "json_malformed", 1],
    ["single quotes", "[{'a':'1'}]", "json_malformed", 1],
    ["a raw line end in a text", '[{"a":"1\n2"}]', "json_malformed", 1],
    ["garbage behind the end", '[{"a":"1"}] x', "json_malformed", undefined],
    ["a second document", '{"rows":[{"a":"1"}]}{"rows":[]}', "json_malformed", undefined],
    ["mismatched brackets", '[{"a":[1}]}]', "json_malformed", 1],
    ["no colon", '{"rows" [{}]}', "json_malformed", undefined],
    ["truncated in a row", '[{"a":"1"},{"a":"2', "json_truncated", 2],
    ["truncated behind a row", '[{"a":"1"},{"a":"2"}', "json_truncated", 2],
    ["truncated behind a comma", '[{"a":"1"},', "json_truncated", 2],
    ["truncated behind the rows", '{"rows":[{"a":"1"}]', "json_truncated", undefined],
    ["truncated in a wrapper", '{"period":', "json_truncated", undefined],
    ["a text as row", '[{"a":"1"},"x"]', "json_not_objects", 2],
    ["a list as row", "[[1,2]]", "json_not_objects", 1],
    ["null as row", "[null]", "json_not_objects", 1],
    ["a bare value", '"payroll"', "json_wrapper", undefined],
    ["no rows", "[]", "no_rows", undefined],
    ["no rows in a wrapper", '{"rows":[]}', "no_rows", undefined],
    ["too long a row", `[{"a":"1"},{"a":"${"x".repeat(70_000)}"}]`, "record_too_long", 2],
    ["NUL bytes", '[{"a":"1"},\0\0', "nul_bytes", 2],
    ["nothing", "", "file_empty", undefined],
    ["white space", " \n ", "file_blank", undefined],
  ])("%s → refused with its row", async (_, text, code, row) => {
    const fault = await faultOf(read("a.json", text));
    expect({ code: fault.code, row: fault.row }).toEqual({ code, row });
  });

  test.each([
    ["an object over two lines", '{"a":\n"1"}\n', "json_malformed", 1],
    ["two objects on a line", '{"a":"1"}\n{"a":"1"}{"a":"2"}\n', "json_malformed", 2],
    ["a list", '[{"a":"1"}]', "json_not_objects", 1],
    ["cut in the last line", '{"a":"1"}\n{"a":"', "json_malformed", 2],
    ["too long a line", `{"a":${"[".repeat(100_000)}`, "record_too_long", 1],
    ["a byte order mark", "\ufeff", "file_blank", undefined],
  ])("one object per line: %s → refused", async (_, text, code, row) => {
    const fault = await faultOf(read("a.jsonl", text));
    expect({ code: fault.code, row: fault.row }).toEqual({ code, row });
  });

  test("objects by lines under the name .json → told to be renamed", async () => {
    expect((await faultOf(read("a.json", '{"rows":[{"a":"1"}]}\n{"rows":[]}'))).todo).toContain(".jsonl");
  });

  test("a value that is no row → never shown", async () => {
    expect(JSON.stringify(await faultOf(read("a.json", '["50100212345678"]')))).not.toContain("50100212345678");
  });
});
