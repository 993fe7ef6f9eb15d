/** What nodes have written into etcd of themselves, below a prefix:
 *
 *   node/member/<name>    who belongs to the cluster, for good
 *   node/session/<name>   who of them is there: the process that has the name, under a lease
 *   node/live/<name>      who of them is caught up and serves, under the same lease
 *   node/removed/<id>     whose data was taken out of the cluster; its name may be given to another
 *   node/level            the feature level that the cluster has agreed on
 */
import type { EtcdGateway } from '../etcd/gateway.ts';
import { range } from '../etcd/messages.ts';
import { FIRST_LEVEL, type LevelledNode } from '../journal/feature-level.ts';

/** Its name is its host name in the cluster, and in its certificate. */
export interface Member extends LevelledNode {
  /** `host:port` where it talks to others. */
  readonly address: string;
  /** Omitted or empty: none. */
  readonly region?: string;
  /** `host:port` where its edge answers other nodes, for their caches. Omitted: nowhere. */
  readonly edge?: string;
}

/** As it stands in etcd. */
export interface KnownMember extends Member {
  /** Of its data folder. Null: a version wrote it that had none. */
  readonly id: string | null;
}

export interface Session {
  /** Of the data folder. */
  readonly id: string;
  /** Another at each start. */
  readonly process: string;
  /** Of etcd, that wrote it. */
  readonly revision: number;
}

export interface Members {
  readonly nodes: ReadonlyMap<string, KnownMember>;
  /** Names of those that are caught up and serve. */
  readonly live: ReadonlySet<string>;
  /** Names of those that run, caught up or not. */
  readonly there: ReadonlySet<string>;
  /** The feature level that the cluster has agreed on; null: etcd has not been read yet. */
  readonly agreedLevel: number | null;
}

export interface ClusterState extends Members {
  readonly agreedLevel: number;
  readonly sessions: ReadonlyMap<string, Session>;
  /** Ids. */
  readonly removed: ReadonlySet<string>;
  /** Of etcd, at which the agreed level was written; 0: it was not. */
  readonly levelRevision: number;
  /** Of etcd, at which it was read. */
  readonly revision: number;
}

type Kind = 'member' | 'session' | 'live' | 'removed';

export const keyOf = (prefix: string, kind: Kind, name: string): string => `${prefix}node/${kind}/${name}`;

export const levelKey = (prefix: string): string => `${prefix}node/level`;

/** All keys, or all of a kind: the first, and the one after the last. */
export function keysOf(prefix: string, kind?: Kind): readonly [string, string] {
  const folder = kind === undefined ? `${prefix}node` : `${prefix}node/${kind}`;
  // The character after the slash.
  return [`${folder}/`, `${folder}0`];
}

/** Rejects with EtcdUnavailable and EtcdRefused. */
export async function readMembers(gateway: EtcdGateway, prefix: string): Promise<ClusterState> {
  const [first, end] = keysOf(prefix);
  const { ranges, revision } = await gateway.transaction([], [range(first, end)]);
  const nodes = new Map<string, KnownMember>();
  const sessions = new Map<string, Session>();
  const [live, removed] = [new Set<string>(), new Set<string>()];
  let [agreedLevel, levelRevision] = [FIRST_LEVEL, 0];
  for (const { key, value, modRevision } of ranges[0]?.items ?? []) {
    const path = key.toString().slice(first.length);
    const name = path.slice(path.indexOf('/') + 1);
    if (path === 'level') [agreedLevel, levelRevision] = [levelOf(value), modRevision];
    else if (path.startsWith('live/')) live.add(name);
    else if (path.startsWith('removed/')) removed.add(name);
    else if (path.startsWith('session/')) sessions.set(name, { ...sessionOf(value), revision: modRevision });
    else {
      const member = memberOf(value);
      if (member !== null) nodes.set(member.name, member);
    }
  }
  return { nodes, live, there: new Set(sessions.keys()), sessions, removed, agreedLevel, levelRevision, revision };
}

/** Null for what no node of this kind has written. */
function memberOf(bytes: Buffer): KnownMember | null {
  const { name, address, version, level, region, edge, id } = fieldsOf(bytes);
  if (typeof name !== 'string' || typeof address !== 'string') return null;
  return {
    name,
    address,
    version: typeof version === 'string' ? version : '',
    level: typeof level === 'number' ? level : FIRST_LEVEL,
    ...(typeof region === 'string' && { region }),
    ...(typeof edge === 'string' && { edge }),
    id: typeof id === 'string' ? id : null,
  };
}

/** A damaged one counts as the first: it is written again when it can rise. */
function levelOf(bytes: Buffer): number {
  const level = Number(bytes.toString());
  return Number.isSafeInteger(level) && level >= FIRST_LEVEL ? level : FIRST_LEVEL;
}

/** What is damaged belongs to nobody. */
function sessionOf(bytes: Buffer): Omit<Session, 'revision'> {
  const { id, process } = fieldsOf(bytes);
  return { id: String(id), process: String(process) };
}

function fieldsOf(bytes: Buffer): Record<string, unknown> {
  try {
    return Object(JSON.parse(bytes.toString())) as Record<string, unknown>;
  } catch {
    return {};
  }
}
