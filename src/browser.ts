// What a bundler for browsers finds in place of this package.
throw new Error(
  "paydrop runs on a server only. The AES Key and IV are secrets: they must never appear in client-side code (§5.2).",
);

export {};
