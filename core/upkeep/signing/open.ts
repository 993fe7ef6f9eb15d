/** Creates the keeper of signed zones from the configuration, with its metrics. */

import type { Logger } from '../../base/log/index.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Tasks } from '../../base/tasks.ts';
import type { Config } from '../../config/index.ts';
import type { SigningFaults } from '../../dns/dnssec/signing-threads.ts';
import type { Journal } from '../../journal/journal.ts';
import { parseExemptions } from '../../net/address/index.ts';
import type { Environment } from '../../store/environment.ts';
import { DNSSEC_PHASES } from '../../store/rows.ts';
import { SigningKeeper } from './keeper.ts';
import { PublicParent } from './public-parent.ts';
import type { PublicLook } from './store-zone.ts';

interface OpenSigningOptions {
  readonly config: Pick<Config, 'dnssec' | 'nodeName' | 'nameservers'>;
  readonly environment: Environment;
  readonly journal: Journal;
  readonly metrics: Registry;
  readonly tasks: Tasks;
  readonly log: Logger;
  readonly node: {
    readonly served: (sequence: number, signal: AbortSignal) => Promise<void>;
  };
  /** Counts of the signatures of this process. */
  readonly signatures: Signatures;
}

interface Signing {
  /** For requests of the API. */
  readonly publicParent: PublicLook;
  readonly keeper: SigningKeeper;
  /** Problems of signatures that do not affect serving yet. */
  warnings(): string[];
  stop(): Promise<void>;
}

/** The keeper is not started yet. */
export function openSigning({ config, metrics, node, signatures, ...parts }: OpenSigningOptions): Signing {
  const stop = new AbortController();
  const publicParent = new PublicParent(
    { resolvers: () => config.dnssec.resolvers, exemptions: parseExemptions(config.dnssec.allowPrivateParents) },
    stop.signal,
  );
  const { nodeName, nameservers } = config;
  const { served } = node;
  const keeper = new SigningKeeper({ ...parts, publicParent, nodeName, nameservers, served });
  signingMetrics(metrics, keeper, signatures);
  signatures.faults.listener = (fault) => keeper.noteFault(fault);
  return {
    publicParent,
    keeper,
    warnings: () => keeper.warnings(),
    async stop() {
      stop.abort(new Error('the service is stopping'));
      await keeper.stop();
    },
  };
}

/** Counts of signatures that this process has made or found in its cache, and of faults. */
interface Signatures {
  readonly made: number;
  readonly hits: number;
  readonly faults: SigningFaults;
}

/** Metrics of signed zones. */
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
