/**
 * Adds to the commands that a person is told to type the flags by which this call found its memory and settings, so
 * that they find the same.
 *
 * `flags`: each as one piece of a command line, `--state-dir '/srv/pay drop'`.
 */
export function repeatingFlags(text: string, flags: readonly string[] = []): string {
  if (flags.length === 0) return text;
  const known = flags.find((flag) => flag.startsWith("--state-dir "));
  const others = flags.filter((flag) => flag !== known && flag !== TRYING);
  return text
    .split("\n")
    .map((line) => {
      if (!line.includes(ASKED)) return withFlags(line, flags);
      // a command on a trial: FOLDER is the one of this call, where it has one
      const told = withFlags(line, others);
      return known === undefined ? told : told.replaceAll(ASKED, () => known);
    })
    .join("\n");
}

/** Commands on what was only tried: without these flags they would speak of real payments, and ask for keys. */
export function asTried(text: string): string {
  return withFlags(text, [TRYING, ASKED]);
}

export const TRYING = "--sandbox";
const ASKED = "--state-dir FOLDER";
/** The commands that have `--sandbox`; the others know it by the batch. */
const TRYING_COMMANDS: readonly string[] = ["run", "check", "retry", "release", "resume"];

function withFlags(text: string, flags: readonly string[]): string {
  return text.replace(TOLD, (command, name: string) => {
    const own = TRYING_COMMANDS.includes(name) ? flags : flags.filter((flag) => flag !== TRYING);
    return [command, ...own].join(" ");
  });
}

/** A command that is told, in a line of its own or in a sentence, but not a word about its help. */
const TOLD =
  /(?<=^|[\s`(])paydrop (run|check|map|status|settle|release|retry|pause|resume|cancel|results|report|archive|doctor|config)(?=[\s`).,;:]|$)(?! --help)/gm;
