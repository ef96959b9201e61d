import type { Pages } from "./pages.ts";

export function helpPages(pages: Pages): void {
  void pages;
}
