/** Whether this node serves, as /readyz, the metrics and systemd report it. */
import type { Registry } from '../base/metrics/index.ts';
import { readinessMetrics } from '../store/metrics.ts';
import { describeStanding, type Standing } from './lag.ts';
import type { Node } from './node.ts';

export interface Readiness {
  readonly ok: boolean;
  /** Why it is not ready; empty if it is. */
  readonly reasons: readonly string[];
  /** Problems that do not prevent serving. */
  readonly warnings: readonly string[];
  /** Null: a single node without a cluster. */
  readonly cluster: Standing | null;
  /** Null: no backups are configured, or the backups have not been read yet. */
  readonly backup: BackupSummary | null;
}

export interface BackupSummary {
  /** ISO 8601; null: no backup exists. */
  readonly latest: string | null;
  readonly count: number;
  /** Sequence of the last change in the backups and the copied changes. */
  readonly sequence: number;
  /** Why the last attempt failed; null: it did not. */
  readonly error: string | null;
}

interface WatchedParts {
  readonly node: Pick<Node, 'faults' | 'warnings' | 'standing'>;
  readonly nameserver: { readonly listening: boolean };
  readonly protection?: { warnings(): readonly string[] };
}

export class ReadinessWatch {
  /** Undefined: the edge does not listen yet; null: the configuration has no edge. */
  edge: { readonly isListening: boolean } | null | undefined;
  /** Undefined: signing has not started yet. */
  signing: { warnings(): readonly string[] } | undefined;
  /** Undefined: not read yet. */
  installation: { warnings(): readonly string[] } | undefined;
  /** Certificates in files; undefined: not read yet. */
  certificates: { warnings(): readonly string[] } | undefined;
  /** Undefined: backups have not started yet. */
  backups: { warnings(): readonly string[]; summary(): BackupSummary | null } | undefined;
  /** Until every part has started, and the first account exists. */
  isStarting = true;
  isStopping = false;

  constructor(
    private readonly parts: WatchedParts,
    metrics: Registry,
  ) {
    readinessMetrics(metrics, () => this.current());
  }

  current(): Readiness {
    const { node, nameserver, protection } = this.parts;
    const reasons = node.faults();
    if (!nameserver.listening) reasons.push('a DNS thread is not listening');
    if (this.edge === undefined || this.edge?.isListening === false) reasons.push('an edge thread is not listening');
    if (this.isStarting) reasons.push('the service is starting');
    if (this.isStopping) reasons.push('the service is stopping');
    const { signing, installation, certificates, backups } = this;
    const parts = [node, signing, installation, certificates, protection, backups];
    const warnings = parts.flatMap((part) => part?.warnings() ?? []);
    return {
      ok: reasons.length === 0,
      reasons,
      warnings,
      cluster: node.standing?.() ?? null,
      backup: backups?.summary() ?? null,
    };
  }
}

/** One line for `systemctl status`. */
export function describeReadiness({ ok, reasons, warnings, cluster }: Readiness): string {
  const summary = [ok ? 'serving' : `not ready: ${reasons.join('; ')}`, ...warnings].join('; ');
  return cluster === null ? summary : `${summary}; in the cluster: ${describeStanding(cluster)}`;
}
