import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Whether this process may mount: an in-memory disk of a few megabytes is the only real full disk there is. */
export const canMount: boolean = tryMount();

/** A disk of its own, of so many kilobytes; gone after the test. */
export function smallDisk(kilobytes: number, atTheEnd: (work: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), "paydrop-disk-"));
  mount(folder, `size=${kilobytes}k`);
  atTheEnd(() => {
    unmount(folder);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Nothing more can be written there, not even by root. */
export function makeReadOnly(disk: string): void {
  execFileSync("mount", ["-o", "remount,ro", disk], { stdio: "pipe" });
}

export function makeWritable(disk: string, kilobytes?: number): void {
  const size = kilobytes === undefined ? "" : `,size=${kilobytes}k`;
  execFileSync("mount", ["-o", `remount,rw${size}`, disk], { stdio: "pipe" });
}

function mount(folder: string, options: string): void {
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder], { stdio: "pipe" });
}

function unmount(folder: string): void {
  execFileSync("umount", ["-l", folder], { stdio: "pipe" });
}

function tryMount(): boolean {
  if (process.platform !== "linux") return false;
  const folder = mkdtempSync(join(tmpdir(), "paydrop-disk-"));
  try {
    mount(folder, "size=16k");
    unmount(folder);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
