import type { Config } from "../../config/config.ts";
import type { FolderListener } from "../../drop-folder/folder-listener.ts";
import { errorText } from "./error-text.ts";
import type { Teller } from "./teller.ts";

/** Tells of a drop folder as the command line tells of its files. */
export function folderTeller(teller: Teller, { quiet, json, verbose }: Config): FolderListener {
  return {
    say: (text) => teller.say(text),
    mention: (text) => {
      if (!quiet) teller.say(text);
    },
    ended: (report, { isNews, isPassing }) => {
      if (isNews) teller.ended(report, isPassing);
    },
    failed: (error) => teller.say(errorText(error, json, verbose).trimEnd()),
  };
}
