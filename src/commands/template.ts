import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { loadWithoutKeys } from "../config/load.ts";
import { PaydropError } from "../errors.ts";
import { formatOfName, type FileFormat } from "../format.ts";
import { OPERATION_NAMES, operationSaid } from "../operations/catalogue.ts";
import type { Form, Operation } from "../operations/operation.ts";
import { printable } from "../text/printable.ts";
import { makingFile } from "../results/disk/atomic.ts";
import { optionOf, type Call } from "./command.ts";
import { writingOut } from "./out-file.ts";
import { notesOn, templateFile } from "./template/file.ts";
import { startingFile } from "./template/from.ts";

/** A file to fill in, and what there is to say of it. */
export interface TemplateMade {
  readonly pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
  /** For stderr, once `pieces` has ended. */
  readonly notes: () => readonly string[];
}

/**
 * Writes a file to fill in to stdout or to a file, and nothing else there; what the interface leaves open goes to
 * stderr.
 */
export async function run(call: Call): Promise<number> {
  const config = loadWithoutKeys(call);
  const out = optionOf(call, "out");
  const format = formatSaid(call, config, out);
  const from = optionOf(call, "from");
  if (from !== undefined) {
    return await startingFile(config, { from, operation: call.operands[0], format }, (made, isBinary) =>
      write(call, config, made, out, isBinary),
    );
  }
  const operation = operationOf(call.operands[0] ?? "");
  const form = formOf(operation, call.flags["option"]);
  const notes = (): readonly string[] => notesOn(operation, form);
  const file = templateFile(operation, form, format ?? "csv", config.sheet);
  return write(call, config, { pieces: [file], notes }, out, format === "xlsx");
}

async function write(
  call: Call,
  config: Config,
  { pieces, notes }: TemplateMade,
  out: string | undefined,
  isBinary: boolean,
): Promise<number> {
  if (out !== undefined) {
    await writeNew(resolve(out), pieces);
  } else if (isBinary) {
    throw new PaydropError("usage", "a workbook cannot be printed", "say where it should go: --out NAME.xlsx");
  } else {
    for await (const piece of pieces) call.stdout.write(String(piece));
  }
  if (!config.quiet) {
    const written = out === undefined ? [] : [`Written to ${printable(out)}.`];
    call.stderr.write([...written, ...notes()].map((note) => `${note}\n`).join(""));
  }
  return 0;
}

/** Whole or not at all, and never over a file that is there: somebody may have filled it in. */
async function writeNew(path: string, pieces: TemplateMade["pieces"]): Promise<void> {
  const isNew = await writingOut(path, () =>
    makingFile(path, undefined, async (file) => {
      for await (const piece of pieces) await file.write(piece);
      await file.finish();
      return file.publishNew();
    }),
  );
  if (isNew) return;
  const message = `${printable(path)}: a file of that name is there already`;
  throw new PaydropError("usage", message, "name another file with --out");
}

/** The format by its flag, or by the name of the file; undefined where nobody said one. */
function formatSaid(call: Call, config: Config, out: string | undefined): FileFormat | undefined {
  const flags = { csv: call.flags["csv"] === true, json: config.json, xlsx: call.flags["xlsx"] === true };
  const said = (["csv", "json", "xlsx"] as const).filter((format) => flags[format]);
  if (said.length > 1) {
    throw new PaydropError("usage", `--${said.join(" and --")} exclude each other`, "choose one of them");
  }
  const [flag] = said;
  if (out === undefined) return flag;
  const named = formatOfName(out);
  if (named === undefined) {
    throw new PaydropError("usage", `${printable(out)} does not end in .xlsx, .csv or .json`, "give it such a name");
  }
  if (flag !== undefined && flag !== named) {
    throw new PaydropError("usage", `--${flag} does not go with the name ${printable(out)}`, "choose one of the two");
  }
  return named;
}

function operationOf(said: string): Operation {
  const found = operationSaid(said);
  if (found) return found;
  const message = said === "" ? "no operation is named" : `there is no operation "${said}"`;
  throw new PaydropError("usage", message, `write one of ${OPERATION_NAMES.join(", ")}`);
}

function formOf(operation: Operation, option: unknown): Form {
  const options = operation.forms.flatMap((form) => form.option ?? []);
  if (option !== undefined && options.length === 0) {
    throw new PaydropError("usage", `a ${operation.name} has no options`, "leave out --option");
  }
  const wanted = typeof option === "string" ? option.toUpperCase() : options.at(-1);
  const found = operation.forms.find((form) => form.option === wanted);
  if (found) return found;
  throw new PaydropError("usage", `there is no option "${String(option)}"`, `write --option ${options.join(" or ")}`);
}
