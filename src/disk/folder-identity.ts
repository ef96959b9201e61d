import { stat } from "node:fs/promises";

/** Identifies the folder that has this name now; undefined where none can be looked at. */
export function identityOfFolder(folder: string): Promise<string | undefined> {
  return stat(folder, { bigint: true }).then(
    ({ dev, ino }) => `${dev} ${ino}`,
    () => undefined,
  );
}
