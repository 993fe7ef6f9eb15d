/** Creates the keeper of signed zones from the configuration, with its metrics. */

import type { Logger } from '../../base/log/index.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Config } from '../../config/index.ts';
import type { Journal } from '../../journal/journal.ts';
import { parseExemptions } from '../../net/address/index.ts';
import type { Environment } from '../../store/environment.ts';
import { SigningKeeper } from './keeper.ts';
import { type Signatures, signingMetrics } from './metrics.ts';
import { PublicParent } from './public-parent.ts';
import type { PublicLook } from './store-zone.ts';

interface OpenSigningOptions {
  readonly config: Pick<Config, 'dnssec' | 'nodeName' | 'nameservers'>;
  readonly environment: Environment;
  readonly journal: Journal;
  readonly metrics: Registry;
  readonly log: Logger;
  readonly node: {
    readonly isAlone: boolean;
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
    { resolvers: config.dnssec.resolvers, exemptions: parseExemptions(config.dnssec.allowPrivateParents) },
    stop.signal,
  );
  const { nodeName, nameservers } = config;
  const { isAlone, served } = node;
  const keeper = new SigningKeeper({ ...parts, publicParent, nodeName, nameservers, isAlone, served });
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
