/** The nodes of the cluster as this node sees them, for operators. */

import { FEATURE_LEVEL, FIRST_LEVEL } from '../journal/feature-level.ts';
import type { Member } from './members.ts';
import { fetchReport, type NodeReport, STARTED_AT } from './node-report.ts';
import type { PeerTls } from './peer-tls.ts';
import type { Standing } from './standing.ts';

/**
 * In addition to the states of a standing: `single`: the only node, without etcd; `unreachable`: it
 * does not respond to this node; `unknown`: its version does not report its state.
 */
export const NODE_STATES = ['single', 'unreachable', 'unknown'] as const;

export interface NodeView {
  readonly name: string;
  /** Null: a single node, which has no address for peers. */
  readonly address: string | null;
  readonly version: string;
  /** The feature level of its version: core/journal/feature-level.ts. */
  readonly level: number;
  readonly isSelf: boolean;
  /** Whether writes wait for the node. */
  readonly isLive: boolean;
  readonly state: Standing['state'] | (typeof NODE_STATES)[number];
  /** Sequence of the last applied entry, as of `heardAt`; null: not known. */
  readonly applied: number | null;
  readonly lagEntries: number | null;
  readonly lagSeconds: number | null;
  /** Unix time in seconds; null: not known. */
  readonly startedAt: number | null;
  readonly heardAt: number | null;
}

export interface ClusterView {
  /** Sequence of the last entry that any responding node has applied. */
  readonly head: number;
  readonly nodes: readonly NodeView[];
  /** The feature level that the nodes have agreed on; null: etcd has not been read yet. */
  readonly agreedLevel: number | null;
  /** Null: etcd is not configured, or does not report it. */
  readonly storage: Standing['storage'];
}

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
  storage(): Standing['storage'];
}

/** Requests the report of every node. Unreachable nodes are described from what is known. */
export async function describeCluster(parts: OverviewParts): Promise<ClusterView> {
  const { self, tls } = parts;
  const live = parts.live();
  const members = [...parts.members().values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const reports = await Promise.all(
    members.map(async (member) => ({
      member,
      report: member.name === self ? parts.report() : await fetchReport(member, tls),
    })),
  );
  const head = Math.max(0, ...reports.map(({ report }) => report?.applied ?? 0));
  const now = Math.floor(Date.now() / 1000);
  const nodes = reports.map(({ member: { name, address, version, level = FIRST_LEVEL }, report }): NodeView => {
    const heard = report === null ? parts.lastHeard(name) : { applied: report.applied, at: now };
    const applied = heard?.applied ?? null;
    return {
      name,
      address,
      version,
      level,
      applied,
      isSelf: name === self,
      isLive: live.has(name),
      state: report === null ? 'unreachable' : (report.state ?? 'unknown'),
      lagEntries: applied === null ? null : Math.max(0, head - applied),
      lagSeconds: report?.lagSeconds ?? null,
      startedAt: report?.startedAt ?? null,
      heardAt: heard?.at ?? null,
    };
  });
  return { head, nodes, agreedLevel: parts.agreedLevel(), storage: parts.storage() };
}

export function describeSingleNode(name: string, version: string, head: number): ClusterView {
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
  return { head, nodes: [view], agreedLevel: FEATURE_LEVEL, storage: null };
}
