/**
 * Commands that a person is told to type find the same memory and settings as the call that told them: they repeat the
 * flags by which it found its own.
 *
 * `flags`: each as one piece of a command line, `--state-dir '/srv/pay drop'`.
 */
export function repeatingFlags(text: string, flags: readonly string[] = []): string {
  if (flags.length === 0) return text;
  const known = flags.find((flag) => flag.startsWith("--state-dir "));
  const others = flags.filter((flag) => flag !== known);
  return text
    .split("\n")
    .map((line) => {
      // of what was only tried: a folder that nobody named there
      if (known === undefined || !line.includes(ASKED)) return repeated(line, flags);
      return repeated(line, others).replaceAll(ASKED, () => known);
    })
    .join("\n");
}

const ASKED = "--state-dir FOLDER";

function repeated(line: string, flags: readonly string[]): string {
  return flags.length === 0 ? line : line.replace(TOLD, (command) => [command, ...flags].join(" "));
}

/** In a line of its own or in a sentence, but not a word about its help. */
const TOLD =
  /(?<=^|[\s`(])paydrop (?:run|check|map|status|settle|release|retry|pause|resume|cancel|results|report|archive|doctor|config)(?=[\s`).,;:]|$)(?! --help)/g;
