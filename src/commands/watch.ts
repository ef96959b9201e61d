import { resolve } from "node:path";
import { gravest } from "../exit-codes.ts";
import type { Call } from "./command.ts";
import { runFolder } from "./run-folder.ts";
import { folderListener, withSending } from "./sending.ts";

/**
 * Takes every file that is dropped into a folder, for ever. Exit 0 when it was asked to end, 7 when it cut a batch off;
 * 4 or 74 when what was on its way then ended with that.
 */
export function run(call: Call): Promise<number> {
  return withSending(call, async (sending) => {
    const { soft, hard } = sending.listening.signals;
    const failed = new AbortController();
    const signals = { soft: AbortSignal.any([soft, failed.signal]), hard };
    const work = await sending.open("send", { isLarge: true, signals });
    try {
      const mode = call.flags["poll"] === true ? "poll" : "watch";
      const watches = call.operands.map(async (operand) => {
        const folder = resolve(operand);
        // the others come to their end before this one's failure is told
        return runFolder(work, folder, folderListener(sending, folder), mode).finally(() => failed.abort());
      });
      await Promise.allSettled(watches);
      return gravest(await Promise.all(watches));
    } finally {
      await work.close();
    }
  });
}
