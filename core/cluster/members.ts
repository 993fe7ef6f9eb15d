/**
 * The members of the cluster as stored in etcd, below a prefix:
 *
 *   node/member/<name>         a member, with the key of its certificate
 *   node/session/<name>        a running member: the process that has the name, under a lease
 *   node/live/<name>           a member that is caught up and serves, under the same lease
 *   node/removed/<id>          a removed data folder
 *   node/removed-key/<key>     a key that can never be a member again
 *   node/invited/<key>         the name with which the key may become a member, once
 *   node/used/<key>            the "waypost cluster join" that has used the invitation of the key
 *   node/certificate/<serial>  the key for which the authority has issued a certificate
 *   node/trust/<name>          the authorities that a node must trust, in PEM
 *   node/reissued/<name>       the certificate that a node must install, in PEM
 *   node/level                 the feature level that the cluster has agreed on
 *
 * A key is a fingerprint: peer-tls.ts. A value that no node can have written is damaged. It is
 * reported, and read again until it is mended.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { replaceFileSync } from '../base/write-file.ts';
import type { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import { type KeyValue, range } from '../journal/etcd-client/messages.ts';
import { FIRST_LEVEL, type LevelledNode } from '../journal/feature-level.ts';
import { makeFolder } from '../store/folder.ts';
import { KEY_PRINT } from './peer-tls.ts';

/**
 * Milliseconds, after such a node was first seen, for which the log keeps its entries. The node may
 * be offline meanwhile, such as during the restart after the copy.
 */
const KEEP_MS = 30 * 60_000;

/** A member of the cluster. Its name is also the DNS name in its certificate. */
export interface Member extends LevelledNode {
  /** `host:port` of its peer server. */
  readonly address: string;
  /** Omitted or empty: none. */
  readonly region?: string;
  /** `host:port` where its edge serves the caches of other nodes. Omitted: nowhere. */
  readonly edge?: string;
  /** Fingerprint of its certificate's key. Omitted: written by a version before KEY_LEVEL. */
  readonly key?: string;
  /** Its certificate in PEM. Omitted: as above. */
  readonly certificate?: string;
  /** Fingerprints of the authorities that it trusts. Omitted: as above. */
  readonly trusts?: readonly string[];
}

/** Trust and certificate that a node must install while the authority is renewed, in PEM. */
export interface Renewal {
  readonly trust?: string;
  readonly certificate?: string;
}

/** A member as stored in etcd. */
export interface KnownMember extends Member {
  /** Id of its data folder. Null: written by a version without ids. */
  readonly id: string | null;
}

interface Session {
  /** Id of the data folder. */
  readonly id: string;
  /** Random at each start. Empty: the value is damaged. */
  readonly process: string;
  /** Revision of etcd that wrote it. */
  readonly revision: number;
  /** Lease in etcd; "0": none, so the key would never expire. */
  readonly lease: string;
}

export interface Members {
  readonly nodes: ReadonlyMap<string, KnownMember>;
  /** Names of the nodes that are caught up and serve. */
  readonly live: ReadonlySet<string>;
  /** Names of the running nodes, caught up or not. */
  readonly there: ReadonlySet<string>;
  /** The feature level that the cluster has agreed on; null: etcd has not been read yet. */
  readonly agreedLevel: number | null;
  /** Serial numbers of the certificates of removed keys, sorted. */
  readonly revoked: readonly string[];
  /** The renewal of this node. */
  readonly renewal: Renewal;
}

/** What an invitation is bound to. */
export interface InvitationTerms {
  /** Unix time in seconds; omitted: it does not expire. */
  readonly expires?: number;
  /** Names and addresses of the node; omitted or empty: any. */
  readonly hosts?: readonly string[];
  /** The certificate is of an authority of the operator, so its key may be invited again. */
  readonly external?: boolean;
}

/** An unused invitation. */
export interface Invited extends InvitationTerms {
  readonly name: string;
  /** Revision of etcd that wrote it. */
  readonly revision: number;
}

export interface IssuedCertificate {
  readonly key: string;
  /** Name of the node. */
  readonly name: string;
  /** Unix time in seconds. */
  readonly expires: number;
}

export interface ClusterState extends Omit<Members, 'revoked' | 'renewal'> {
  readonly agreedLevel: number;
  readonly sessions: ReadonlyMap<string, Session>;
  /** Ids of data folders. */
  readonly removed: ReadonlySet<string>;
  /** Fingerprints of keys. */
  readonly removedKeys: ReadonlySet<string>;
  /** Invitations by fingerprint of the key. */
  readonly invited: ReadonlyMap<string, Invited>;
  /** Ids of joins by the key of the invitation that they have used; null: a join without an id. */
  readonly used: ReadonlyMap<string, string | null>;
  readonly certificates: ReadonlyMap<string, IssuedCertificate>;
  /** By name. */
  readonly renewals: ReadonlyMap<string, Renewal>;
  /** Reasons by key in etcd. */
  readonly damaged: ReadonlyMap<string, string>;
  /** Revision of etcd that wrote the agreed level; 0: not written yet. */
  readonly levelRevision: number;
  /** Revision of etcd at the read. */
  readonly revision: number;
}

