/** Opens what steering needs on a node: places of clients, health of answers, the node's region. */
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import type { Logger } from '../../base/log/index.ts';
import type { Registry } from '../../base/metrics/index.ts';
import { Steps } from '../../base/steps.ts';
import type { Tasks } from '../../base/tasks.ts';
import type { Config, Follow } from '../../config/index.ts';
import type { Journal } from '../../journal/journal.ts';
import { parseAddress, parseExemptions } from '../../net/address/index.ts';
import { type Resolve, resolveBy, resolveBySystem } from '../../net/dial/checked-connector.ts';
import { CHECK_INTERVAL_MS, CountryFile } from '../../net/geography/country-file.ts';
import { readPlaces } from '../../net/geography/database.ts';
import { sharePlaces } from '../../net/geography/places.ts';
import type { Environment } from '../../store/environment.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import { shareCheckedAnswers } from '../../zone/steering/checked-answers.ts';
import type { SteeringState } from '../../zone/steering/picker.ts';
import { SteeringKeeper } from './keeper.ts';
import { createSteeringProbe } from './probe.ts';

interface StateOptions {
  readonly config: Pick<Config, 'edge' | 'peer'>;
  readonly tasks: Tasks;
  readonly log: Logger;
}

interface OpenState {
  readonly state: SteeringState;
  stop(): unknown;
}

/** Resolves when the file of countries, if there is one, has been read. */
export async function openSteeringState({ config, tasks, log }: StateOptions): Promise<OpenState> {
  const { countryFile: path } = config.edge;
  const state = {
    places: path === undefined ? null : sharePlaces(),
    checked: shareCheckedAnswers(),
    region: config.peer.region,
  };
  if (state.places === null) return { state, stop: () => {} };
  const { places } = state;
  let last: SharedArrayBuffer | null = null;
  let reading = Promise.resolve();
  const read = async (): Promise<void> => {
    const steps = new Steps();
    const content = last;
    last = null;
    if (content === null) return;
    try {
      for (const _ of readPlaces(Buffer.from(content), places)) await steps.next();
    } catch (error) {
      log.warn('cannot use the country file for steering; keeping the previous one', {
        file: path!,
        reason: (error as Error).message,
      });
    }
  };
  const next = (content: SharedArrayBuffer | null): Promise<void> => {
    last = content;
    reading = reading.then(read);
    return reading;
  };
  // The edge checks the format, with a log line of its own.
  const file = new CountryFile(path, { log, check: () => {} }, (content) => void next(content));
  await next(file.content);
  const task = tasks.add({
    name: 'steering-places',
    owner: 'node',
    due: CHECK_INTERVAL_MS,
    log,
    run: () => file.look(),
  });
  task.start();
  return { state, stop: () => task.stop() };
}

interface KeeperOptions extends StateOptions {
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
