/** Metrics of signed zones. */
import type { Registry } from '../../base/metrics/index.ts';
import type { SigningFaults } from '../../dns/dnssec/signing-faults.ts';
import { DNSSEC_PHASES } from '../../store/rows.ts';
import type { SigningKeeper } from './keeper.ts';

/** Counts of signatures that this process has made or found in its cache, and of faults. */
export interface Signatures {
  readonly made: number;
  readonly hits: number;
  readonly faults: SigningFaults;
}

export function signingMetrics(
  registry: Registry,
  keeper: Pick<SigningKeeper, 'counts' | 'earliestExpiry' | 'latestInception'>,
  signatures: Signatures,
): void {
  registry.read('gauge', 'waypost_dnssec_zones', 'Signed zones by their state.', ['state'], (emit) => {
    const { phases } = keeper.counts;
    for (const phase of DNSSEC_PHASES) emit(phases.get(phase) ?? 0, phase);
  });
  registry.read(
    'gauge',
    'waypost_dnssec_ds_mismatches',
    'Signed zones whose parent zone has a wrong DS record, lacks it, or cannot be asked.',
    [],
    (emit) => emit(keeper.counts.problems),
  );
  registry.read(
    'gauge',
    'waypost_dnssec_earliest_expiry_seconds',
    'When the first signature of all zones expires, in seconds since 1970; none: no zone is signed.',
    [],
    (emit) => {
      if (keeper.earliestExpiry !== null) emit(keeper.earliestExpiry);
    },
  );
  registry.read(
    'gauge',
    'waypost_dnssec_latest_inception_seconds',
    'When the last signature of all zones begins, in seconds since 1970; none: no zone is signed.',
    [],
    (emit) => {
      const latest = keeper.latestInception;
      if (latest !== null) emit(latest);
    },
  );
  registry.read(
    'counter',
    'waypost_dnssec_signatures_total',
    'Signatures that changes needed: made, or remembered from an earlier change.',
    ['source'],
    (emit) => {
      emit(signatures.made, 'made');
      emit(signatures.hits, 'remembered');
    },
  );
  registry.read(
    'counter',
    'waypost_dnssec_signing_faults_total',
    'Keys and signatures that were found wrong; nothing was published.',
    [],
    (emit) => emit(signatures.faults.count),
  );
}
