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
  // known, to be refused where it says yes
  "PAYDROP_SANDBOX",
];

/** Kubernetes sets these for a service that is called paydrop: nobody misspelt anything. */
const OF_CLUSTER = /^PAYDROP_(?:SERVICE_HOST|SERVICE_PORT|PORT)(?:_|$)/;

/** A misspelt variable, and what there is to say about it. */
interface Misspelt {
  readonly said: string;
  readonly found: string;
  readonly hint: string;
}

/**
 * Variables without a meaning to paydrop whose names are nearly those of variables that have one. Other variables with
 * this prefix may belong to somebody else. Gives no values: one may be a key.
 */
export function misspeltVariables(env: NodeJS.ProcessEnv): readonly Misspelt[] {
  return Object.keys(env).flatMap((said) => {
    if (!said.startsWith(PREFIX) || !env[said] || KNOWN.includes(said) || OF_CLUSTER.test(said)) return [];
    const meant = meantBy(said);
    if (meant.length === 0) return [];
    return [{ said, found: "is not a setting and has no effect", hint: `did you mean ${meant.join(" or ")}?` }];
  });
}

/** The variable with the nearest name; else those whose names end in the same word: PAYDROP_KEY may be any key. */
function meantBy(said: string): readonly string[] {
  const near = nearest(said.slice(PREFIX.length), KNOWN, (name) => name.slice(PREFIX.length).toLowerCase());
  if (near !== undefined) return [near];
  const alike = KNOWN.filter((name) => name.endsWith(said.slice(said.lastIndexOf("_"))));
  return alike.length <= ALIKE_MAX ? alike : [];
}

const ALIKE_MAX = 3;
