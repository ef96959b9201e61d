import { spawnSync } from "node:child_process";
import { BARE_ENV, LAUNCHER } from "./paydrop.ts";

export const HAS_PTY = spawnSync("python3", ["-c", "import pty"]).status === 0;
if (!HAS_PTY) process.stderr.write("NOT CHECKED: python3 with pty is not on this machine\n");

/** Gives a program a terminal of its own, and each question, which ends with a space and no line end, its answer. */
const ON_A_TERMINAL = `
import fcntl, os, pty, struct, sys, termios
answers = [one for one in sys.argv[2].split("|") if one]
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
    os.execv(sys.argv[3], sys.argv[3:])
seen = b""
while True:
    try:
        part = os.read(fd, 65536)
    except OSError:
        break
    if not part:
        break
    seen += part
    if answers and seen.endswith((b"]: ", b"sent. ", b"y/N ")):
        os.write(fd, (answers.pop(0) + "\\n").encode())
sys.stdout.buffer.write(seen)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

/** Runs paydrop on a terminal: what that was sent, and the exit code. */
export function onTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { columns = 80, cwd, answers = [] }: { columns?: number; cwd?: string; answers?: readonly string[] } = {},
): { code: number | null; seen: string } {
  const { status, stdout } = spawnSync(
    "python3",
    ["-c", ON_A_TERMINAL, String(columns), answers.join("|"), process.execPath, LAUNCHER, ...args],
    {
      encoding: "utf8",
      env: { ...BARE_ENV, LANG: "C.UTF-8", TERM: "xterm-256color", ...env },
      timeout: 60_000,
      ...(cwd === undefined ? {} : { cwd }),
    },
  );
  return { code: status, seen: stdout };
}
