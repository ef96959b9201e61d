import { nearest } from "./nearest.ts";
import { SECRETS } from "./secrets-in.ts";
import { SETTING_NAMES, variableOf } from "./settings.ts";

const PREFIX = "PAYDROP_";
const SECRET_VARIABLES = Object.values(SECRETS).flatMap(({ variable }) => [variable, `${variable}_FILE`]);
const KNOWN = [
  ...SETTING_NAMES.map(variableOf),
  ...SECRET_VARIABLES,
  "PAYDROP_CONFIG",
  "PAYDROP_TEST",
  "PAYDROP_FAULT",
  // refused, where it says yes
  "PAYDROP_SANDBOX",
];

/** Kubernetes sets these for a service that is called paydrop: nobody misspelt anything. */
const OF_CLUSTER = /^PAYDROP_(?:SERVICE_HOST|SERVICE_PORT|PORT)(?:_|$)/;

/** A variable, and what there is to say of it. */
interface Misspelt {
  readonly said: string;
  readonly found: string;
  readonly hint: string;
}

/**
 * Variables that say nothing to paydrop, and nearly have the name of one that does. Others with this prefix may well
 * belong to somebody else. Never a value: it may be a key.
 */
export function misspeltVariables(env: NodeJS.ProcessEnv): readonly Misspelt[] {
  return Object.keys(env).flatMap((said) => {
    if (!said.startsWith(PREFIX) || !env[said] || KNOWN.includes(said) || OF_CLUSTER.test(said)) return [];
    const meant = meantBy(said);
    if (meant.length === 0) return [];
    return [{ said, found: "is not a setting and has no effect", hint: `did you mean ${meant.join(" or ")}?` }];
  });
}

/** The nearest by its letters; else those that end in the same word: PAYDROP_KEY is one of the keys. */
function meantBy(said: string): readonly string[] {
  const near = nearest(said.slice(PREFIX.length), KNOWN, (name) => name.slice(PREFIX.length).toLowerCase());
  if (near !== undefined) return [near];
  const alike = KNOWN.filter((name) => name.endsWith(said.slice(said.lastIndexOf("_"))));
  return alike.length <= ALIKE_MAX ? alike : [];
}

const ALIKE_MAX = 3;
