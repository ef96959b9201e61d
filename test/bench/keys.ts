import type { Command } from "./child.ts";

/** Well known, and good for nothing but measuring. */
export const API_KEY = "bench-api-key";
export const AES_KEY = "0f1e2d3c4b5a69788796a5b4c3d2e1f00112233445566778899aabbccddeeff0";
export const AES_IV = "00112233445566778899aabbccddeeff";

export const PAYDROP_KEYS: NonNullable<Command["env"]> = {
  PAYDROP_API_KEY: API_KEY,
  PAYDROP_AES_KEY: AES_KEY,
  PAYDROP_AES_IV: AES_IV,
};
