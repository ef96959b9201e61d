import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  SANDBOX_AES_IV,
  SANDBOX_AES_KEY,
  SANDBOX_API_KEY,
  startSandbox,
  type Sandbox,
} from "../../src/sandbox/server.ts";
import { startProgram, type Program } from "../support/program.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { until } from "../support/until.ts";

const NOBODY_ELSE = 0o700;

/** The service; who may write into its inbox; and somebody else who has an account on the machine. */
export const SERVICE = { uid: 61_001, gid: 61_001 };
export const CLERK = { uid: 61_002, gid: 61_002 };
export const OTHER = { uid: 61_003, gid: 61_003 };

export const HEADER = "from_account,to_account,amount";
export const SECRET = "paydrop-secret-of-somebody-else";

/** One machine with three users of the system, a real watch as one of them, and a service that counts. */
export class House {
  readonly root: string = temporaryDirectory();
  readonly inbox: string = join(this.root, "inbox");
  readonly state: string = join(this.root, "home", "state");
  readonly keys: string = join(this.root, "home", "api-key");
  /** Of the service alone: the clerk may not look into it. */
  readonly elsewhere: string = join(this.root, "elsewhere");
  readonly sandbox: Sandbox;

  private constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
    chmodSync(this.root, 0o755);
    const owned = { inbox: [CLERK.gid, 0o770], home: [SERVICE.gid, 0o755], elsewhere: [SERVICE.gid, NOBODY_ELSE] };
    for (const [name, [gid = 0, mode = 0]] of Object.entries(owned)) {
      mkdirSync(join(this.root, name));
      chownSync(join(this.root, name), SERVICE.uid, gid);
      chmodSync(join(this.root, name), mode);
    }
    this.putFor(this.keys, SANDBOX_API_KEY);
    this.putFor(join(this.elsewhere, "secret.csv"), `${SECRET},${SECRET}\n`);
    this.putFor(join(this.elsewhere, "salaries.csv"), `${HEADER}\nACC-OPS-01,200300409999,77.00\n`);
  }

  static async open(): Promise<House> {
    const sandbox = await startSandbox({ port: 0 });
    onTestFinished(() => sandbox.close());
    return new House(sandbox);
  }

  /** A file of the service, for nobody else. */
  putFor(path: string, text: string): void {
    writeFileSync(path, text);
    chownSync(path, SERVICE.uid, SERVICE.gid);
    chmodSync(path, 0o600);
  }

  watch(...flags: readonly string[]): Program {
    const env = {
      ...{ PAYDROP_BASE_URL: this.sandbox.url, PAYDROP_API_KEY_FILE: this.keys, PAYDROP_STATE_DIR: this.state },
      ...{ PAYDROP_AES_KEY: SANDBOX_AES_KEY, PAYDROP_AES_IV: SANDBOX_AES_IV },
      ...{ PAYDROP_SETTLE: "50ms", NODE_COMPILE_CACHE: join(this.root, "home", "compiled") },
    };
    const program = startProgram(["watch", ...flags, this.inbox], { env, cwd: "/", user: SERVICE });
    onTestFinished(() => void program.child.kill("SIGKILL"));
    return program;
  }

  /** What this user's shell prints, whether it may or not. */
  as(user: typeof CLERK, script: string): string {
    const { stdout, stderr } = spawnSync("sh", ["-c", script], {
      ...this.#shell(user),
      encoding: "utf8",
      timeout: 60_000,
    });
    return stdout + stderr;
  }

  /** Goes on until the test ends, or it is stopped. */
  goesOn(user: typeof CLERK, script: string): () => void {
    const child = spawn(process.execPath, ["-e", script], { ...this.#shell(user), stdio: "ignore" });
    const stop = (): void => void child.kill("SIGKILL");
    onTestFinished(stop);
    return stop;
  }

  #shell(user: typeof CLERK) {
    return { ...user, cwd: user === CLERK ? this.inbox : "/", env: { PATH: process.env["PATH"] ?? "" } };
  }

  /** The clerk drops a good file, and it goes. */
  async sendsHonest(program: Program, name: string, account: string): Promise<void> {
    this.as(
      CLERK,
      `printf '${HEADER}\\nACC-OPS-01,${account},10.00\\n' > ${name}.new.tmp && mv ${name}.new.tmp ${name}.csv`,
    );
    await until(`${name} went`, () => this.accounts.includes(account), { by: program.ended });
  }

  get accounts(): string[] {
    return this.sandbox
      .ledger()
      .entries.map(({ payload }) => (JSON.parse(payload) as { to_account: string }).to_account);
  }

  /** Everything that this user can read below a folder. */
  readableTo(user: typeof CLERK, folder: string): string {
    return this.as(user, `find ${folder} -type f -size -1000k 2>&1 -exec cat {} + ; ls -laR ${folder} 2>&1`);
  }

  /** What is of nobody's business: names, owners, modes and bytes. */
  printOf(folder: string): string[] {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .sort()
      .map((name) => {
        const { uid, mode, nlink, size } = statSync(join(folder, name));
        return [
          name,
          uid,
          mode,
          nlink,
          size,
          execFileSync("sha256sum", [join(folder, name)], { encoding: "utf8" }),
        ].join(" ");
      });
  }
}
