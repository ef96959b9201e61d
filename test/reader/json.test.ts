import { describe, expect, test } from "vitest";
import { cellsOf, faultOf, read } from "../support/files.ts";

describe("rows", () => {
  test("values keep the very characters of the file", async () => {
    const { rows } = await read(
      "a.json",
      String.raw`[ {"name":"R\u00e9\"né\\", "amount" : 12345678901234567890.10 ,"a":1E2,"b":-0,"c":true,"d":null,"e":{ "x" : [1, "}"] },"f":[]} ]`,
    );
    expect(rows).toEqual([
      {
        number: 1,
        columns: ["name", "amount", "a", "b", "c", "d", "e", "f"],
        cells: [
          'Ré"né\\',
          { token: "number", source: "12345678901234567890.10" },
          { token: "number", source: "1E2" },
          { token: "number", source: "-0" },
          { token: "boolean", source: "true" },
          { token: "null", source: "null" },
          { token: "nested", source: '{ "x" : [1, "}"] }' },
          { token: "nested", source: "[]" },
        ],
      },
    ]);
  });

  test("rows with the same keys in the same order share one array of columns", async () => {
    const { rows } = await read("a.json", '[{"a":"1","b":"2"},{"b":"1","a":"2"},{"a":"3","b":"4"},{"a":"5","b":"6"}]');
    const [first, second, third, fourth] = rows;
    expect(third?.columns).toBe(first?.columns);
    expect(fourth?.columns).toBe(first?.columns);
    expect(second?.columns).toEqual(["b", "a"]);
  });

  test.each([
    ['{"a":"1","b":"2","a":"3"}', "a", ["a", "b"], ["3", "2"]],
    [String.raw`{"amount":"1","am\u006funt":"2"}`, "amount", ["amount"], ["2"]],
    ['{"Amount":"1","amount":"2"}', "amount", ["Amount", "amount"], ["1", "2"]],
  ])("a key that stands twice is told: %s", async (text, repeatedKey, columns, cells) => {
    const { rows } = await read("a.json", `[${text}]`);
    expect(rows[0]).toEqual({ number: 1, columns, cells, repeatedKey });
  });

  test("a key that stands twice in one row is not said of the rows after it", async () => {
    const { rows } = await read("a.json", '[{"a":"1","b":"2","a":"3"},{"a":"4","b":"5"},{"a":"6","b":"7","b":"8"}]');
    expect(rows.map((row) => row.repeatedKey)).toEqual(["a", undefined, "b"]);
  });

  test("one object on each line, blank lines passed over, with and without a last line end", async () => {
    for (const name of ["a.jsonl", "a.NDJSON"]) {
      const { rows, sheet } = await read(name, '{"a":"1"}\r\n\n {"a":2} \n{"a":"3"}');
      expect(sheet.format).toBe("jsonl");
      expect(rows.map((row) => row.number)).toEqual([1, 2, 3]);
      expect(rows[1]?.cells).toEqual([{ token: "number", source: "2" }]);
    }
  });

  test("thousands of rows come out in order, in chunks of at most 1000", async () => {
    const objects = Array.from({ length: 20_000 }, (_, index) => `{"name":"}],\\"${index}","amount":${index}.50}`);
    for (const [name, text] of [
      ["a.json", `[${objects.join(",\n")}]`],
      ["a.jsonl", objects.join("\n")],
    ] as const) {
      const { sheet, rows } = await read(name, text);
      expect(rows).toHaveLength(20_000);
      expect(rows.every((row, index) => row.number === index + 1 && row.cells[0] === `}],"${index}`)).toBe(true);
      for await (const chunk of sheet.rows()) expect(chunk.length).toBeLessThanOrEqual(1000);
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

  test.each([
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [2, 3, 0, 1],
  ])("is known before the rows in any order of its members (%i %i %i %i)", async (...order) => {
    const { sheet, rows } = await read("a.json", `{${order.map((index) => members[index]).join(",\n")}}`);
    expect(sheet.wrapper).toEqual({
      operation: "payout",
      period: "2026-11",
      control: { rows: 2, total: "11087750.50" },
    });
    expect(rows.map((row) => row.cells)).toEqual([["1"], ["2"]]);
  });

  test("a total in quotes is as good as a number", async () => {
    const { sheet } = await read("a.json", '{"rows":[{"a":"1"}],"control":{"total":"10.00"}}');
    expect(sheet.wrapper).toEqual({ control: { total: "10.00" } });
  });

  test("an empty period is none, as in a cell", async () => {
    for (const period of ["", "  "]) {
      const { sheet } = await read("a.json", `{"period":"${period}","rows":[{"a":"1"}]}`);
      expect(sheet.wrapper).toEqual({});
    }
  });

  test("a list of rows has none", async () => {
    expect((await read("a.json", '[{"a":"1"}]')).sheet.wrapper).toBeUndefined();
  });

  test("a member without a meaning is remarked on", async () => {
    const { sheet } = await read("a.json", '{"created":"2026-11-06","operator":"HR","rows":[{"a":"1"}]}');
    expect(sheet.remarks).toEqual(
      ["created", "operator"].map((name) => `"${name}" beside the rows has no meaning here`),
    );
  });

  test.each([
    ['"currency":"INR"', "currency"],
    ['"Currency":"Rs."', "Currency"],
    ['"ccy":null', "ccy"],
    ['"currency_note":"see page 2"', "currency_note"],
    ['"total":null', "total"],
    ['"count":""', "count"],
    ['"discount":5', "discount"],
    ['"total_pages":3', "total_pages"],
    ['"checksum":"9f2c"', "checksum"],
    ['"account":"5010"', "account"],
  ])("so is one of a currency or a total that says nothing of these rows: %s", async (member, name) => {
    const { sheet } = await read("a.json", `{${member},"rows":[{"a":"1"}]}`);
    expect(sheet.remarks).toEqual([`"${name}" beside the rows has no meaning here`]);
  });

  test.each([
    ['"currency":"USD"', '"currency" beside the rows says "USD", and only INR may stand there'],
    ['"CURRENCY":"usd"', '"CURRENCY" beside the rows says "usd"'],
    ['"ccy":"$"', '"ccy" beside the rows says "$"'],
    ['"currency":840', '"currency" beside the rows says something else than INR'],
    ['"currency":"50100271828001"', '"currency" beside the rows says something else than INR'],
    ['"payoutCurrency":"EUR"', '"payoutCurrency" beside the rows says "EUR"'],
  ])("another currency than rupees refuses the file, before and behind the rows: %s", async (member, words) => {
    for (const text of [`{${member},"rows":[{"a":"1"}]}`, `{"rows":[{"a":"1"}],${member}}`]) {
      const fault = await faultOf(read("a.json", text));
      expect([fault.code, fault.message]).toEqual(["json_wrapper", expect.stringContaining(words)]);
      expect(fault.hint).toContain("sent as they stand, as rupees");
    }
  });

  test.each([
    '"total":"5.00"',
    '"Total":5',
    '"count":1',
    '"control_totals":{"rows":1,"total":"5"}',
    '"row_count":1',
    '"totalAmount":5',
    '"Number of payments":1',
    '"no_of_records":1',
    '"expectedRows":1',
    '"grand total":5',
    '"ctrlSum":"5.00"',
    '"sum":5',
    '"totalRecords":1',
    '"batch_total":5',
  ])("control totals in another place refuse the file with the way to write them: %s", async (member) => {
    const fault = await faultOf(read("a.json", `{${member},"rows":[{"a":"1"}]}`));
    expect(fault.code).toBe("json_wrapper");
    expect(fault.message).toContain('beside the rows looks like control totals, which are read from "control" only');
    expect(fault.hint).toContain('Write "control": {"rows": 240, "total": "11087750.50"}');
  });

  test.each([
    ['{"operation":5,"rows":[{}]}', '"operation" is not a text'],
    ['{"period":202611,"rows":[{}]}', '"period" is not a text'],
    ['{"control":"x","rows":[{}]}', '"control" is not an object'],
    ['{"contorl":{"rows":1},"rows":[{}]}', '"contorl" stands beside the rows: did you mean control?'],
    ['{"Period":"2026-11","rows":[{}]}', "did you mean period?"],
    ['{"rows":[{}],"controls":{"rows":5}}', "did you mean control?"],
    ['{"control":{"rows":1.5},"rows":[{}]}', "whole number"],
    ['{"control":{"total":"1,000"},"rows":[{}]}', "plain amount"],
    ['{"control":{"totl":1},"rows":[{}]}', '"totl"'],
    ['{"control":{"rows":1,"rows":2},"rows":[{}]}', "twice"],
    ['{"rows":[{}],"rows":[{}]}', "twice"],
    ['{"period":"a","period":"b","rows":[{}]}', "twice"],
    ['{"debit_account_id":"A","amount":5}', 'without a list named "rows"'],
    ['{"rows":""}', 'without a list named "rows"'],
  ])("is refused when it says something else: %s", async (text, words) => {
    const fault = await faultOf(read("a.json", text));
    expect(fault.code).toBe("json_wrapper");
    expect(fault.message).toContain(words);
  });
});

test("one object per line under the name of a JSON file is told how such a file is named", async () => {
  const fault = await faultOf(read("a.json", '{"vpa":"a@bank","amount":5}\n{"vpa":"b@bank","amount":5}\n'));
  expect([fault.code, fault.hint]).toEqual([
    "json_wrapper",
    expect.stringContaining("one object per line is named .jsonl"),
  ]);
});

describe("broken files are refused with the row", () => {
  test.each([
    ["a trailing comma", '[{"a":"1"},]', "json_malformed", 2],
    ["a trailing comma in a row", '[{"a":"1"},{"a":"2",}]', "json_malformed", 2],
    ["NaN", '[{"a":NaN}]', "json_malformed", 1],
    ["a missing comma", '[{"a":"1"}{"a":"2"}]', "json_malformed", 2],
    ["single quotes", "[{'a':'1'}]", "json_malformed", 1],
    ["a raw line end in a text", '[{"a":"1\n2"}]', "json_malformed", 1],
    ["garbage behind the end", '[{"a":"1"}] x', "json_malformed", undefined],
    ["a second document", '{"rows":[{"a":"1"}]}{"rows":[]}', "json_malformed", undefined],
    ["mismatched brackets", '[{"a":[1}]}]', "json_malformed", 1],
    ["no colon", '{"rows" [{}]}', "json_malformed", undefined],
    ["truncated in a row", '[{"a":"1"},{"a":"2', "json_truncated", 2],
    ["truncated behind a row", '[{"a":"1"},{"a":"2"}', "json_truncated", 2],
    ["truncated behind the rows", '{"rows":[{"a":"1"}]', "json_truncated", undefined],
    ["a text as row", '[{"a":"1"},"x"]', "json_not_objects", 2],
    ["a list as row", "[[1,2]]", "json_not_objects", 1],
    ["null as row", "[null]", "json_not_objects", 1],
    ["a bare value", '"payroll"', "json_not_objects", undefined],
    ["__proto__", '[{"__proto__":{"x":1}}]', "json_key_forbidden", 1],
    ["__proto__ in disguise", String.raw`[{"a":"1"},{"\u005f_proto__":{"x":1}}]`, "json_key_forbidden", 2],
    ["constructor", '[{"constructor":"1"}]', "json_key_forbidden", 1],
    ["no rows", "[]", "no_rows", undefined],
    ["no rows in a wrapper", '{"rows":[]}', "no_rows", undefined],
    ["nested too deep", `[{"a":${"[".repeat(8)}${"]".repeat(8)}}]`, "json_too_deep", 1],
    ["NUL bytes", '[{"a":"1"},\0\0', "nul_bytes", 2],
    ["nothing", "", "file_empty", undefined],
    ["white space", " \n ", "file_blank", undefined],
  ])("%s", async (_, text, code, row) => {
    const fault = await faultOf(read("a.json", text));
    expect({ code: fault.code, row: fault.row }).toEqual({ code, row });
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  test.each([
    ["an object over two lines", '{"a":\n"1"}\n', "json_malformed", 1],
    ["two objects on a line", '{"a":"1"}\n{"a":"1"}{"a":"2"}\n', "json_malformed", 2],
    ["a list", '[{"a":"1"}]', "json_not_objects", 1],
    ["cut in the last line", '{"a":"1"}\n{"a":"', "json_truncated", 2],
    ["nested too deep", `{"a":${"[".repeat(100_000)}`, "json_malformed", 1],
    ["nothing", "", "file_empty", undefined],
    ["a byte order mark", "\ufeff", "file_blank", undefined],
  ])("one object per line: %s", async (name, text, code, row) => {
    const fault = await faultOf(read("a.jsonl", text));
    const expected = name === "nested too deep" ? ["json_too_deep", "record_too_long"] : [code];
    expect(expected).toContain(fault.code);
    expect(fault.row).toBe(row);
  });

  test("objects on lines of their own under the name .json are told to be renamed", async () => {
    const fault = await faultOf(read("a.json", '{"rows":[{"a":"1"}]}\n{"rows":[{"a":"2"}]}'));
    expect(fault.hint).toContain(".jsonl");
  });

  test("a message never shows the value that it found", async () => {
    const fault = await faultOf(read("a.json", '["50100212345678"]'));
    expect(JSON.stringify(fault)).not.toContain("50100212345678");
  });

  test("nesting within the limit is a value like any other", async () => {
    expect(await cellsOf("a.json", '[{"a":[[[[[[[]]]]]]]}]')).toEqual([
      [{ token: "nested", source: "[[[[[[[]]]]]]]" }],
    ]);
  });
});
