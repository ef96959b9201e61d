export interface ModelRow {
  readonly state: "ready" | "going" | "accepted" | "unknown";
  readonly owner?: number;
}

export interface Word {
  readonly commits: number;
  readonly lineage: number;
}

/** What the database holds: all of it goes back at a loss. `server`: the one that is trusted. */
export interface Durable {
  readonly rows: readonly ModelRow[];
  readonly witness: readonly { readonly commits: number; readonly isHere: boolean; readonly vouchedFor: number }[];
  readonly server: number;
  readonly isWaiting: boolean;
  readonly isLost: boolean;
  /** How often a person has accepted a loss. */
  readonly lineage: number;
}

export interface Host {
  readonly isUp: boolean;
  /** The server that this process has looked at, and the lineage that the journal had when it did so first. */
  readonly looked?: number | undefined;
  readonly lineage?: number | undefined;
  /** It looked, whatever it found. */
  readonly tried?: number | undefined;
  /** The row that its last commit let go: not sent yet, or on the wire. */
  readonly row?: number;
  readonly isSent: boolean;
  /** What was confirmed, in memory and in its file. */
  readonly word: Word;
  readonly file: Word;
}

export interface ModelState {
  readonly durable: Durable;
  /** What `durable` was, the latest first: a loss goes back to one of them. undefined: there is no other loss. */
  readonly past?: readonly Durable[] | undefined;
  readonly server: number;

  readonly came?: Came;
  readonly hosts: readonly Host[];
  /** By row: requests that left. */
  readonly sent: readonly number[];
  readonly losses: number;
  readonly kills: number;
}

/**
 * `dump`: it shows by itself; `promotion`: what waited for a standby may all be there; `copy`: of the files, which nothing tells
 * from a server that has begun again.
 */
export type Came = "promotion" | "dump" | "copy";

/**
 * What is left out: the file is not written; a loss that was seen is not written down; nobody waits for the others; what is
 * ready when a person accepts stays ready; a host ends and takes leave of a server that it has not looked at; its file is
 * written after its row has left; it vouches for a server while an answer of the one before is on its way.
 */
export type Break = "witness" | "written" | "vouching" | "unknown" | "leave" | "order" | "answer";

export interface Limits {
  readonly rows: number;
  readonly losses: number;
  readonly kills: number;
  readonly came: Came;
  readonly broken?: Break;
}

/** What is done to the database or the files; the rest happens in hosts and outside. */
export type Act =
  | { readonly do: "look"; readonly host: number; readonly says: "fine" | "lost" | "accepted" }
  | { readonly do: "let go" | "accepted"; readonly host: number; readonly row: number }
  | { readonly do: "note"; readonly host: number }
  | { readonly do: "taken over"; readonly row: number }
  | { readonly do: "silent" | "leave"; readonly host: number }
  | { readonly do: "lose"; readonly back: number; readonly came: Came }
  | { readonly do: "waited" | "waited for nobody" | "accept" }
  | { readonly do: "settle"; readonly row: number };

export interface Step {
  readonly name: string;
  readonly act?: Act;
  readonly to: ModelState;
}

export function down(state: ModelState, at: number): ModelState {
  const { file, tried } = hostOf(state, at);
  const hosts = [...state.hosts];
  hosts[at] = { isUp: false, tried, isSent: false, word: file, file };
  return { ...state, hosts };
}

export function withHost(
  state: ModelState,
  at: number,
  change: { [K in keyof Host]?: Host[K] | undefined },
): ModelState {
  const hosts = [...state.hosts];
  hosts[at] = { ...hostOf(state, at), ...change } as Host;
  return { ...state, hosts };
}

export function withRow(durable: Durable, at: number, is: ModelRow["state"], owner?: number): Durable {
  const rows = [...durable.rows];
  rows[at] = owner === undefined ? { state: is } : { state: is, owner };
  return { ...durable, rows };
}

export function withWitness(durable: Durable, at: number, change: Partial<Durable["witness"][number]>): Durable {
  const witness = [...durable.witness];
  witness[at] = { ...witnessOf(durable, at), ...change };
  return { ...durable, witness };
}

export function hostOf({ hosts }: ModelState, at: number): Host {
  const host = hosts[at];
  if (!host) throw new Error(`there is no host ${at}`);
  return host;
}

export function witnessOf({ witness }: Durable, at: number): Durable["witness"][number] {
  const one = witness[at];
  if (!one) throw new Error(`there is no host ${at}`);
  return one;
}
