import { stat } from "node:fs/promises";

/** Permission bits of what lies beside a file: no wider than its own. */
export function modeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ mode }) => mode & 0o666,
    () => 0o600,
  );
}
