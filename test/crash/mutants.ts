/**
 * `npm run mutants [WORD…]`: breaks a copy of the sources in one place at a time and runs the tests that must notice.
 * Exits 1 when one survives, when a place to break is no longer there, or when the tests fail on the copy as it is.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

interface Mutant {
  readonly name: string;
  /** `[file, text that stands there exactly once, what stands there instead]`. */
  readonly edits: readonly (readonly [string, string, string])[];
  readonly tests: readonly string[];
  /** Only a trace of system calls shows it. */
  readonly needsStrace?: true;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: "no attempt is recorded before sending",
    edits: [
      [
        "src/journal/sqlite/calls/attempts.ts",
        "group.run(() => attempts.begin(batches.seqOf(batchId), row, judge(rules), now())),",
        "{\n      PRETENDED.push(() => attempts.begin(batches.seqOf(batchId), row, judge(rules), now()));\n" +
          "      return Promise.resolve({ attempt: PRETENDED.length, ordinal: 1 });\n    },",
      ],
      [
        "src/journal/sqlite/calls/attempts.ts",
        "attempts.end(attempt, end, now())",
        "attempts.end(PRETENDED[attempt - 1]?.().attempt ?? 0, end, now())",
      ],
      [
        "src/journal/sqlite/calls/attempts.ts",
        "/** What sends a row, and what lets it go again. */",
        "const PRETENDED: (() => Begun)[] = [];\n/** What sends a row, and what lets it go again. */",
      ],
    ],
    tests: ["test/crash/order-on-disk.test.ts"],
  },
  {
    name: "a row is sent before the commit of its attempt",
    edits: [
      [
        "src/submission/submit.ts",
        "const begun = await this.#parts.begin(row);",
        "const early = this.#parts.send(row, this.#options.hard);\n      const begun = await this.#parts.begin(row);",
      ],
      [
        "src/submission/submit.ts",
        "const sending = this.#parts.send(row, this.#options.hard);",
        "const sending = early;",
      ],
    ],
    tests: ["test/crash/order-on-disk.test.ts"],
  },
  {
    name: "synchronous = OFF",
    edits: [["src/journal/sqlite/database/open.ts", "PRAGMA synchronous = FULL", "PRAGMA synchronous = OFF"]],
    tests: ["test/crash/order-on-disk.test.ts"],
  },
  {
    name: "outcomes are not written",
    edits: [
      [
        "src/submission/submit.ts",
        "const ended = this.#parts.end(begun.attempt, end);",
        "const ended = Promise.resolve();",
      ],
    ],
    tests: ["test/submission/answers.test.ts"],
  },
  {
    name: "a stop that is asked for before the first row is not heard",
    edits: [["src/submission/submit.ts", "if (this.#options.soft.aborted) onSoft();", ""]],
    tests: ["test/submission/submit.test.ts"],
  },
  {
    name: "of several files each sends its first row at once",
    edits: [
      [
        "src/submission/submit.ts",
        "    await this.#start(row, true);\n    await this.#lanes.ended();",
        "    await this.#start(row, true);",
      ],
    ],
    tests: ["test/submission/submit.test.ts"],
  },
  {
    name: "5xx goes again",
    edits: [
      [
        "src/submission/outcome.ts",
        'if (status >= 500) return { state: "unknown", reason: "service_fault" };',
        'if (status >= 500) return { state: "not_sent", reason: "service_fault", again: "backoff" };',
      ],
    ],
    tests: ["test/submission/outcome.test.ts"],
  },
  {
    name: "a broken connection goes again",
    edits: [
      [
        "src/submission/outcome.ts",
        'return { state: "unknown", reason: REASON_OF_SILENCE[answer.cause] };',
        'return { state: "not_sent", reason: REASON_OF_SILENCE[answer.cause], again: "backoff" };',
      ],
    ],
    tests: ["test/submission/outcome.test.ts"],
  },
  {
    name: "4xx counts as accepted",
    edits: [
      [
        "src/submission/outcome.ts",
        'if (REFUSED.has(status)) return { state: "rejected", reason: "refused" };',
        'if (REFUSED.has(status)) return { state: "accepted", reason: "accepted" };',
      ],
    ],
    tests: ["test/submission/outcome.test.ts"],
  },
  {
    name: "redirects are followed",
    edits: [
      ["src/client/transport.ts", "import type { ProxyAgent }", "import { interceptors, type ProxyAgent }"],
      [
        "src/client/transport.ts",
        "connection.client.dispatch(",
        "connection.client.compose(interceptors.redirect({ maxRedirections: 3 })).dispatch(",
      ],
    ],
    tests: ["test/submission/answers.test.ts", "test/client/answers.test.ts"],
  },
  {
    name: "amounts pass through a float",
    edits: [["src/checks/instruction.ts", "if (!isText) return text;", "if (!isText) return String(Number(text));"]],
    tests: ["test/checks/check-row.test.ts"],
  },
  {
    name: "no duplicate check when the file is checked",
    edits: [["src/journal/sqlite/duplicates/entered-keys.ts", "numbersIn(this.#shared, batchSeq)", "[] as number[]"]],
    tests: ["test/journal", "test/duplicates"],
  },
  {
    name: "of a long file only the first rows are checked for duplicates",
    edits: [
      [
        "src/journal/sqlite/calls/batches.ts",
        "at < shared.length; at += JUDGED_ROWS",
        "at < 1 && shared.length > 0; at += 1",
      ],
    ],
    tests: ["test/journal/sqlite-journal.test.ts"],
  },
  {
    name: "no duplicate check when a row is attempted",
    edits: [
      [
        "src/journal/sqlite/duplicates/verdicts.ts",
        '(other) => !other.sameBatch && other.standing !== "held"',
        "() => false",
      ],
    ],
    tests: ["test/journal", "test/duplicates"],
  },
  {
    name: "what a person says in another process is not looked at before a row goes",
    edits: [
      [
        "src/journal/sqlite/attempts.ts",
        "return this.#judged.get(batchSeq) === this.#dataVersion();",
        "return this.#judged.has(batchSeq);",
      ],
    ],
    tests: ["test/journal/threaded.test.ts"],
  },
  {
    name: "attempts without an outcome go again at the next start",
    edits: [
      [
        "src/journal/sqlite/attempts.ts",
        '{ state: "unknown", reason: "interrupted"',
        '{ state: "not_sent", reason: "interrupted"',
      ],
    ],
    tests: ["test/journal", "test/crash/points.test.ts"],
  },
  {
    name: "attempts without an outcome are left as they are",
    edits: [["src/processor.ts", "journal.recover(), ", ""]],
    tests: ["test/crash/points.test.ts"],
  },
  {
    name: "a file that opens is not looked at by those that were written down beside it",
    edits: [
      [
        "src/journal/sqlite/calls/batches.ts",
        "        attempts.changed(batch.seq);\n      }),\n\n    dropBatch",
        "      }),\n\n    dropBatch",
      ],
    ],
    tests: ["test/journal/sqlite-journal.test.ts"],
  },
  {
    name: "on a full disk rows go on beside the outcomes",
    edits: [
      [
        "src/journal/sqlite/commit-group.ts",
        "this.#failure ? this.#onlyOutcomes(group, this.#failure) : group",
        "this.#failure ? group : group",
      ],
    ],
    tests: ["test/journal/commit-group.test.ts"],
  },
  {
    name: "commits behind a damaged place of the WAL are dropped without a word",
    edits: [
      [
        "src/journal/sqlite/database/wal.ts",
        "if (commitsForgotten(walPath) === found) throw",
        "if (found === undefined) throw",
      ],
    ],
    tests: ["test/state/wal.test.ts"],
  },
  {
    name: "the lock is not taken",
    edits: [["src/journal/sqlite/database/lock.ts", "BEGIN EXCLUSIVE;", "BEGIN;"]],
    tests: ["test/crash/two-at-once.test.ts"],
  },
  {
    name: "a results file is taken as an input",
    edits: [["src/take-in.ts", "if (isOwnHeader(columns))", "if (isOwnHeader([]))"]],
    tests: ["test/intake/own.test.ts"],
  },
  {
    name: "a file is taken as it is by now, not as it lay still",
    edits: [["src/drop-folder/folder-work.ts", "processFile(file.path, file.sha256)", "processFile(file.path)"]],
    tests: ["test/watch/drop-folder.test.ts"],
  },
  {
    name: "all or nothing is forgotten",
    edits: [
      [
        "src/batch/record.ts",
        "await journal.openBatch(batch.id, opening, config.allOrNothing);",
        "await journal.openBatch(batch.id, opening, false);",
      ],
    ],
    tests: ["test/crash/points.test.ts"],
  },
  {
    name: "a part of a file that could not be written down is forgotten",
    edits: [["src/batch/record.ts", "Promise.all([writing, written]);", "Promise.all([written]);"]],
    tests: ["test/state/damage.test.ts"],
  },
  {
    name: "a journal whose key is gone makes a new one, and knows no payment any more",
    edits: [
      [
        "src/journal/sqlite/database/identity.ts",
        'if (database.prepare("SELECT 1 FROM batch").get()) throw new DamageError("the key of its hashes is gone");',
        "",
      ],
    ],
    tests: ["test/state/damage.test.ts"],
  },
  {
    name: "a journal that only cannot be opened is put aside by a person's word for a lost one",
    edits: [
      [
        "src/journal/sqlite/database/open.ts",
        "if (!isDamage(error) || lossAcceptedBy === undefined)",
        "if (lossAcceptedBy === undefined)",
      ],
    ],
    tests: ["test/state/damage.test.ts"],
  },
  {
    name: "the period in the wrapper of a JSON file is forgotten",
    edits: [["src/batch/alike.ts", "config.period ?? file.sheet.wrapper?.period", "config.period"]],
    tests: ["test/duplicates/months.test.ts"],
  },
  {
    name: "files go on into a service that answers with web pages",
    edits: [["src/drop-folder/service-away.ts", 'html_answer: "person"', 'html_answer: "batch"']],
    tests: ["test/watch/drop-folder.test.ts"],
  },
  {
    name: "rows go on from an inbox that has the mark of another state directory",
    edits: [["src/drop-folder/folder-watch.ts", "      this.#parts.gate.closeForFailure();\n", ""]],
    tests: ["test/watch/watch.test.ts"],
  },
  {
    name: "a file that begins just then lets sending go on after a STOP",
    edits: [
      [
        "src/drop-folder/drop-folder.ts",
        "    await this.#compareHold();\n    this.#parts.stopSending();",
        "    this.#parts.stopSending();\n    await this.#compareHold();",
      ],
    ],
    tests: ["test/watch/drop-folder.test.ts"],
  },
  {
    name: "a STOP that nobody has seen yet is not looked for",
    edits: [
      ["src/batch/held-folder.ts", "  if (keepsInbox) return undefined;", "  if (!keepsInbox) return undefined;"],
    ],
    tests: ["test/watch/held-folder.test.ts"],
  },
  {
    name: "a process with a copy of the state directory takes the same inbox",
    edits: [["src/results/marks/mark-keeper.ts", ") throw keptByCopy(path);", ") return;"]],
    tests: ["test/results/keep-mark.test.ts"],
  },
  {
    name: "two processes replace one mark at the same moment",
    edits: [["src/results/marks/mark-lock.ts", "return false;\n    throw thrown;", "return true;\n    throw thrown;"]],
    tests: ["test/results/mark-race.test.ts"],
  },
  {
    name: "of a folder whose marks the journal does not know the second file goes",
    edits: [
      [
        "src/results/marks/folder-marks.ts",
        "    const losses = await Promise.all(found.map(",
        "    this.#known.add(dirname(file));\n    const losses = await Promise.all(found.map(",
      ],
    ],
    tests: ["test/results/keep-mark.test.ts"],
  },
  {
    name: "a connection on which something was read while it rested is used again",
    edits: [["src/client/connections.ts", "!hasSpoken(longest) && ", ""]],
    tests: ["test/client/connections.test.ts"],
  },
  {
    name: "a service that asks for time gets other rows until that is written down",
    edits: [
      [
        "src/submission/submit.ts",
        "      this.#pace.waitMs(waitMs);\n      await ended;\n",
        "      await ended;\n      this.#pace.waitMs(waitMs);\n",
      ],
    ],
    tests: ["test/submission/submit.test.ts"],
  },
  {
    name: "connections that nobody used for a while are closed, though by then a file uses them",
    edits: [["src/batch/send.ts", "    this.#working += 1;\n    this.#sender.keep();\n", "    this.#working += 1;\n"]],
    tests: ["test/submission/file-after-file.test.ts"],
  },
  {
    name: "results get their name before they are on the disk",
    edits: [["src/results/disk/atomic.ts", "      await this.#handle.sync();\n", ""]],
    tests: ["test/crash/order-on-disk.test.ts"],
    needsStrace: true,
  },
  {
    name: "only what was written last at a place is known as ours",
    edits: [
      [
        "src/journal/sqlite/known-files.ts",
        "SELECT 1 FROM wrote WHERE sha256 = ?",
        "SELECT 1 FROM written WHERE sha256 = ?",
      ],
    ],
    tests: ["test/watch/own-retry.test.ts"],
  },
  {
    name: "the retry file of another journal is taken for a corrected one",
    edits: [["src/results/disk/own.ts", "return noted.includes(sha256);", "return false;"]],
    tests: ["test/watch/own-retry.test.ts"],
  },
  {
    name: "what a row waited for and went is an older payment after three weeks",
    edits: [["src/journal/sqlite/duplicates/judged-row.ts", "Math.min(nowMs, takenAt)", "nowMs"]],
    tests: ["test/journal/judged-again.test.ts"],
  },
  {
    name: "what went while a row waited counts as a payment of an earlier month",
    edits: [["src/checks/duplicates/same-payment.ts", " || other.acceptedAt >= stated.takenAt", ""]],
    tests: ["test/checks/duplicates.test.ts"],
  },
  {
    name: "a cell that says that there is no period is a period",
    edits: [["src/checks/check-fields.ts", ' || (typeof text === "string" && isNone(text))', ""]],
    tests: ["test/duplicates/period-says-nothing.test.ts"],
  },
  {
    name: "a week of a month that went is another period",
    edits: [["src/checks/duplicates/same-period.ts", " || shareDays(left, right)", ""]],
    tests: ["test/duplicates/period-says-nothing.test.ts"],
  },
  {
    name: "a short list that was corrected in its place is a new one",
    edits: [["src/journal/sqlite/duplicates/payee-samples.ts", "this.#isShort(there.get(seq))", "seq < 0"]],
    tests: ["test/duplicates/another-account.test.ts"],
  },
  {
    name: "other amounts for the same people and month are the next file",
    edits: [["src/journal/sqlite/duplicates/payee-samples.ts", ", ...this.#samePeople(batch, isSame, there)", ""]],
    tests: ["test/duplicates/replaced-in-place.test.ts"],
  },
  {
    name: "a correction goes beside the old rows that still go",
    edits: [["src/journal/sqlite/duplicates/near-duplicates.ts", "this.#holdReplacing.run(batch.seq, nowMs);", ""]],
    tests: ["test/duplicates/replaced-in-place.test.ts"],
  },
  {
    name: "a new payee in the place of an old one is another payment",
    edits: [["src/journal/sqlite/duplicates/in-place.ts", "ON o.number = n.number", "ON FALSE"]],
    tests: ["test/duplicates/replaced-in-place.test.ts"],
  },
  {
    name: "a correction that was let go does not keep the old payee from going",
    edits: [["src/journal/sqlite/duplicates/near-rows.ts", "OR (s.number = n.number AND", "OR (FALSE AND"]],
    tests: ["test/duplicates/replaced-in-place.test.ts"],
  },
  {
    name: "the question about a touched file hides the batch that went",
    edits: [["src/batch/alike.ts", "if (batch.period === undefined) return undefined;", "return undefined;"]],
    tests: ["test/duplicates/corrected-in-place.test.ts"],
  },
  {
    name: "a held folder goes on with rows that were corrected meanwhile",
    edits: [["src/commands/resume.ts", "await assertUnchanged(left);", ""]],
    tests: ["test/watch/resume-changed.test.ts"],
  },
  {
    name: "an older journal is looked for only where the file was named",
    edits: [["src/results/marks/folder-marks.ts", "if (place === file) continue;", "if (place !== '') continue;"]],
    tests: ["test/state/older-journal.test.ts"],
  },
  {
    name: "rows are left to a process that sends elsewhere",
    edits: [["src/batch/hand-over.ts", "holder.destination !== destination || ", ""]],
    tests: ["test/commands/left-to-another.test.ts"],
  },
  {
    name: "a release is as old as the last change of its row",
    edits: [
      [
        "src/journal/sqlite/duplicates/judged-row.ts",
        "at: decidedAt ?? changedAt, ...(act === null ? {} : { act })",
        "at: changedAt",
      ],
      ["src/journal/sqlite/duplicates/judged-row.ts", "decided: act, decided_at: decidedAt, ", ""],
    ],
    tests: ["test/journal/released.test.ts"],
  },
  {
    name: "what was settled since a release is told by the clock alone",
    edits: [["src/checks/duplicates/duplicates.ts", " || isSettledSince", ""]],
    tests: ["test/journal/released.test.ts"],
  },
  {
    name: "a row that was let go is judged by the day when it goes",
    edits: [["src/checks/duplicates/duplicates.ts", "Math.min(nowMs, released.at)", "nowMs"]],
    tests: ["test/journal/released.test.ts"],
  },
  {
    name: "a correction is a duplicate of another row of the file that it corrects",
    edits: [["src/checks/duplicates/same-payment.ts", "|| isSibling(stated, other)", ""]],
    tests: ["test/journal/released.test.ts"],
  },
  {
    name: "of two corrections of one row the second is let go untold",
    edits: [
      [
        "src/journal/sqlite/duplicates/seen-statements.ts",
        "ON o.family = w.kin WHERE ${WENT}",
        "ON o.family = w.kin WHERE FALSE",
      ],
    ],
    tests: ["test/journal/released.test.ts"],
  },
  {
    name: "a list from another account is no question",
    edits: [["src/journal/sqlite/duplicates/near-duplicates.ts", ', ...this.#kept(batch, "list")', ""]],
    tests: ["test/duplicates/another-account.test.ts"],
  },
];

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TIMEOUT_MS = 300_000;

