import type { Pages } from "./pages.ts";

export function uploadPages(pages: Pages): void {
  void pages;
}
