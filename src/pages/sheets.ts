import { existsSync, readFileSync } from "node:fs";

/** The one look of all pages, in its order: what all stand on, their parts, then narrow screens and paper. */
export const SHEETS = ["style.css", "parts.css", "narrow.css"] as const;

/** They lie beside the sources, and beside the one folder of the built program. Throws the system's error where none does. */
export function fileOfPages(name: string): string {
  const places = ["./", "./pages/"].map((folder) => new URL(`${folder}${name}`, import.meta.url));
  return readFileSync(places.find((place) => existsSync(place)) ?? name, "utf8");
}
