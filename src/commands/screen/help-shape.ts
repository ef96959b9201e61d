import type { Help, HelpConfiguration } from "commander";
import { wrapped } from "../../results/screen/look.ts";

/** Fewer characters than these on a line are hard to read. */
const BESIDE_MIN = 30;

/** What each option and command does stands beside it, or below it where that leaves too little room. */
export const HELP_SHAPE: HelpConfiguration = {
  formatItem(this: Help, term, termWidth, shown) {
    const width = widthOf(this);
    const beside = width - termWidth - 4;
    if (beside < BESIDE_MIN)
      return [`  ${term}`, ...wrapped(shown, width - 6).map((line) => `      ${line}`)].join("\n");
    return wrapped(shown, beside)
      .map((line, index) => `  ${(index === 0 ? term : "").padEnd(termWidth)}  ${line}`)
      .join("\n");
  },
  styleUsage(this: Help, usage) {
    return wrapped(usage, widthOf(this) - "Usage: ".length).join("\n  ");
  },
};

function widthOf({ helpWidth = 80 }: Help): number {
  return helpWidth;
}
