import { defineConfig } from "rolldown";

/** What only some commands or files need, and what does something when it is loaded. */
const APART =
  /\/src\/(?:(?:bin|cli|index)\.ts|commands\/|inbox\/|desk\/|pages\/|sandbox\/|reader\/(?:json|propose|templates|workbook)|results\/(?:html|report|workbook)|postgres\/(?!sight)|submission\/queue)/;

const TAKEN_IN = /^(?:zod|commander|p-limit|yocto-queue|undici\/lib|@oxc-project\/runtime)(?:\/|$)/;

/** All that the journal's thread stands on: what else it loaded, it would load and run a second time. */
const GROUND =
  /\/(?:src\/(?:messages\/|operations\/|sqlite\/|journal\/states|(?:amount|day|disk|errors|fault-point|printable|state-dir)\.ts)|node_modules\/zod\/)/;

const CLIENT = /\/(?:src\/client|node_modules\/undici)\//;

/**
 * The programs as few files: to find, read and translate each module one by one takes a third of the time that a small
 * file takes from start to exit. What every run needs is two files, one of them also for the journal's thread; small
 * packages that every run needs are taken in, as is what the compiler calls. What only some commands need stays in files
 * of its own.
 */
export default defineConfig({
  input: {
    bin: "src/bin.ts",
    index: "src/index.ts",
    "sandbox/server": "src/sandbox/server.ts",
    // the journal's thread looks for its own name beside what calls it (sqlite/thread.ts)
    "journal-thread": "src/sqlite/thread.ts",
  },
  platform: "node",
  external: (id) => /^[^./]/.test(id) && !TAKEN_IN.test(id),
  // undici's HTTP/2 and its other parser: it loads both, and the transport uses neither (allowH2, useMilo)
  resolve: { alias: { "./client-h2.js": false, "./parser-h1.js": false } },
  output: {
    format: "esm",
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: {
      groups: [
        { name: "ground", priority: 2, test: GROUND },
        { name: "core", priority: 1, test: (id) => /\/src\//.test(id) && !APART.test(id) && !CLIENT.test(id) },
        // half of all, and only who sends needs it
        { name: "client", test: (id) => CLIENT.test(id) },
      ],
    },
  },
});
