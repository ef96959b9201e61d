import { resolve } from "node:path";
import { FolderWatch } from "../drop-folder/folder-watch.ts";
import { Gate } from "../drop-folder/gate.ts";
import type { RunEvent } from "../events.ts";
import { gravest } from "../exit-codes.ts";
import { withProcessor } from "../processor.ts";
import { RESUMABLE_REFUSALS } from "../reason.ts";
import type { Call } from "./command.ts";
import { folderTeller } from "./screen/folder-teller.ts";
import { tellFirst, withSending, withTeller, type Sending } from "./sending.ts";
import type { Listening } from "./signals.ts";
import type { Teller } from "./screen/teller.ts";

/**
 * Takes every file that is dropped into a folder, for ever. Exit 0 when it was asked to end, 7 when it cut a batch off;
 * 4 or 74 when what was on its way then ended with that.
 */
export function run(call: Call): Promise<number> {
  return withSending(call, watch);
}

async function watch({ call, config, sandbox, monitor }: Sending): Promise<number> {
  let folderWatch: FolderWatch | undefined;
  const sendDropped = (teller: Teller, listening: Listening): Promise<number> => {
    const gate = new Gate(listening.signal);
    const lastCodes: number[] = [];
    const tries = new QuietTries(teller.onEvent, () => folderWatch?.isTrying === true);
    const onEvent = (event: RunEvent): void => {
      monitor.onEvent(event);
      tries.onEvent(event);
    };
    const services = { config, sandbox, signal: gate, onEvent, isLarge: true, takesOver: true };
    return withProcessor(services, "send", (processor) =>
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
        tellFirst(teller, call, config);
        await folderWatch.untilStopped(() => {
          if (!config.quiet && !config.json) teller.say(`watching ${folder}`);
        });
        // a file that was refused just then is answered in the folder, as any other
        return gravest([folderWatch.wasCutOff ? 7 : 0, ...lastCodes.filter((code) => code === 4 || code === 74)]);
      }),
    );
  };
  // while it watches, other commands can use the sandbox's state folder: the commands that it tells name it
  const told = sandbox ? { ...call, flags: { ...call.flags, state_dir: config.stateDir } } : call;
  return withTeller(told, config, sendDropped, () => folderWatch?.isWorking === true);
}

/**
 * A service that is away is told once. Every further try would tell the same: its events are kept back until one is
 * news, and are then told from the first.
 */
class QuietTries {
  readonly #tell: (event: RunEvent) => void;
  readonly #isTrying: () => boolean;
  #kept: RunEvent[] | undefined;

  constructor(tell: (event: RunEvent) => void, isTrying: () => boolean) {
    this.#tell = tell;
    this.#isTrying = isTrying;
  }

  readonly onEvent = (event: RunEvent): void => {
    if (event.type === "start") this.#kept = this.#isTrying() ? [] : undefined;
    if (this.#kept && !isNews(event)) {
      this.#kept.push(event);
      return;
    }
    for (const one of this.#kept ?? []) this.#tell(one);
    this.#kept = undefined;
    this.#tell(event);
  };
}

/** Whether the service has answered a row with more than a refusal of the key or the address. */
function isNews(event: RunEvent): boolean {
  return event.type === "row" && event.status !== "not_sent" && !RESUMABLE_REFUSALS.includes(event.reason);
}
