/** What /readyz and systemd are told. */
import type { Node } from './node.ts';
import { describeStanding, type Standing } from './standing.ts';

export interface Readiness {
  readonly ok: boolean;
  /** What is not ready yet. */
  readonly reasons: readonly string[];
  /** What is wrong, and does not keep it from serving. */
  readonly warnings: readonly string[];
  /** Null: there is one node. */
  readonly cluster: Standing | null;
}

export interface Parts {
  readonly node: Pick<Node, 'faults' | 'warnings' | 'standing'>;
  readonly nameserver: { readonly listening: boolean };
  /** Undefined: it does not listen yet; null: it is not to. */
  edge: { readonly isListening: boolean } | null | undefined;
  isStopping: boolean;
}

export function readinessOf({ node, nameserver, edge, isStopping }: Parts): Readiness {
  const reasons = node.faults();
  if (!nameserver.listening) reasons.push('a DNS thread is not listening');
  if (edge === undefined || edge?.isListening === false) reasons.push('an edge thread is not listening');
  if (isStopping) reasons.push('the service is stopping');
  return { ok: reasons.length === 0, reasons, warnings: node.warnings(), cluster: node.standing?.() ?? null };
}

/** In words, for `systemctl status`. */
export function describeReadiness({ ok, reasons, warnings, cluster }: Readiness): string {
  const how = [ok ? 'serving' : `not ready: ${reasons.join('; ')}`, ...warnings].join('; ');
  return cluster === null ? how : `${how}; in the cluster: ${describeStanding(cluster)}`;
}
