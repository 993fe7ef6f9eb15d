/** The state of the nodes of a cluster: the report of each node, and the view of all of them. */
import type { EtcdStorage } from '../journal/etcd-client/messages.ts';
import { FEATURE_LEVEL, FIRST_LEVEL } from '../journal/feature-level.ts';
import type { Member } from './members.ts';
import type { PeerTls } from './peer-tls.ts';

/**
 * `starting`: has not read the log yet; `following`: applies new entries; `catching_up`: too far
 * behind, so writes do not wait for it; `fetching`: fetches the store of another node;
 * `without_etcd`: etcd does not respond, so no reachable node can write; `cut_off`: neither etcd
 * nor another node responds; `stuck`: cannot apply the next entry, such as with a full disk;
 * `lost`: no longer follows the log.
 */
export const STATES = [
  'starting',
  'following',
  'catching_up',
  'fetching',
  'without_etcd',
  'cut_off',
  'stuck',
  'lost',
] as const;

export type OwnState = (typeof STATES)[number];

/**
 * The states of a node as another node sees it. `single`: the only node, without etcd;
 * `unreachable`: it does not respond; `unknown`: its version does not report its state.
 */
export const VIEWED_STATES = [...STATES, 'single', 'unreachable', 'unknown'] as const;

/** What a node reports about itself. Null fields: its version does not report them. */
export interface NodeReport {
  /** Sequence of the last entry that it has applied. */
  readonly applied: number;
  readonly state: OwnState | null;
  /** Maximum staleness in seconds. */
  readonly lagSeconds: number | null;
  /** Unix time in seconds. */
  readonly startedAt: number | null;
}

/** A member with its report. Null fields: not known. */
export type NodeStatus = Member & { readonly [K in keyof NodeReport]: NodeReport[K] | null } & {
  /** The feature level of its version: core/journal/feature-level.ts. */
  readonly level: number;
  /** Whether writes wait for the node. */
  readonly isLive: boolean;
};

/** A node as this node sees it. */
export interface NodeView
  extends Pick<NodeStatus, 'name' | 'version' | 'level' | 'isLive' | 'applied' | 'lagSeconds' | 'startedAt'> {
  /** Null: a single node, which has no address for peers. */
  readonly address: string | null;
  readonly isSelf: boolean;
  readonly state: (typeof VIEWED_STATES)[number];
  readonly lagEntries: number | null;
  /** Unix time in seconds of the last contact, to which `applied` refers. */
  readonly heardAt: number | null;
}

export interface ClusterState<Node = NodeView> {
  /** Sequence of the last entry; 0: none. */
  readonly head: number;
  readonly nodes: readonly Node[];
  /** The feature level that the nodes have agreed on; null: etcd has not been read yet. */
  readonly agreedLevel: number | null;
  /** Null: etcd is not configured, does not report it, or refuses this node. */
  readonly etcd: EtcdStorage | null;
}

const NO_REPORT = { applied: null, state: null, lagSeconds: null, startedAt: null };

/** Milliseconds for the report of a node. */
const DEADLINE = 3000;

/** When this process started: Unix time in seconds. */
export const STARTED_AT = Math.round(Date.now() / 1000 - process.uptime());

export interface OverviewParts {
  readonly self: string;
  readonly tls: PeerTls;
  /** All known members by name, including this node. */
  members(): ReadonlyMap<string, Member>;
  live(): ReadonlySet<string>;
  agreedLevel(): number | null;
  /** The report of this node. */
  report(): NodeReport;
  /** The last report of another node. */
  lastHeard(name: string): { readonly applied: number; readonly at: number } | undefined;
  storage(): EtcdStorage | null;
}

/**
 * Requests the report of every node. Unreachable nodes are described from what is known. `head` is
 * the last entry that any responding node has applied.
 */
export async function describeCluster(parts: OverviewParts): Promise<ClusterState> {
  const { self } = parts;
  const members = [...parts.members().values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const nodes = await readNodes(members, parts.live(), async (member) =>
    member.name === self ? parts.report() : fetchReport(member, parts.tls),
  );
  const head = Math.max(0, ...nodes.map(({ applied }) => applied ?? 0));
  const now = Math.floor(Date.now() / 1000);
  const view = (node: NodeStatus): NodeView => {
    const { name, address, version, level, isLive, lagSeconds, startedAt } = node;
    const heard = node.applied === null ? parts.lastHeard(name) : { applied: node.applied, at: now };
    const applied = heard?.applied ?? null;
    return {
      name,
      address,
      version,
      level,
      applied,
      isSelf: name === self,
      isLive,
      state: node.applied === null ? 'unreachable' : (node.state ?? 'unknown'),
      lagEntries: applied === null ? null : Math.max(0, head - applied),
      lagSeconds,
      startedAt,
      heardAt: heard?.at ?? null,
    };
  };
  return { head, nodes: nodes.map(view), agreedLevel: parts.agreedLevel(), etcd: parts.storage() };
}

export function describeSingleNode(name: string, version: string, head: number): ClusterState {
  const view: NodeView = {
    name,
    version,
    level: FEATURE_LEVEL,
    address: null,
    isSelf: true,
    isLive: true,
    state: 'single',
    applied: head,
    lagEntries: 0,
    lagSeconds: 0,
    startedAt: STARTED_AT,
    heardAt: Math.floor(Date.now() / 1000),
  };
  return { head, nodes: [view], agreedLevel: FEATURE_LEVEL, etcd: null };
}

/** `read`: the report of a member; null: it does not respond. */
export function readNodes<M extends Member>(
  members: Iterable<M>,
  live: ReadonlySet<string>,
  read: (member: M) => Promise<NodeReport | null>,
): Promise<(M & NodeStatus)[]> {
  return Promise.all(
    Array.from(members, async (member) => ({
      ...member,
      level: member.level ?? FIRST_LEVEL,
      isLive: live.has(member.name),
      ...((await read(member)) ?? NO_REPORT),
    })),
  );
}

/** Reads the report of a node over the peer channel. Null: the node does not respond. */
export async function fetchReport(
  member: Pick<Member, 'name' | 'address' | 'key'>,
  tls: PeerTls,
): Promise<NodeReport | null> {
  const { peerAgent } = await import('./peer-agent.ts');
  const agent = peerAgent(member, tls, { connect: DEADLINE });
  try {
    const signal = AbortSignal.timeout(DEADLINE);
    const { body } = await agent.request({
      origin: `https://${member.address}`,
      path: '/v1/applied',
      method: 'GET',
      signal,
    });
    let text = '';
    // The peer sends a line now and after each change.
    for await (const chunk of body) {
      text += String(chunk);
      if (text.includes('\n')) return parseReport(text.slice(0, text.indexOf('\n')));
    }
    return null;
  } catch {
    return null;
  } finally {
    await agent.destroy();
  }
}

export function formatReport({ applied, state, lagSeconds, startedAt }: NodeReport): string {
  return JSON.stringify({ applied, state, lag_seconds: lagSeconds, started_at: startedAt });
}

/** Throws SyntaxError. */
export function parseReport(line: string): NodeReport | null {
  const fields = Object(JSON.parse(line)) as Record<string, unknown>;
  const { applied, state, lag_seconds: lagSeconds, started_at: startedAt } = fields;
  if (typeof applied !== 'number') return null;
  return {
    applied,
    state: STATES.find((reported) => reported === state) ?? null,
    lagSeconds: typeof lagSeconds === 'number' ? lagSeconds : null,
    startedAt: typeof startedAt === 'number' ? startedAt : null,
  };
}
