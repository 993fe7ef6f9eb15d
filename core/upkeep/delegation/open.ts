/** Creates the checks of delegations from the configuration. */

import type { Logger } from '../../base/log/index.ts';
import type { Tasks } from '../../base/tasks.ts';
import type { Config } from '../../config/index.ts';
import type { Journal } from '../../journal/journal.ts';
import { parseExemptions } from '../../net/address/index.ts';
import type { Environment } from '../../store/environment.ts';
import { DelegationKeeper } from './keeper.ts';
import { type DelegationLook, PublicDelegation } from './look.ts';

interface OpenDelegationsOptions {
  readonly config: Pick<Config, 'dnssec' | 'domains' | 'nameservers'>;
  readonly environment: Environment;
  readonly journal: Journal;
  readonly log: Logger;
  readonly tasks: Tasks;
}

interface Delegations {
  /** For requests of the API. */
  readonly look: DelegationLook;
  /** Starts the background checks, unless they are disabled. */
  start(): void;
  stop(): Promise<void>;
}

export function openDelegations({ config, ...parts }: OpenDelegationsOptions): Delegations {
  const { dnssec, domains, nameservers } = config;
  const stop = new AbortController();
  const exemptions = parseExemptions(dnssec.allowPrivateParents);
  const look = new PublicDelegation({ resolvers: dnssec.resolvers, exemptions }, stop.signal);
  const keeper = new DelegationKeeper({ ...parts, look, nameservers });
  return {
    look,
    start() {
      if (domains.checkDelegation) keeper.start();
    },
    async stop() {
      stop.abort(new Error('the service is stopping'));
      await keeper.stop();
    },
  };
}
