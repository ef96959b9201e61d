import { stat } from "node:fs/promises";

/** Which folder has that name at this moment; undefined: none that can be looked at. */
export function identityOfFolder(folder: string): Promise<string | undefined> {
  return stat(folder, { bigint: true }).then(
    ({ dev, ino }) => `${dev} ${ino}`,
    () => undefined,
  );
}
