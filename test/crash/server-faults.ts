import { FAULTS_OF_HOSTS } from "./faults-of-hosts.ts";
import { FAULTS_OF_SERVERS } from "./faults-of-servers.ts";
import { FAULTS_OF_SETTINGS } from "./faults-of-settings.ts";
import { FAULTS_OF_STATEMENTS } from "./faults-of-statements.ts";
import type { Site, SiteOptions } from "./site.ts";

/** One thing that is done to a server that several hosts share, or to them. */
export interface Fault {
  /** For people who read the table of figures. */
  readonly what: string;
  /** Of the site's own server, database and service. */
  readonly site?: Pick<SiteOptions, "encoding" | "words" | "refusesNone"> & Partial<Pick<SiteOptions, "rows">>;
  /** Before any host begins. */
  readonly before?: (site: Site) => Promise<unknown>;
  /** Brings the files and the hosts; left out: one file, one host that takes it and others that send with it. */
  readonly begin?: (site: Site) => Promise<unknown>;
  /** While rows are on the wire; when it resolves, the fault is over. */
  readonly strike: (site: Site) => Promise<unknown>;
  /** Not one row may become unknown by it. */
  readonly isHarmless?: true;
  /** The server comes back without its last commits: a person must accept that where a row went by them, and may be asked else. */
  readonly losesCommits?: true;
  /** Hosts may refuse to begin, for good: then nothing at all may have gone. */
  readonly mayRefuse?: true;
  /** Why it cannot be done on this machine. */
  readonly lacks?: () => string | undefined;
}

export type Faults = Readonly<Record<string, Fault>>;

export const FAULTS: Faults = {
  ...FAULTS_OF_STATEMENTS,
  ...FAULTS_OF_SETTINGS,
  ...FAULTS_OF_SERVERS,
  ...FAULTS_OF_HOSTS,
};
