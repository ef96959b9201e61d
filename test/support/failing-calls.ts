/**
 * Loaded into paydrop's own process with `--import`: calls of the disk fail there as `FAILING_CALLS` says. A mount can
 * be full or read-only as a whole; this is one call of many that a failing disk does not carry out.
 */
import fs from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync } from "node:sqlite";
import { Readable } from "node:stream";

export interface FailingCall {
  /** A function of node:fs or node:fs/promises; `prepare` of node:sqlite. */
  readonly call: "rm" | "open" | "readdir" | "realpath" | "statfsSync" | "createReadStream" | "prepare";
  /** Fails where this stands in the path. */
  readonly path: string;
  /** Of `prepare`: where this stands in the statement, too. */
  readonly sql?: string;
}

/** What to give a process of paydrop so that these calls fail in it. */
export function failing(...calls: FailingCall[]): { env: Record<string, string>; nodeArgs: readonly string[] } {
  return { env: { FAILING_CALLS: JSON.stringify(calls) }, nodeArgs: ["--import", import.meta.url] };
}

const SQLITE_IOERR_READ = 266;

const said = process.env["FAILING_CALLS"];
if (said !== undefined) for (const one of JSON.parse(said) as FailingCall[]) install(one);

function install(one: FailingCall): void {
  if (one.call === "prepare") failStatements(one);
  else if (one.call === "statfsSync" || one.call === "createReadStream") failFunction(one, fs);
  else failFunction(one, promises);
  syncBuiltinESMExports();
}

function failFunction({ call, path }: FailingCall, module: object): void {
  const original = Reflect.get(module, call) as (...args: unknown[]) => unknown;
  Reflect.set(module, call, (...args: unknown[]) => {
    if (!String(args[0]).includes(path)) return original(...args);
    const error = Object.assign(new Error(`EIO: i/o error, ${call} '${String(args[0])}'`), { code: "EIO" });
    if (module === promises) return Promise.reject(error);
    if (call === "createReadStream") return new Readable().destroy(error);
    throw error;
  });
}

function failStatements({ path, sql = "" }: FailingCall): void {
  const database = DatabaseSync.prototype;
  const prepare = Reflect.get<DatabaseSync, "prepare">(database, "prepare");
  database.prepare = function (this: DatabaseSync, text: string, ...more) {
    if (this.location()?.includes(path) === true && text.includes(sql)) {
      throw Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: SQLITE_IOERR_READ });
    }
    return prepare.call(this, text, ...more);
  };
}
