import fc from "fast-check";

// The same cases on every machine; `FC_SEED=$RANDOM npm test` looks at others.
fc.configureGlobal({ seed: Number(process.env["FC_SEED"] ?? 20261120) });