function main(words: readonly string[]): number {
  const hasStrace = spawnSync("strace", ["-f", "-o", "/dev/null", "true"]).status === 0;
  const chosen = MUTANTS.filter(
    ({ name, needsStrace }) =>
      (needsStrace === undefined || hasStrace) && (words.length === 0 || words.some((word) => name.includes(word))),
  );
  const copy = mkdtempSync(join(tmpdir(), "paydrop-mutants-"));
  try {
    for (const name of ["src", "test", ".config", "samples", "package.json", "tsconfig.json", "README.md"]) {
      cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))];
    const unbroken = runTests(copy, tests);
    if (unbroken !== undefined) {
      say(`the tests fail although nothing is broken: ${unbroken}`);
      return 1;
    }
    const survivors = chosen.filter((mutant) => !isKilled(copy, mutant)).length;
    say(`\n${chosen.length} mutants, ${chosen.length - survivors} killed, ${survivors} survived`);
    return survivors === 0 ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function isKilled(copy: string, { name, edits, tests }: Mutant): boolean {
  const before = new Map(edits.map(([file]) => [file, readFileSync(join(copy, file), "utf8")]));
  try {
    for (const [file, from, to] of edits) {
      const text = readFileSync(join(copy, file), "utf8");
      if (text.split(from).length !== 2) {
        say(`${name.padEnd(58)} STALE     ${file} has no such place any more`);
        return false;
      }
      writeFileSync(
        join(copy, file),
        text.replace(from, () => to),
      );
    }
    const failed = runTests(copy, tests);
    say(`${name.padEnd(58)} ${failed === undefined ? "SURVIVED" : `killed    ${failed}`}`);
    return failed !== undefined;
  } finally {
    for (const [file, text] of before) writeFileSync(join(copy, file), text);
  }
}

/** The first test that failed, or undefined when all passed. */
function runTests(copy: string, tests: readonly string[]): string | undefined {
  const vitest = join(copy, "node_modules", "vitest", "vitest.mjs");
  const args = [vitest, "run", "--config", ".config/vitest.config.ts", "--root", ".", "--bail", "1", ...tests];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: copy,
    encoding: "utf8",
    timeout: TIMEOUT_MS,
    env: { ...process.env, NO_COLOR: "1" },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return undefined;
  const failure = /^ *FAIL +(.*)$/m.exec(`${stdout}\n${stderr}`)?.[1];
  return failure ?? (status === null ? "did not end in time" : stderr.trim().split("\n").slice(-1).join(""));
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

if (process.argv[1] === import.meta.filename) process.exitCode = main(process.argv.slice(2));
