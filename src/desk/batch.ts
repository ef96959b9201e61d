import type { Pages } from "./pages.ts";

export function batchPages(pages: Pages): void {
  void pages;
}
