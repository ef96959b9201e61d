import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../src/commands/list.ts";
import { SECRETS } from "../src/config/secrets-in.ts";
import { SETTINGS, SETTING_NAMES, flagOf, variableOf } from "../src/config/settings.ts";
import { EXIT_CODES } from "../src/exit-codes.ts";
import { Metrics } from "../src/commands/monitoring/metrics.ts";
import { temporaryDirectory } from "./support/state-dir.ts";

const FOLDER = join(import.meta.dirname, "../samples/deploy");
const NAMES = readdirSync(FOLDER).sort();
const YAML = NAMES.filter((name) => /\.ya?ml$/.test(name));
const UNITS = NAMES.filter((name) => /\.(?:service|timer)$/.test(name));

function textOf(name: string): string {
  return readFileSync(join(FOLDER, name), "utf8");
}

function has(program: string, ...args: string[]): boolean {
  return spawnSync(program, args).status === 0;
}

/** A check that cannot be made here says so: nobody takes it for a green one. */
function testWith(isHere: boolean, what: string): typeof test {
  if (!isHere) process.stderr.write(`NOT CHECKED: ${what} is not on this machine\n`);
  return test.skipIf(!isHere) as unknown as typeof test;
}

/** The word lists that call paydrop: lines of units and crontabs, arrays of YAML and Dockerfiles. */
function callsIn(text: string): string[][] {
  const lines = text.replaceAll(/^\s*#.*$/gm, "");
  const spoken = [...lines.matchAll(/\/usr\/bin\/paydrop (.+)$/gm)].map(([, words = ""]) => words.split(" "));
  const listed = [...lines.matchAll(/^\s*(?:CMD|args:|command:) (\[.+\])$/gm)].map(
    ([, list = ""]) => JSON.parse(list) as string[],
  );
  return [...spoken, ...listed];
}

describe("files to copy", () => {
  test("each has its line in the README beside them", () => {
    const readme = textOf("README.md");
    for (const name of NAMES) {
      if (name === "README.md" || name.endsWith(".dockerignore")) continue;
      expect(readme).toContain(`[${name}](${name})`);
    }
  });

  const callers = NAMES.filter((name) => name !== "README.md" && callsIn(textOf(name)).length > 0);

  test("seven of them call paydrop", () => {
    expect(callers).toEqual([
      "Dockerfile",
      "compose.yaml",
      "crontab",
      "kubernetes-cronjob.yaml",
      "kubernetes-deployment.yaml",
      "paydrop-sweep.service",
      "paydrop.service",
    ]);
  });

  test.each(callers)("%s calls commands that exist, with flags that exist", (name) => {
    for (const [said, ...words] of callsIn(textOf(name))) {
      const command = COMMANDS.find((one) => one.name === said);
      expect(command, said).toBeDefined();
      const own = command?.options.map(({ flags }) => flags.split(" ")[0]) ?? [];
      const shared = SETTING_NAMES.filter((setting) => "flag" in SETTINGS[setting]).map(flagOf);
      for (const word of words.filter((one) => one.startsWith("-")))
        expect([...own, ...shared, "--config"]).toContain(word);
    }
  });

  test("every variable that is named exists", () => {
    const secrets = Object.values(SECRETS).map(({ variable }) => variable);
    const known = new Set([
      ...SETTING_NAMES.map(variableOf),
      ...secrets.flatMap((variable) => [variable, `${variable}_FILE`]),
      "PAYDROP_CONFIG",
    ]);
    const named = NAMES.flatMap((name) => textOf(name).match(/PAYDROP_[A-Z0-9_]+/g) ?? []);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  test("no file holds a key, and every one that sends has a way to each", () => {
    for (const name of callers.filter((one) => one !== "Dockerfile")) {
      const text = textOf(name);
      for (const { variable, credential } of Object.values(SECRETS)) {
        expect(text, name).not.toMatch(new RegExp(`${variable}\\s*[=:]`));
        const isGiven = text.includes(`${variable}_FILE`) || text.includes(`LoadCredential=${credential}:`);
        expect(isGiven, `${name} ${variable}`).toBe(true);
      }
    }
  });

  test("the watcher is started again only after what a machine may repeat", () => {
    const [, listed = ""] = /^RestartPreventExitStatus=(.*)$/m.exec(textOf("paydrop.service")) ?? [];
    const again = [0, 7, 75];
    const others = EXIT_CODES.map(({ code }) => code).filter((code) => !again.includes(code));
    expect(listed.split(" ").map(Number)).toEqual(others);
  });

  test("whoever stops paydrop gives it the time of one answer", () => {
    const waits = NAMES.flatMap((name) => [
      ...textOf(name).matchAll(/(?:TimeoutStopSec=|terminationGracePeriodSeconds: |stop_grace_period: )(\d+)/g),
    ]);
    expect(waits.map(([, seconds]) => Number(seconds))).toEqual([150, 150, 150, 150, 150]);
  });

  test("alerts ask for metrics that are written", () => {
    const metrics = new Metrics();
    metrics.inbox = { files: 1, oldestSince: 0 };
    metrics.finished(0, 0);
    const written = metrics.text([{ operation: "payout", state: "accepted", rows: 1, amount: "1.00" }], 0);
    const asked = textOf("alerts.yml").match(/paydrop_[a-z_]+/g) ?? [];
    expect(asked.length).toBeGreaterThan(5);
    for (const name of asked) expect(written).toMatch(new RegExp(`^${name}(?:\\{.*\\})? `, "m"));
  });

  test("the crontab has comments, variables and lines of five times and a command, nothing else", () => {
    const time = String.raw`(?:\*|\d+(?:-\d+)?)(?:\/\d+)?(?:,\d+(?:-\d+)?)*`;
    const line = new RegExp(String.raw`^(?:#.*|[A-Z_]+=\S+|${time}(?: ${time}){4} /usr/bin/paydrop \S.*)$`);
    const wrong = textOf("crontab")
      .trimEnd()
      .split("\n")
      .filter((one) => !line.test(one) || /^[^#]*%/.test(one));
    expect(wrong).toEqual([]);
  });

  test("the image is built of what is there, and runs as a user of its own", () => {
    const text = textOf("Dockerfile");
    const copied = [...text.matchAll(/^COPY --from=build \/src\/(\S+) /gm)].map(([, path = ""]) => path);
    expect(copied).toEqual(["package.json", "node_modules", "dist"]);
    const { bin } = JSON.parse(readFileSync(join(FOLDER, "../../package.json"), "utf8")) as {
      bin: { paydrop: string };
    };
    expect(text).toContain(`/opt/paydrop/${bin.paydrop} /usr/local/bin/paydrop`);
    expect(existsSync(join(FOLDER, "../..", bin.paydrop.replace(/^dist/, "src").replace(/js$/, "ts")))).toBe(true);
    expect(text).toMatch(/^USER 10001:10001$/m);
  });
});

describe("as their own programs see them", () => {
  testWith(has("python3", "-c", "import yaml"), "python3 with yaml")("every YAML file is YAML", () => {
    const script = "import json,sys,yaml; print(json.dumps([yaml.safe_load(open(f)) for f in sys.argv[1:]]))";
    const paths = YAML.map((name) => join(FOLDER, name));
    const { status, stdout, stderr } = spawnSync("python3", ["-c", script, ...paths], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const byName = new Map((JSON.parse(stdout) as Record<string, unknown>[]).map((one, index) => [YAML[index], one]));
    expect(byName.get("kubernetes-cronjob.yaml")).toMatchObject({
      kind: "CronJob",
      spec: {
        concurrencyPolicy: "Forbid",
        jobTemplate: { spec: { backoffLimit: 0, template: { spec: { restartPolicy: "Never", ...POD } } } },
      },
    });
    expect(byName.get("kubernetes-deployment.yaml")).toMatchObject({
      kind: "Deployment",
      spec: { replicas: 1, strategy: { type: "Recreate" }, template: { spec: POD } },
    });
    expect(byName.get("compose.yaml")).toMatchObject({
      services: { paydrop: { user: "10001:10001", read_only: true, stop_grace_period: "150s" } },
    });
    expect(byName.get("alerts.yml")).toMatchObject({ groups: [{ name: "paydrop" }] });
  });

  const hasSystemd = has("systemd-analyze", "--version");
  testWith(hasSystemd, "systemd-analyze")("systemd takes every unit", () => {
    const folder = temporaryDirectory();
    // the program itself need not be installed where its unit is checked
    for (const name of UNITS)
      writeFileSync(join(folder, name), textOf(name).replaceAll("/usr/bin/paydrop", "/bin/true"));
    const paths = UNITS.map((name) => join(folder, name));
    const { stderr, stdout } = spawnSync("systemd-analyze", ["verify", "--man=no", ...paths], { encoding: "utf8" });
    const said = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("paydrop"));
    expect(said).toEqual([]);
  });

  testWith(hasSystemd, "systemd-analyze")("a unit with a misspelt line would be seen", () => {
    const path = join(temporaryDirectory(), "paydrop.service");
    writeFileSync(path, textOf("paydrop.service").replace("/usr/bin/paydrop", "/bin/true").replace("UMask=", "UMaks="));
    const { stderr, stdout } = spawnSync("systemd-analyze", ["verify", "--man=no", path], { encoding: "utf8" });
    expect(`${stdout}${stderr}`).toContain("UMaks");
  });

  testWith(has("logrotate", "--version"), "logrotate")("logrotate takes its file", () => {
    const path = join(temporaryDirectory(), "logrotate");
    writeFileSync(path, textOf("logrotate").replace("paydrop payroll", "root root"), { mode: 0o600 });
    const { status, stderr } = spawnSync("logrotate", ["--debug", path], { encoding: "utf8" });
    expect({ status, stderr: stderr.includes("error:") }).toEqual({ status: 0, stderr: false });
  });
});

const POD = {
  terminationGracePeriodSeconds: 150,
  automountServiceAccountToken: false,
  securityContext: { runAsNonRoot: true, runAsUser: 10001 },
  containers: [{ name: "paydrop", securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false } }],
};
