import { setTimeout as sleep } from "node:timers/promises";
import { personOf } from "../journal/approval.ts";

const WINDOW_MS = 15 * 60_000;
/** Of one name, and of one address, behind which a whole office may sit. */
const MOST = { name: 10, address: 40 };
/** Each wrong answer is slower than the one before. */
const SLOW_MS = 250;
const SLOWEST_MS = 2_000;

type Kind = keyof typeof MOST;

/** `known`: the person signed in from this browser before; then only the tries of this browser count for the name. */
interface Tried {
  readonly name: string;
  readonly address: string;
  readonly known?: string | undefined;
}

/** Who may try to sign in how often: wrong tries of a quarter of an hour, by name and by address. */
export function signInLimits(now: () => number) {
  const wrong = new Map<string, number[]>();
  const triesOf = (key: string): number[] => {
    const recent = (wrong.get(key) ?? []).filter((at) => now() - at < WINDOW_MS);
    if (recent.length > 0) wrong.set(key, recent);
    else wrong.delete(key);
    return recent;
  };
  const keysOf = ({ name, address, known }: Tried): readonly (readonly [Kind, string])[] => [
    ["name", known === undefined ? `name ${personOf(name)}` : `known ${known}`],
    ["address", `address ${address}`],
  ];
  return {
    /** Counted before the password is looked at: a hundred tries at once are a hundred tries. */
    mayTry(of: Tried): boolean {
      const keys = keysOf(of);
      if (keys.some(([kind, key]) => triesOf(key).length >= MOST[kind])) return false;
      for (const [, key] of keys) wrong.set(key, [...triesOf(key), now()]);
      return true;
    },

    /** A right password is no wrong try; those before it stay those of the address. */
    wasRight(of: Tried): void {
      for (const [kind, key] of keysOf(of)) {
        if (kind === "name") wrong.delete(key);
        else wrong.set(key, triesOf(key).slice(0, -1));
      }
    },

    slowly(of: Tried): Promise<void> {
      const [[, key] = ["name", ""]] = keysOf(of);
      return sleep(Math.min(SLOWEST_MS, SLOW_MS * triesOf(key).length));
    },
  };
}
