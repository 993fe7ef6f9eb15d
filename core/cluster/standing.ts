/** The state of a node in its cluster, as the node itself determines it. */
import type { EtcdStorage } from '../journal/etcd-client/messages.ts';

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

export interface Standing {
  readonly state: (typeof STATES)[number];
  /** Changes that the log or another node has and this node has not applied. */
  readonly lagEntries: number;
  /**
   * Maximum staleness of this node: seconds since it had applied everything that the log, or
   * another node, reported. Without etcd it grows only while no other node responds, or a node is
   * known to be ahead. Counts from the start if this node has never been current.
   */
  readonly lagSeconds: number;
  /** Seconds since the last response of etcd; null: none since the start. */
  readonly etcdSeconds: number | null;
  /** The feature level that the nodes have agreed on; null: etcd has not been read yet. */
  readonly agreedLevel: number | null;
  /** The storage of etcd some seconds ago; null: etcd does not report it. */
  readonly storage: EtcdStorage | null;
  /** Values in etcd that are damaged now. */
  readonly damagedValues: number;
  /** Names of the nodes that have not applied all changes of this node, sorted. */
  readonly pending: readonly string[];
}

/** Describes the standing for operators: `following, 0 changes and 0.4 s behind`. */
export function describeStanding({ state, lagEntries, lagSeconds, etcdSeconds, pending }: Standing): string {
  const etcd =
    etcdSeconds === null ? 'no response from etcd yet' : `last response from etcd ${etcdSeconds.toFixed(1)} s ago`;
  const behind = `${lagEntries} ${lagEntries === 1 ? 'change' : 'changes'} and ${lagSeconds.toFixed(1)} s behind`;
  const others = pending.length === 0 ? '' : `, waiting for ${pending.join(', ')}`;
  return `${state.replaceAll('_', ' ')}, ${behind}, ${etcd}${others}`;
}
