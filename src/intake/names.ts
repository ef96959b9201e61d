import { defined } from "../defined.ts";
import { formatOfName, INPUT_EXTENSIONS, unreadKind, type FileFormat, type UnreadKind } from "../format.ts";
import { isOperationFolder } from "../operations/catalogue.ts";

/** What a file's name says: the format where it may be input, or why it never is. */
type InputName =
  | { readonly format: FileFormat; readonly ignored?: undefined }
  | {
      readonly ignored: string;
      /** A person should hear of it: the file was probably meant to be sent. */
      readonly report: boolean;
      /** Its kind, where what it holds was surely meant to be sent. */
      readonly unread?: UnreadKind;
      /** Our own retry file: input after all, once it differs from what we wrote (DESIGN §6). */
      readonly unlessChanged?: FileFormat;
      /** Input after all where a person names it. */
      readonly unlessNamed?: true;
    };

const NAME_BYTES_MAX = 200;

const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
/** `STOP`, also as people name it who cannot see extensions, or write it with TextEdit or a word processor. */
const STOP = /^stop(?:\.(?:txt|rtf|docx?|odt|pages))*$/i;

/** A name that begins with that of an input file, as ours do, and goes on as `rest`, a regular expression, says. */
const afterInput = (rest: string): RegExp => new RegExp(`\\.(?:${INPUT_EXTENSIONS.join("|")})\\.${rest}`, "i");
/** The name of a control file, also as text programs write it where endings are hidden. */
const CONTROL = new RegExp(`\\.control$|${afterInput("control\\.txt$").source}`, "i");
const OF_BATCH = "(?:[0-9a-z]{1,32}\\.)?";

/** Names that other programs, or we, give to files that are not input. */
const NEVER_INPUT: readonly (readonly [RegExp, string])[] = [
  [/^~\$/, "it is the mark of an open Office file"],
  [/^\./, "it is hidden"],
  [/\.(?:tmp|part|partial|filepart|crdownload)$/i, "it is still being written"],
  [afterInput(`summary\\.${OF_BATCH}json$`), "it is our own summary"],
  [/\.(?:refused|waiting)\.txt$/i, "it is our own note"],
  [afterInput(`report\\.${OF_BATCH}(?:html|txt|json|xlsx)$`), "it is our own report"],
  [afterInput("check\\.txt$"), "it is our own note"],
  [CONTROL, "it holds control totals"],
  [STOP, "it asks to stop"],
  [/^stop - held .*\.txt$/i, "it is our own note"],
];
const OWN_RESULTS = afterInput("results\\.");
const OWN_RETRY = afterInput("retry\\.");
const RESULTS_LIKE = /\.(?:results|retry)\.|\.summary\.json$/i;

/** `name`: without its folder, decoded as UTF-8 (bytes that are not UTF-8 stand as U+FFFD). */
export function inputName(name: string): InputName {
  if (CONTROL_CHARACTERS.test(name)) return { ignored: "its name holds control characters", report: true };
  const never = NEVER_INPUT.find(([pattern]) => pattern.test(name));
  if (never) return { ignored: never[1], report: false };
  if (name.includes("\ufffd")) return { ignored: "its name is not UTF-8", report: true };
  const format = formatOfName(name);
  // before the check of the length: a name that we made may be longer than an input file's
  if (OWN_RESULTS.test(name)) return { ignored: "it is our own results file", report: false };
  if (OWN_RETRY.test(name) && format !== undefined) {
    return { ignored: "it is our own retry file", report: false, unlessChanged: format };
  }
  if (Buffer.byteLength(name) > NAME_BYTES_MAX) {
    return { ignored: `its name is longer than ${NAME_BYTES_MAX} bytes`, report: true };
  }
  if (format === undefined) {
    return defined({
      ignored: "its name does not end like a file we can read",
      report: false,
      unread: unreadKind(name),
    });
  }
  if (RESULTS_LIKE.test(name))
    return { ignored: "its name is that of a results file, retry file or summary", report: true, unlessNamed: true };
  return { format };
}

/** Whether a change of such a file can give work in a drop folder; our own files and temporary ones cannot. */
export function mayGiveWork(name: string): boolean {
  const said = inputName(name);
  if (said.ignored === undefined || said.unlessChanged !== undefined || said.unread !== undefined) return true;
  // when a file is closed, its mark goes, and the file can be taken
  if (OPEN_MARK.test(name)) return true;
  return isStopName(name) || CONTROL.test(name) || isOperationFolder(name);
}

/** The marks that Excel lays beside a workbook, and LibreOffice beside any file, while they have it open, by name. */
export function openMarks(name: string): readonly string[] {
  return [...(formatOfName(name) === "xlsx" ? [`~$${name}`] : []), `.~lock.${name}#`];
}

const OPEN_MARK = /^(?:~\$.*\.xls[xm]|\.~lock\..*#)$/i;

/** Whether such a file says stop, for people without a terminal: `STOP` in any case, or as text programs name it. */
export function isStopName(name: string): boolean {
  return STOP.test(name);
}
