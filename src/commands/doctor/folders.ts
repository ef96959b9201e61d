import { accessSync, constants, realpathSync, statSync, statfsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";
import { PaydropError, messageOf, systemCodeOf } from "../../errors.ts";
import type { Config } from "../../config/config.ts";
import { variableOf } from "../../config/settings.ts";
import { asWord } from "../../text/printable.ts";
import type { Finding } from "./finding.ts";

/** The state folder: private, on a disk that lasts, with room. */
export function stateFindings({ stateDir }: Config): Finding[] {
  const what = "state folder";
  const own = stateFolder(stateDir);
  if (own.health === "wrong") return [own];
  try {
    return [own, ...space(what, stateDir), ...fileSystem(what, stateDir, STATE_ON)];
  } catch (error) {
    return [
      own,
      { what, health: "wrong", found: `its disk does not answer: ${messageOf(error)}`, hint: "mend the disk" },
    ];
  }
}

/** The variable stays, the working folder changes: a relative path would make two memories of what was sent. */
export function stateSaidRelative({ stateDir, origins }: Config, env: NodeJS.ProcessEnv): Finding[] {
  const variable = variableOf("state_dir");
  const said = env[variable];
  if (said === undefined || origins?.["state_dir"] !== variable || isAbsolute(said)) return [];
  const found = `${variable} is ${JSON.stringify(said)}: from each folder another one`;
  return [{ what: "state folder", health: "look", found, hint: `write the whole path: ${stateDir}` }];
}

/** A drop folder: readable and writable, apart from the state, not a way in for everybody. */
export function inboxFindings(inbox: string, config: Config, settingsFile: string | undefined): Finding[] {
  const folder = resolve(inbox);
  const what = `inbox ${folder}`;
  try {
    const stats = statSync(folder);
    if (!stats.isDirectory())
      return [{ what, health: "wrong", found: "is not a folder", hint: "name the folder that files are dropped into" }];
    accessSync(folder, constants.R_OK | constants.X_OK);
    return [
      mayWrite(what, folder),
      ...apart(what, folder, config.stateDir, settingsFile),
      ...openToAll(what, stats.mode),
      ...space(what, folder),
      ...fileSystem(what, folder, INBOX_ON),
    ];
  } catch (error) {
    return [{ what, health: "wrong", found: messageOf(error), hint: "check the path and who may read it" }];
  }
}

function mayWrite(what: string, folder: string): Finding {
  try {
    accessSync(folder, constants.W_OK);
    return { what, health: "fine", found: "can be read and written" };
  } catch {
    const hint = "results would go to the state folder; give the right to write there";
    return { what, health: "look", found: "can be read, but not written", hint };
  }
}

function apart(what: string, inbox: string, stateDir: string, settingsFile: string | undefined): Finding[] {
  const findings: Finding[] = [];
  const hint = "keep them apart: whoever drops files must not reach it";
  if (isWithin(stateDir, inbox)) findings.push({ what, health: "wrong", found: "holds the state folder", hint });
  if (isWithin(inbox, stateDir)) findings.push({ what, health: "wrong", found: "lies in the state folder", hint });
  if (settingsFile !== undefined && isWithin(settingsFile, inbox)) {
    findings.push({ what, health: "wrong", found: "holds the settings file", hint });
  }
  return findings;
}

/** DESIGN §10: settings never come from a folder that others drop files into. Throws PaydropError `config`. */
export function refuseSettingsIn(folders: readonly string[], settingsFile: string | undefined): void {
  const inbox = settingsFile && folders.find((folder) => isWithin(settingsFile, folder));
  if (!settingsFile || inbox === undefined) return;
  throw new PaydropError(
    "config",
    `the settings file ${settingsFile} lies in the drop folder ${inbox}`,
    "keep them apart: whoever drops files must not reach it; nothing was sent",
  );
}

export function isWithin(path: string, folder: string): boolean {
  return `${real(path)}${sep}`.startsWith(`${real(folder)}${sep}`);
}

/** The real path; what is not there yet is put behind the real path of the nearest folder that is. */
export function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(real(parent), path.slice(parent.length));
  }
}

function openToAll(what: string, mode: number): Finding[] {
  if (process.platform === "win32" || (mode & 0o002) === 0) return [];
  const found = `anybody on this machine may write there (mode ${(mode & 0o7777).toString(8)})`;
  return [{ what, health: "look", found, hint: "whoever can drop a file can pay: give the right to one group only" }];
}

