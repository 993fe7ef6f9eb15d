/**
 * What nodes have written into etcd of themselves, below a prefix:
 *
 *   node/member/<name>         who belongs to the cluster, with the key of its certificate
 *   node/session/<name>        who of them is there: the process that has the name, under a lease
 *   node/live/<name>           who of them is caught up and serves, under the same lease
 *   node/removed/<id>          whose data was taken out of the cluster
 *   node/removed-key/<key>     whose key was taken out of the cluster, for good
 *   node/invited/<key>         for which name the key may become a member, once
 *   node/certificate/<serial>  for which key the authority has issued a certificate
 *   node/trust/<name>          the authorities that a node is to trust, in PEM
 *   node/reissued/<name>       the certificate that it is to take, in PEM
 *   node/level                 the feature level that the cluster has agreed on
 *
 * A key is a fingerprint: key-print.ts. A value that no node can have written is damaged: it is
 * reported, read again, and left behind when it is mended.
 */
import { X509Certificate } from 'node:crypto';
import type { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import { type KeyValue, range } from '../journal/etcd-client/messages.ts';
import { FIRST_LEVEL, type LevelledNode } from '../journal/feature-level.ts';
import { KEY_PRINT } from './key-print.ts';

/** Its name is its host name in the cluster, and in its certificate. */
export interface Member extends LevelledNode {
  /** `host:port` where it talks to others. */
  readonly address: string;
  /** Omitted or empty: none. */
  readonly region?: string;
  /** `host:port` where its edge answers other nodes, for their caches. Omitted: nowhere. */
  readonly edge?: string;
  /** Of its certificate. Omitted: a version before KEY_LEVEL wrote it. */
  readonly key?: string;
  /** In PEM. Omitted: as above. */
  readonly certificate?: string;
  /** Fingerprints of the authorities that it trusts. Omitted: as above. */
  readonly trusts?: readonly string[];
}

/** What a node is to take, while the authority is renewed. */
export interface Renewal {
  /** In PEM, as below. */
  readonly trust?: string;
  readonly certificate?: string;
}

/** As it stands in etcd. */
export interface KnownMember extends Member {
  /** Of its data folder. Null: a version wrote it that had none. */
  readonly id: string | null;
}

interface Session {
  /** Of the data folder. */
  readonly id: string;
  /** Another at each start. Empty: the value is damaged. */
  readonly process: string;
  /** Of etcd, that wrote it. */
  readonly revision: number;
  /** Of etcd; "0": none, so it would stay for ever. */
  readonly lease: string;
}

export interface Members {
  readonly nodes: ReadonlyMap<string, KnownMember>;
  /** Names of those that are caught up and serve. */
  readonly live: ReadonlySet<string>;
  /** Names of those that run, caught up or not. */
  readonly there: ReadonlySet<string>;
  /** The feature level that the cluster has agreed on; null: etcd has not been read yet. */
  readonly agreedLevel: number | null;
  /** Serial numbers of the certificates of removed keys, sorted. */
  readonly revoked: readonly string[];
  /** Of this node. */
  readonly renewal: Renewal;
}

/** An invitation that was not used yet. */
interface Invited {
  readonly name: string;
  /** Of etcd, that wrote it. */
  readonly revision: number;
}

export interface IssuedCertificate {
  readonly key: string;
  /** Of the node. */
  readonly name: string;
  /** Unix time in seconds. */
  readonly expires: number;
}

export interface ClusterState extends Omit<Members, 'revoked' | 'renewal'> {
  readonly agreedLevel: number;
  readonly sessions: ReadonlyMap<string, Session>;
  /** Ids. */
  readonly removed: ReadonlySet<string>;
  /** Keys. */
  readonly removedKeys: ReadonlySet<string>;
  /** Names by key. */
  readonly invited: ReadonlyMap<string, Invited>;
  readonly certificates: ReadonlyMap<string, IssuedCertificate>;
  /** By name. */
  readonly renewals: ReadonlyMap<string, Renewal>;
  /** Reasons by key in etcd. */
  readonly damaged: ReadonlyMap<string, string>;
  /** Of etcd, at which the agreed level was written; 0: it was not. */
  readonly levelRevision: number;
  /** Of etcd, at which it was read. */
  readonly revision: number;
}

type Kind =
  | 'member'
  | 'session'
  | 'live'
  | 'removed'
  | 'removed-key'
  | 'invited'
  | 'certificate'
  | 'trust'
  | 'reissued';

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
  const [marked, removed, removedKeys] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const invited = new Map<string, Invited>();
  const certificates = new Map<string, IssuedCertificate>();
  const renewals = new Map<string, Renewal>();
  const damaged = new Map<string, string>();
  let level: KeyValue | undefined;
  for (const item of ranges[0]?.items ?? []) {
    const { value, modRevision, lease } = item;
    const key = item.key.toString();
    const path = key.slice(first.length);
    const slash = path.indexOf('/');
    const name = path.slice(slash + 1);
    const unreadable = (): void => void damaged.set(key, `no node writes ${excerpt(value)}`);
    switch (path.slice(0, Math.max(0, slash)) as Kind | '') {
      case '':
        if (path === 'level') level = item;
        break;
      case 'live':
        marked.add(name);
        break;
      case 'removed':
        removed.add(name);
        break;
      case 'removed-key':
        removedKeys.add(name);
        break;
      case 'session': {
        const session = sessionOf(value);
        if (session === null) unreadable();
        sessions.set(name, { ...(session ?? { id: '', process: '' }), revision: modRevision, lease });
        break;
      }
      case 'trust':
        if (areCertificates(value)) renewals.set(name, { ...renewals.get(name), trust: value.toString() });
        else unreadable();
        break;
      case 'reissued':
        if (areCertificates(value)) renewals.set(name, { ...renewals.get(name), certificate: value.toString() });
        else unreadable();
        break;
      case 'invited': {
        const { node } = fieldsOf(value);
        if (typeof node === 'string') invited.set(name, { name: node, revision: modRevision });
        else unreadable();
        break;
      }
      case 'certificate': {
        const { key: print, node, expires } = fieldsOf(value);
        if (typeof print === 'string' && typeof node === 'string' && typeof expires === 'number')
          certificates.set(name, { key: print, name: node, expires });
        else unreadable();
        break;
      }
      case 'member': {
        const member = memberOf(value);
        if (member?.name === name) nodes.set(name, member);
        else unreadable();
      }
    }
  }
  const agreedLevel = levelOf(level, nodes) ?? (damaged.size === 0 ? leastLevel(nodes.values()) : FIRST_LEVEL);
  if (level !== undefined && levelOf(level, nodes) === null)
    damaged.set(levelKey(prefix), `${excerpt(level.value)} is above the feature level of every member, or none`);
  // Both are written under one lease: one without the other has no owner.
  const live = new Set([...marked].filter((name) => sessions.has(name)));
  return {
    nodes,
    live,
    there: new Set(sessions.keys()),
    sessions,
    removed,
    removedKeys,
    invited,
    certificates,
    renewals,
    damaged,
    agreedLevel,
    levelRevision: level?.modRevision ?? 0,
    revision,
  };
}

