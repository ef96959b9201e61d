import { watch } from "chokidar";
import { basename } from "node:path";
import { mayGiveWork } from "../intake/names.ts";

const GATHER_MS = 200;

/**
 * Rings when something in the folder may have changed: events are hints, they only make the next sweep come sooner.
 * What we write there ourselves gives none. An error, such as no more watches (ENOSPC) or a folder that is gone, leaves
 * it to the sweep; `onTrouble` is told of it once.
 */
export function listenForHints(
  folder: string,
  ring: () => void,
  onTrouble: (error: unknown) => void,
): { close(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  const hint = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      ring();
    }, GATHER_MS);
  };
  const hints = watch(folder, {
    depth: 1,
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (path) => path !== folder && !mayGiveWork(basename(path)),
  });
  let isTold = false;
  hints.on("all", hint).on("error", (error) => {
    if (!isTold) onTrouble(error);
    isTold = true;
  });
  return {
    close: async () => {
      clearTimeout(timer);
      await hints.close();
    },
  };
}
