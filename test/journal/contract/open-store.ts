import type { JournalStore } from "../../../src/journal/store.ts";

/** A new memory of an engine. `reopen` opens the same one again each time it is called. */
export type OpenStore = () => Promise<{ store: JournalStore; reopen: () => Promise<JournalStore> }>;
