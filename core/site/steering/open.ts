/** Opens the checks of steered answers. */
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import type { Logger } from '../../base/log/index.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Tasks } from '../../base/tasks.ts';
import type { Config, Follow } from '../../config/index.ts';
import type { Journal } from '../../journal/journal.ts';
import { parseAddress, parseExemptions } from '../../net/address/index.ts';
import { type Resolve, resolveBy, resolveBySystem } from '../../net/dial/checked-connector.ts';
import type { Environment } from '../../store/environment.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import type { SteeringState } from '../../zone/steering/picker.ts';
import { SteeringKeeper } from './keeper.ts';
import { createSteeringProbe } from './probe.ts';

interface KeeperOptions {
  readonly config: Pick<Config, 'edge'>;
  readonly tasks: Tasks;
  readonly log: Logger;
  readonly environment: Environment;
  readonly journal: Journal;
  readonly zoneSettings: Pick<ZoneSettings, 'cluster'>;
  readonly metrics: Registry;
  readonly steering: SteeringState;
  /** As LiveConfig; omitted: the configuration never changes. */
  readonly follow?: Follow;
}

export function openSteeringHealth({
  config,
  zoneSettings,
  steering,
  follow,
  ...options
}: KeeperOptions): SteeringKeeper {
  const { edge } = config;
  const { cluster } = zoneSettings;
  const cards = Object.values(networkInterfaces()).flatMap((card) => card?.map(({ address }) => address) ?? []);
  const own = [...cluster.ipv4, ...cluster.ipv6, ...cards].flatMap((text) => parseAddress(text) ?? []);
  const rule = { exemptions: parseExemptions(edge.allowPrivateOrigins), own };
  const stopped = new AbortController();
  const byOwn = resolveBy(() => edge.resolvers, stopped.signal);
  const resolve: Resolve = (host) => (edge.resolvers.length === 0 ? resolveBySystem : byOwn)(host);
  const open = () => {
    // As edge/gateway/origins.ts: a check trusts what requests to origins trust.
    const ca = edge.originCaFile === undefined ? undefined : readFileSync(edge.originCaFile, 'utf8');
    return createSteeringProbe({ rule, resolve, ca });
  };
  let probe = open();
  follow?.(['edge.origin_ca_file'], () => {
    probe = open();
  });
  return new SteeringKeeper({ ...options, shared: steering.checked!, probe: (...check) => probe(...check) });
}