function stateFolder(stateDir: string): Finding {
  const what = "state folder";
  const elsewhere = "choose another with --state-dir";
  try {
    const stats = statSync(stateDir);
    if (!stats.isDirectory()) return { what, health: "wrong", found: `${stateDir} is not a folder`, hint: elsewhere };
    accessSync(stateDir, constants.R_OK | constants.W_OK | constants.X_OK);
    const shared = process.platform !== "win32" && (stats.mode & 0o077) !== 0;
    if (!shared) return { what, health: "fine", found: `${stateDir}, private` };
    const found = `${stateDir} is open to others (mode ${(stats.mode & 0o777).toString(8)})`;
    return { what, health: "wrong", found, hint: `chmod 700 ${asWord(stateDir)}` };
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return yetToMake(what, stateDir, elsewhere);
    return { what, health: "wrong", found: `${stateDir}: ${messageOf(error)}`, hint: elsewhere };
  }
}

function yetToMake(what: string, folder: string, hint: string): Finding {
  const above = nearestThere(folder);
  try {
    accessSync(above, constants.W_OK | constants.X_OK);
    return { what, health: "fine", found: `${folder}, made by the first run` };
  } catch (error) {
    return { what, health: "wrong", found: `${folder} cannot be made in ${above}: ${messageOf(error)}`, hint };
  }
}

/** A file of 100,000 rows needs about 60 MB of journal and results. */
const FREE_LOOK_BYTES = 500e6;
const FREE_WRONG_BYTES = 20e6;

function space(what: string, path: string): Finding[] {
  const { bavail, bsize } = statfsSync(nearestThere(path));
  const freeBytes = bavail * bsize;
  if (freeBytes >= FREE_LOOK_BYTES) return [{ what, health: "fine", found: `${(freeBytes / 1e9).toFixed(1)} GB free` }];
  const found = `only ${(freeBytes / 1e6).toFixed(1)} MB free`;
  return [
    { what, health: freeBytes < FREE_WRONG_BYTES ? "wrong" : "look", found, hint: "make room before the next file" },
  ];
}

/** Linux's numbers for what matters here (statfs(2)). */
const FILE_SYSTEMS: ReadonlyMap<number, keyof Advice> = new Map([
  [0x01021994, "memory"],
  [0x858458f6, "memory"],
  [0x794c7630, "overlay"],
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "SMB"],
  [0xfe534d42, "SMB"],
]);

type Advice = Readonly<Record<"memory" | "overlay" | "NFS" | "SMB", Omit<Finding, "what">>>;

const FORGETS = "rows that were sent would be forgotten with it: keep the state on a disk or volume that lasts";
const NO_LOCKS = "SQLite needs locks that hold: keep the state on a disk of this machine";
const STATE_ON: Advice = {
  memory: { health: "look", found: "lies in memory (tmpfs)", hint: FORGETS },
  overlay: { health: "look", found: "lies in a container's own layer (overlay)", hint: FORGETS },
  NFS: { health: "wrong", found: "lies on a network disk (NFS)", hint: NO_LOCKS },
  SMB: { health: "wrong", found: "lies on a network disk (SMB)", hint: NO_LOCKS },
};

const NO_EVENTS = "no event comes from the other side: let it be polled";
const LOST_LATER = "files and results there are gone with the machine's memory or the container";
const INBOX_ON: Advice = {
  memory: { health: "look", found: "lies in memory (tmpfs)", hint: LOST_LATER },
  overlay: { health: "look", found: "lies in a container's own layer (overlay)", hint: LOST_LATER },
  NFS: { health: "look", found: "lies on a network disk (NFS)", hint: NO_EVENTS },
  SMB: { health: "look", found: "lies on a network disk (SMB)", hint: NO_EVENTS },
};

function fileSystem(what: string, path: string, advice: Advice): Finding[] {
  if (process.platform !== "linux") return [];
  // some systems give the number with a sign
  const kind = FILE_SYSTEMS.get(statfsSync(nearestThere(path)).type >>> 0);
  return kind === undefined ? [] : [{ what, ...advice[kind] }];
}

/** A sentence for the log of whoever sends real money with a state folder that may not last; undefined: all is well. */
export function stateRemark({ stateDir, environment }: Config): string | undefined {
  const [finding] = environment === "live" ? fileSystem("state folder", stateDir, STATE_ON) : [];
  return finding && `state folder ${stateDir} ${finding.found}: ${finding.hint ?? ""}`;
}

function nearestThere(path: string): string {
  try {
    statSync(path);
    return path;
  } catch {
    const parent = dirname(path);
    return parent === path ? path : nearestThere(parent);
  }
}
