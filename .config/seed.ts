import { setFlagsFromString } from "node:v8";
import fc from "fast-check";

// The same cases on every machine; `FC_SEED=$RANDOM npm test` looks at others.
fc.configureGlobal({ seed: Number(process.env["FC_SEED"] ?? 20261120) });

// Where threads come and go that strip types, V8 now and then frees compiled code twice and the process dies of SIGSEGV
// (Runtime_TierUpWasmToJSWrapper). What is built has no types to strip.
setFlagsFromString("--wasm-wrapper-tiering-budget=1000000000");
