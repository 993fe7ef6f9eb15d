/** Creates the refresher of ALIAS targets from the configuration, with its metrics. */

import type { Logger } from '../../base/log/index.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Tasks } from '../../base/tasks.ts';
import type { Config } from '../../config/index.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Holds } from '../../nameserver/transfer/holds.ts';
import { parseExemptions } from '../../net/address/index.ts';
import type { Environment } from '../../store/environment.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import { type AliasObserver, AliasRefresher } from './refresher.ts';
import { ALIAS_STATUSES, AliasStates, stateOf } from './states.ts';

/** Seconds. A lookup times out after about ten. */
const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface OpenAliasesOptions {
  readonly config: Pick<Config, 'alias'>;
  readonly environment: Environment;
  readonly journal: Journal;
  readonly zoneSettings: ZoneSettings;
  readonly holds: Holds;
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
    resolvers: () => config.alias.resolvers,
    get staleMax() {
      return config.alias.staleMax;
    },
    allowPrivate: parseExemptions(config.alias.allowPrivateTargets),
    observer: aliasObserver(metrics),
  });
  aliasMetrics(metrics, states, refresher);
  return { states, refresher };
}

/** Metrics of ALIAS targets. */
export function aliasObserver(registry: Registry): AliasObserver {
  const looks = registry.counter(
    'waypost_alias_lookups_total',
    'Lookups of ALIAS targets, by result and by source: a resolver or the zones of this server.',
    ['result', 'source'],
  );
  const durations = registry.histogram(
    'waypost_alias_lookup_duration_seconds',
    'Duration of lookups that queried a resolver.',
    [],
    DURATIONS,
  );
  return {
    looked(result, isOutside, seconds) {
      looks.add(1, result, isOutside ? 'resolver' : 'own');
      if (isOutside) durations.observe(seconds);
    },
  };
}

export function aliasMetrics(registry: Registry, states: AliasStates, refresher: AliasRefresher): void {
  registry.read('gauge', 'waypost_alias_targets', 'Targets of ALIAS records, by state.', ['status'], (emit) => {
    const counts = new Map<string, number>(ALIAS_STATUSES.map((status) => [status, 0]));
    for (const target of states.live.values()) {
      const { status } = stateOf(target);
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
    for (const [status, count] of counts) emit(count, status);
  });
  registry.read(
    'counter',
    'waypost_alias_commits_total',
    'Commits that changed the addresses of ALIAS records or confirmed them.',
    [],
    (emit) => emit(refresher.counts.written),
  );
  registry.read(
    'counter',
    'waypost_alias_dropped_addresses_total',
    'Addresses of targets that are not served because they are not public.',
    [],
    (emit) => emit(refresher.counts.dropped),
  );
}
