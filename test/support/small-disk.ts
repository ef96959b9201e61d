import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A disk of its own, of so many kilobytes, which is the only real full disk there is; gone after the test. */
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
