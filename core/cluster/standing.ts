/** How a node stands to the others of its cluster, as it knows by itself. */
import type { EtcdStorage } from '../journal/etcd-client/messages.ts';

/**
 * `starting`: it has not seen the log yet; `following`: it applies what comes; `catching_up`:
 * others do not wait for it; `fetching`: it gets the store of another node; `without_etcd`: etcd
 * does not answer, so nobody it hears can write; `cut_off`: neither etcd nor another node is heard;
 * `stuck`: it cannot apply what comes next, as with a full disk; `lost`: it follows no more.
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
  /** Changes that the log, or another node, is known to have and this node has not applied. */
  readonly lagEntries: number;
  /**
   * For so long somebody may have known more than this node serves: since it looked at the log, or
   * heard another node, and had all that these knew of. Without etcd it grows only while no other
   * node is heard, or one is known to be ahead. Since the start, when it has never had all.
   */
  readonly lagSeconds: number;
  /** Since etcd has answered; null: it has not since the start. */
  readonly etcdSeconds: number | null;
  /** The feature level that the nodes have agreed on; null: etcd has not been read yet. */
  readonly agreedLevel: number | null;
  /** Of etcd, as of some seconds ago; null: it does not say. */
  readonly storage: EtcdStorage | null;
  /** Values in etcd that are damaged now. */
  readonly damagedValues: number;
  /** Nodes that have not applied all that this one has, sorted. */
  readonly pending: readonly string[];
}

/** In words, for people: `following, 0 changes and 0.4 s behind`. */
export function describeStanding({ state, lagEntries, lagSeconds, etcdSeconds, pending }: Standing): string {
  const etcd =
    etcdSeconds === null ? 'no response from etcd yet' : `last response from etcd ${etcdSeconds.toFixed(1)} s ago`;
  const behind = `${lagEntries} ${lagEntries === 1 ? 'change' : 'changes'} and ${lagSeconds.toFixed(1)} s behind`;
  const others = pending.length === 0 ? '' : `, waiting for ${pending.join(', ')}`;
  return `${state.replaceAll('_', ' ')}, ${behind}, ${etcd}${others}`;
}
