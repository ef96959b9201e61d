import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { FolderWatch } from "../drop-folder/folder-watch.ts";
import { Gate } from "../drop-folder/gate.ts";
import type { RunEvent } from "../events.ts";
import { gravest } from "../exit-codes.ts";
import { withProcessor } from "../processor.ts";
import type { Call } from "./command.ts";
import { folderTeller } from "./folder-teller.ts";
import type { Monitor } from "./monitor.ts";
import { QuietTries } from "./quiet-tries.ts";
import { withSending, withTeller } from "./run.ts";
import type { Listening } from "./signals.ts";
import { startRemarks } from "./start-remarks.ts";
import type { Teller } from "./teller.ts";

/**
 * Takes every file that is dropped into a folder, for ever. Exit 0 when it was asked to end, 7 when it cut a batch off;
 * 4 or 74 when what was on its way then ended with that.
 */
export function run(call: Call): Promise<number> {
  return withSending(call, (config, sandbox, monitor) => watch(call, config, sandbox, monitor));
}

async function watch(call: Call, config: Config, sandbox: boolean, monitor: Monitor): Promise<number> {
  let folderWatch: FolderWatch | undefined;
  const sendDropped = (teller: Teller, listening: Listening): Promise<number> => {
    const gate = new Gate(listening.signal);
    const lastCodes: number[] = [];
    const tries = new QuietTries(teller.onEvent, () => folderWatch?.isTrying === true);
    const onEvent = (event: RunEvent): void => {
      monitor.onEvent(event);
      tries.onEvent(event);
    };
    return withProcessor({ config, sandbox, signal: gate, onEvent, isLarge: true }, "send", (processor) =>
      monitor.following(processor.journal, async () => {
        const folder = resolve(call.operands[0] ?? ".");
        folderWatch = new FolderWatch({
          ...{ config, processor, folder, gate },
          listener: folderTeller(teller, config),
          isPolling: call.flags["poll"] === true,
          settleIsSaid: config.origins?.["settle"] !== undefined,
          sawInbox: (count) => monitor.sawInbox(folder, count),
          batchEnded: (exitCode) => {
            monitor.batchEnded(exitCode);
            if (listening.stopping) lastCodes.push(exitCode);
          },
        });
        for (const remark of startRemarks(config, call.env)) teller.say(remark);
        await folderWatch.untilStopped(() => {
          if (!config.quiet && !config.json) teller.say(`watching ${folder}`);
        });
        // a file that was refused just then is answered in the folder, as any other
        return gravest([folderWatch.wasCutOff ? 7 : 0, ...lastCodes.filter((code) => code === 4 || code === 74)]);
      }),
    );
  };
  return withTeller(call, config, sendDropped, () => folderWatch?.isWorking === true);
}
