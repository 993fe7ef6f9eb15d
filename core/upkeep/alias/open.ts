/** Creates the refresher of ALIAS targets from the configuration, with its metrics. */

import type { Logger } from '../../base/log/index.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Tasks } from '../../base/tasks.ts';
import type { Config } from '../../config/index.ts';
import type { Journal } from '../../journal/journal.ts';
import { parseExemptions } from '../../net/address/index.ts';
import type { Environment } from '../../store/environment.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import { aliasMetrics, aliasObserver } from './metrics.ts';
import { AliasRefresher } from './refresher.ts';
import { AliasStates } from './states.ts';

interface OpenAliasesOptions {
  readonly config: Pick<Config, 'alias'>;
  readonly environment: Environment;
  readonly journal: Journal;
  readonly zoneSettings: ZoneSettings;
  readonly metrics: Registry;
  readonly tasks: Tasks;
  readonly log: Logger;
}

/** The refresher is not started yet. */
export function openAliases({ config, metrics, ...parts }: OpenAliasesOptions): {
  readonly states: AliasStates;
  readonly refresher: AliasRefresher;
} {
  const states = new AliasStates(parts.environment);
  const refresher = new AliasRefresher({
    ...parts,
    states,
    resolvers: config.alias.resolvers,
    staleMax: config.alias.staleMax,
    allowPrivate: parseExemptions(config.alias.allowPrivateTargets),
    observer: aliasObserver(metrics),
  });
  aliasMetrics(metrics, states, refresher);
  return { states, refresher };
}
