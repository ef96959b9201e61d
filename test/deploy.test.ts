import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nameOf } from "../src/commands/command.ts";
import { COMMANDS } from "../src/commands/list.ts";
import { SETTING_NAMES, flagOf, variableOf } from "../src/config/schema.ts";
import { EXIT_CODES } from "../src/exit-codes.ts";
import { Counters, metricsText } from "../src/monitor/metrics.ts";
import type { BatchRecord } from "../src/journal/store.ts";

const FOLDER = join(import.meta.dirname, "../samples/deploy");
const NAMES = readdirSync(FOLDER).sort();
const SECRETS = ["api-key", "aes-key", "aes-iv"].map((name) => ({
  variable: `PAYDROP_${name.toUpperCase().replace("-", "_")}`,
  credential: `paydrop-${name}`,
}));

/** Of hosts that share a journal; the URL has the password of the database in it. */
const JOURNAL_FILES = ["PAYDROP_JOURNAL_URL_FILE", "PAYDROP_JOURNAL_KEY_FILE"];

function textOf(name: string): string {
  return readFileSync(join(FOLDER, name), "utf8");
}

/** The word lists that call paydrop: lines of units and crontabs, arrays of YAML and Dockerfiles. */
function callsIn(name: string): string[][] {
  const text = spokenIn(name);
  const spoken = [...text.matchAll(/\/opt\/paydrop\/bin\/paydrop (.+)$/gm)].map(([, words = ""]) => words.split(" "));
  const arrays = text.matchAll(/^\s*(?:CMD |args: |command: |test: (?=\["CMD", "paydrop"))(\[.+\])$/gm);
  const words = Array.from(arrays, ([, list = ""]) => JSON.parse(list) as string[]);
  return [...spoken, ...words.map((list) => (list[0] === "CMD" ? list.slice(2) : list))];
}

/** Without its comments. */
function spokenIn(name: string): string {
  return textOf(name).replaceAll(/^\s*#.*$/gm, "");
}

const CALLERS = NAMES.filter((name) => name !== "README.md" && callsIn(name).length > 0);

test("files to copy → each has its line in the README beside them", () => {
  const readme = textOf("README.md");
  const others = NAMES.filter((name) => name !== "README.md" && !name.endsWith(".dockerignore"));
  expect(others.filter((name) => !readme.includes(`[${name}](${name})`))).toEqual([]);
  expect(CALLERS).toHaveLength(10);
});

test.each(CALLERS)("%s → calls commands that exist, with flags that exist", (name) => {
  for (const [said, ...words] of callsIn(name)) {
    const command = COMMANDS.find((one) => nameOf(one) === said);
    expect(command, said).toBeDefined();
    const own = Object.keys(command?.options ?? {}).map((flags) => flags.split(" ")[0]);
    const known = [...own, ...SETTING_NAMES.map(flagOf), "--config"];
    expect(words.filter((word) => word.startsWith("-") && !known.includes(word))).toEqual([]);
  }
});

test("variables → each exists, none holds a key; only who sends is given keys", () => {
  const files = SECRETS.map(({ variable }) => `${variable}_FILE`);
  const known = new Set([...SETTING_NAMES.map(variableOf), ...files, ...JOURNAL_FILES, "PAYDROP_SMTP_URL_FILE"]);
  const named = NAMES.flatMap((name) => textOf(name).match(/PAYDROP_[A-Z0-9_]+/g) ?? []);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
  for (const name of CALLERS.filter((one) => one !== "Dockerfile")) {
    for (const { variable, credential } of SECRETS) {
      const text = textOf(name);
      const isGiven = text.includes(`${variable}_FILE`) || text.includes(`LoadCredential=${credential}:`);
      expect(isGiven, name).toBe(name !== "paydrop-desk.service");
    }
    const named = JOURNAL_FILES.filter((variable) => textOf(name).includes(variable));
    expect(named, name).toEqual(name.includes("hosts") ? JOURNAL_FILES : []);
  }
});

test("passwords → in files, never in a text that is copied", () => {
  const isPassword = /:\/\/[^\s/@]*:[^\s/@]*@|PASSWORD(?!_FILE)|KEY(?!_FILE)\b|IV(?!_FILE)\b/;
  expect(NAMES.filter((name) => isPassword.test(spokenIn(name)))).toEqual([]);
});

test("hosts of one journal → each inbox has a path of its own, mounted where it is watched", () => {
  const names = NAMES.filter((name) => name.includes("hosts"));
  const watched = names.map((name) => callsIn(name).flatMap(([said, path = ""]) => (said === "watch" ? [path] : [])));
  expect(watched).toEqual([["/inboxes/mumbai", "/inboxes/pune", "/inboxes/delhi"], ["/inboxes/payroll"]]);
  const mounts = /(?::|mountPath: )(\/inboxes\/\w+)/g;
  expect(names.map((name) => Array.from(textOf(name).matchAll(mounts), ([, path]) => path))).toEqual(watched);
});

test("the watcher → begins again only after what a machine may repeat", () => {
  const [, listed = ""] = /^RestartPreventExitStatus=(.*)$/m.exec(textOf("paydrop.service")) ?? [];
  const others = EXIT_CODES.map(({ code }) => code).filter((code) => ![0, 7, 75].includes(code));
  expect(listed.split(" ").map(Number)).toEqual(others);
});

test("the desk's unit → as shut in as the watcher's, and no loop of restarts", () => {
  const [watch = "", desk = ""] = ["paydrop.service", "paydrop-desk.service"].map(spokenIn);
  expect(desk).toContain("RestartPreventExitStatus=2 74 78\n");
  const shut =
    watch.match(/^(?:Protect|Restrict|Private|NoNew|Capab|System|Lock|Limit|State|User|Group|UMask).*$/gm) ?? [];
  expect(shut.filter((line) => !desk.includes(`${line}\n`))).toEqual([]);
});

test("whoever stops paydrop → gives it the time of one answer", () => {
  const stops = /(?:TimeoutStopSec=|terminationGracePeriodSeconds: |stop_grace_period: )(\d+)/g;
  const waits = NAMES.flatMap((name) => Array.from(textOf(name).matchAll(stops), ([, seconds]) => Number(seconds)));
  expect(waits).toEqual(Array<number>(8).fill(150));
});

test("alerts → ask for metrics that are written", () => {
  const batches = [{ label: "payout", tallies: { rejected: { rows: 1, amount: "1.00" } } }] as unknown as BatchRecord[];
  const ends = ["last_finished", "last_success"].map((name) => [`${name}_timestamp_seconds`, 0] as const);
  const inboxes = [{ files: 1, oldestSince: 0 }];
  const server = { answeredAt: 0, awaySince: undefined };
  const more = { endings: new Map(ends), counters: new Counters(), lookedAt: 0, server };
  const written = metricsText({ batches, inboxes, ...more }, 0);
  const asked = spokenIn("alerts.yml").match(/paydrop_[a-z_]+(?:\{state="[a-z]+"\})?/g) ?? [];
  expect(asked.length).toBeGreaterThan(5);
  for (const [name = "", state = ""] of asked.map((one) => one.split(/[{}]/))) {
    expect(written.split("\n").some((line) => line.startsWith(name) && line.includes(state))).toBe(true);
  }
});

test("the crontab → comments, variables, and lines of five times and a command", () => {
  const time = String.raw`(?:\*|\d+(?:-\d+)?)(?:\/\d+)?(?:,\d+(?:-\d+)?)*`;
  const line = new RegExp(String.raw`^(?:#.*|[A-Z_]+=\S+|${time}(?: ${time}){4} /opt/paydrop/bin/paydrop [^%]+)$`);
  const lines = textOf("crontab").trimEnd().split("\n");
  expect(lines.filter((one) => !line.test(one))).toEqual([]);
});

test("the image → made of what is there, run by a user of its own", () => {
  const text = textOf("Dockerfile");
  const copied = [...text.matchAll(/^COPY --from=build \/src\/(\S+) /gm)].map(([, path = ""]) => path);
  expect(copied).toEqual(["package.json", "node_modules", "dist"]);
  const packed = readFileSync(join(FOLDER, "../../package.json"), "utf8");
  const { bin } = JSON.parse(packed) as { bin: { paydrop: string } };
  expect(text).toContain(`/opt/paydrop/${bin.paydrop} /usr/local/bin/paydrop`);
  expect(text).toMatch(/^USER 10001:10001$/m);
});

test("YAML files → as a YAML reader sees them, nothing runs twice", { tags: ["yaml"] }, () => {
  const script = "import json,sys,yaml; print(json.dumps([yaml.safe_load(open(f)) for f in sys.argv[1:]]))";
  const yaml = NAMES.filter((name) => /\.ya?ml$/.test(name));
  const paths = yaml.map((name) => join(FOLDER, name));
  const { status, stdout, stderr } = spawnSync("python3", ["-c", script, ...paths], {
    encoding: "utf8",
    timeout: 30_000,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const byName: unknown = Object.fromEntries((JSON.parse(stdout) as unknown[]).map((one, at) => [yaml[at], one]));
  const containers = [{ securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false } }];
  const spec = { terminationGracePeriodSeconds: 150, securityContext: { runAsUser: 10001 }, containers };
  const job = { backoffLimit: 0, template: { spec: { restartPolicy: "Never", ...spec } } };
  const check = { restartPolicy: "Never", securityContext: { runAsUser: 10001 }, containers };
  const host = { user: "10001:10001", read_only: true, stop_grace_period: "150s" };
  expect(byName).toMatchObject({
    "kubernetes-cronjob.yaml": { spec: { concurrencyPolicy: "Forbid", jobTemplate: { spec: job } } },
    "kubernetes-deployment.yaml": { spec: { replicas: 1, strategy: { type: "Recreate" }, template: { spec } } },
    "kubernetes-hosts.yaml": {
      items: [
        { spec: { replicas: 4, strategy: { type: "Recreate" }, template: { spec } } },
        { spec: { replicas: 1, strategy: { type: "Recreate" }, template: { spec } } },
        {
          spec: { concurrencyPolicy: "Forbid", jobTemplate: { spec: { backoffLimit: 0, template: { spec: check } } } },
        },
      ],
    },
    "compose.yaml": { services: { paydrop: host } },
    "compose-hosts.yaml": { services: { mumbai: host, pune: host, delhi: host } },
    "alerts.yml": { groups: [{ name: "paydrop" }] },
  });
});