/** Null for what no node of this kind has written. */
function memberOf(bytes: Buffer): KnownMember | null {
  const { name, address, version, level, region, edge, id, key, certificate, trusts } = fieldsOf(bytes);
  if (typeof name !== 'string' || typeof address !== 'string') return null;
  if (level !== undefined && !(Number.isSafeInteger(level) && (level as number) >= FIRST_LEVEL)) return null;
  if (key !== undefined && !(typeof key === 'string' && KEY_PRINT.test(key))) return null;
  return {
    name,
    address,
    version: typeof version === 'string' ? version : '',
    level: typeof level === 'number' ? level : FIRST_LEVEL,
    ...(typeof region === 'string' && { region }),
    ...(typeof edge === 'string' && { edge }),
    ...(typeof key === 'string' && { key }),
    ...(typeof certificate === 'string' && { certificate }),
    ...(Array.isArray(trusts) && { trusts: trusts.map(String) }),
    id: typeof id === 'string' ? id : null,
  };
}

/**
 * Null: it is damaged. Members agree on a level that each of them has, so one above the level of
 * every member is no instruction of theirs.
 */
function levelOf(item: KeyValue | undefined, nodes: ReadonlyMap<string, KnownMember>): number | null {
  if (item === undefined) return FIRST_LEVEL;
  const level = Number(item.value.toString());
  const highest = Math.max(...Array.from(nodes.values(), (member) => member.level ?? FIRST_LEVEL));
  const isPossible = Number.isSafeInteger(level) && level >= FIRST_LEVEL && (nodes.size === 0 || level <= highest);
  return isPossible ? level : null;
}

/** What all of them have; they can have agreed on no more. */
const leastLevel = (nodes: Iterable<LevelledNode>): number =>
  Math.min(...Array.from(nodes, ({ level = FIRST_LEVEL }) => level));

function sessionOf(bytes: Buffer): Pick<Session, 'id' | 'process'> | null {
  const { id, process } = fieldsOf(bytes);
  return typeof id === 'string' && typeof process === 'string' && process !== '' ? { id, process } : null;
}

function fieldsOf(bytes: Buffer): Record<string, unknown> {
  try {
    return Object(JSON.parse(bytes.toString())) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function areCertificates(bytes: Buffer): boolean {
  try {
    return new X509Certificate(bytes).subject !== '';
  } catch {
    return false;
  }
}

/** For messages. */
const excerpt = (bytes: Buffer): string => JSON.stringify(bytes.toString('latin1', 0, 40));
