import { readdir } from "node:fs/promises";
import { nearest } from "../config/nearest.ts";
import { MONTHS } from "../day.ts";
import { formatOfName } from "../format.ts";
import { OPERATIONS } from "../operations/catalogue.ts";
import { inputName } from "./names.ts";
import { guessPeriod } from "./period.ts";

const FOLDERS = OPERATIONS.map(({ folder }) => folder);

/** A folder of an inbox with this name is none of an operation, but whoever made it may believe that its files go. */
export function isNearFolder(name: string): boolean {
  if (formatOfName(name) !== undefined) return false;
  return nearest(name, FOLDERS) !== undefined || isMonth(name) || guessPeriod(name) !== undefined;
}

/** `November`, `nov` */
function isMonth(name: string): boolean {
  const said = name.toLowerCase();
  const isName = /^[a-z]{3,9}$/.test(said) && !Number.isNaN(Date.parse(`1 ${said} 2026`));
  return isName && MONTHS.some((month) => said.startsWith(month.toLowerCase()));
}

/** Whether files lie in it that would be taken from the inbox; what cannot be read tells of none. */
export async function holdsInput(folder: string): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.some((entry) => entry.isFile() && inputName(entry.name).ignored === undefined);
}

export const NEAR_FOLDER = `is a folder whose files are not taken: they belong into the drop folder, or into its ${FOLDERS.join(", ")}`;