type Kind =
  | 'member'
  | 'session'
  | 'live'
  | 'removed'
  | 'removed-key'
  | 'invited'
  | 'used'
  | 'certificate'
  | 'trust'
  | 'reissued';

export const keyOf = (prefix: string, kind: Kind, name: string): string => `${prefix}node/${kind}/${name}`;

export const levelKey = (prefix: string): string => `${prefix}node/level`;

/** The range of all keys, or of all keys of a kind: the first key, and the first key after them. */
export function keysOf(prefix: string, kind?: Kind): readonly [string, string] {
  const folder = kind === undefined ? `${prefix}node` : `${prefix}node/${kind}`;
  // "0" follows "/" in ASCII.
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
  const used = new Map<string, string | null>();
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
        const { node, expires, hosts, external } = fieldsOf(value);
        const terms = {
          ...(typeof expires === 'number' && { expires }),
          ...(Array.isArray(hosts) && { hosts: hosts.map(String) }),
          ...(external === true && { external }),
        };
        if (typeof node === 'string') invited.set(name, { name: node, revision: modRevision, ...terms });
        else unreadable();
        break;
      }
      case 'used': {
        const { join } = fieldsOf(value);
        if (join === null || typeof join === 'string') used.set(name, join);
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
  // Both are written under one lease: a live key without a session is a leftover.
  const live = new Set([...marked].filter((name) => sessions.has(name)));
  return {
    nodes,
    live,
    there: new Set(sessions.keys()),
    sessions,
    removed,
    removedKeys,
    invited,
    used,
    certificates,
    renewals,
    damaged,
    agreedLevel,
    levelRevision: level?.modRevision ?? 0,
    revision,
  };
}

/** Null: no node can have written this. */
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
 * Null: damaged. Members agree only on a level that all of them support, so a level above every
 * member is invalid.
 */
function levelOf(item: KeyValue | undefined, nodes: ReadonlyMap<string, KnownMember>): number | null {
  if (item === undefined) return FIRST_LEVEL;
  const level = Number(item.value.toString());
  const highest = Math.max(...Array.from(nodes.values(), (member) => member.level ?? FIRST_LEVEL));
  const isPossible = Number.isSafeInteger(level) && level >= FIRST_LEVEL && (nodes.size === 0 || level <= highest);
  return isPossible ? level : null;
}

/** The lowest level of the nodes; they cannot have agreed on a higher one. */
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

/** Start of a value, for messages. */
const excerpt = (bytes: Buffer): string => JSON.stringify(bytes.toString('latin1', 0, 40));

/**
 * Running nodes that are not caught up, such as a node that copies the store of another. The log
 * must keep the entries from which they continue.
 */
export class Joining {
  /**
   * Time when each node was first seen, by performance.now(). The time is not renewed before the
   * node has caught up.
   */
  readonly #since = new Map<string, number>();

  constructor(private readonly self: string) {}

  changed({ nodes, live, there }: Members, now = performance.now()): void {
    for (const name of this.#since.keys()) if (live.has(name) || !nodes.has(name)) this.#since.delete(name);
    for (const name of there)
      if (name !== this.self && nodes.has(name) && !live.has(name) && !this.#since.has(name))
        this.#since.set(name, now);
  }

  /** Whether the log must keep entries for a node. */
  isAny(now = performance.now()): boolean {
    return [...this.#since.values()].some((since) => now - since < KEEP_MS);
  }
}

/**
 * Reads the file with the known nodes: a node that starts while etcd is down can still connect to
 * its peers. The file is a hint; etcd is authoritative. Empty: it does not exist, or is damaged.
 */
export function readKnownNodes(file: string): ReadonlyMap<string, Member> {
  try {
    const list = JSON.parse(readFileSync(file, 'utf8')) as (Partial<Member> | null)[];
    return new Map(list.filter(isMember).map((member) => [member.name, member]));
  } catch {
    return new Map();
  }
}

function isMember(member: Partial<Member> | null): member is Member {
  const { name, address, version, level = FIRST_LEVEL, key = '', certificate = '' } = member ?? {};
  return (
    [name, address, version, key, certificate].every((field) => typeof field === 'string') &&
    Number.isSafeInteger(level)
  );
}

/** Throws the errors of the file system, and ConfigError `no_folder`. */
export function writeKnownNodes(file: string, nodes: Iterable<Member>): void {
  makeFolder(dirname(file));
  const list = [...nodes].map(({ name, address, version, level, key, certificate }) => {
    return { name, address, version, level, key, certificate };
  });
  replaceFileSync(file, `${JSON.stringify(list, null, 2)}\n`, { mode: 0o600 });
}
