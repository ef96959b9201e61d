import { readdir } from "node:fs/promises";
import { nearest } from "../config/nearest.ts";
import { MONTHS } from "../day.ts";
import { formatOfName } from "../format.ts";
import { OPERATIONS } from "../operations/catalogue.ts";
import { inputName } from "./names.ts";
import { guessPeriod } from "./period.ts";

const FOLDERS = OPERATIONS.map(({ folder }) => folder);

/** Whether a folder of an inbox that is no operation's has a name that makes people believe that its files are sent. */
export function isNearFolder(name: string): boolean {
  if (formatOfName(name) !== undefined) return false;
  return nearest(name, FOLDERS) !== undefined || isMonth(name) || guessPeriod(name) !== undefined;
}

/** Whether a name is a month's, such as `November` or `nov`. */
function isMonth(name: string): boolean {
  const said = name.toLowerCase();
  const isName = /^[a-z]{3,9}$/.test(said) && !Number.isNaN(Date.parse(`1 ${said} 2026`));
  return isName && MONTHS.some((month) => said.startsWith(month.toLowerCase()));
}

/** Whether files lie in a folder that would be taken if they lay in the inbox. Not where it cannot be read. */
export async function holdsInput(folder: string): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.some((entry) => entry.isFile() && inputName(entry.name).ignored === undefined);
}

export const NEAR_FOLDER = `is a folder whose files are not taken: they belong into the drop folder, or into its ${FOLDERS.join(", ")}`;
