import type { Pages } from "./pages.ts";

export function decidePages(pages: Pages): void {
  void pages;
}
