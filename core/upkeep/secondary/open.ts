/** Creates the parts that refresh secondary zones, with their metrics. */

import type { Logger } from '../../base/log/index.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Tasks } from '../../base/tasks.ts';
import { type Config, sourceFor } from '../../config/index.ts';
import { formatHost } from '../../dns/wire/name.ts';
import type { TsigKey } from '../../dns/wire/tsig.ts';
import type { Journal } from '../../journal/journal.ts';
import type { AnswerDeferred } from '../../nameserver/deferred.ts';
import { parseExemptions } from '../../net/address/index.ts';
import { isSameFamily, localSource } from '../../net/local-source.ts';
import type { Environment } from '../../store/environment.ts';
import type { IndexWriter } from '../../store/index/writer.ts';
import { type Id, idKey } from '../../store/keys.ts';
import { type Primary, type SecondaryRow, secondaries } from '../../store/rows.ts';
import { StoreReader } from '../../store/store-reader.ts';
import { holdKey, openKeyring } from '../../store/tsig-keys/keyring.ts';
import { RowBatch } from './commit.ts';
import { SecondaryKeeper } from './keeper.ts';
import { TransferMemory } from './memory.ts';
import { notifyResponder } from './notify.ts';
import { ZoneReading } from './reading.ts';
import { type RefreshParts, refresh } from './refresh.ts';

interface OpenSecondariesOptions {
  readonly config: Pick<Config, 'secondary' | 'transfer'>;
  readonly environment: Environment;
  readonly index: IndexWriter;
  readonly journal: Journal;
  readonly secrets: Secrets;
  readonly metrics: Registry;
  readonly log: Logger;
  readonly tasks: Tasks;
  /** Milliseconds since 1970. Corrected, since zones must not expire by a wrong system clock. */
  readonly clock: { estimate(): number };
}

/** Concurrent transfers of zones of the maximum size that fit into the memory limit. */
const ZONES_IN_MEMORY = 2;

interface Secondaries {
  /** The latest row of a zone on this node. */
  row(domainId: Id): SecondaryRow | undefined;
  /** Refreshes the zone now. Never rejects. */
  transfer(domainId: Id, force: boolean): Promise<SecondaryRow | undefined>;
  /** Answers NOTIFY. */
  readonly answerNotify: AnswerDeferred;
  start(): void;
  stop(): Promise<void>;
}

/** Reads all secondary zones. Nothing is transferred before `start`. */
export function openSecondaries(options: OpenSecondariesOptions): Secondaries {
  const { config, environment, index, journal, secrets, metrics, tasks, log } = options;
  const {
    acceptOlderSerials: acceptsOlder,
    allowPrivatePrimaries,
    maxConcurrent,
    maxNsec3Iterations,
    maxZoneSize,
    minRefresh,
    maxRefresh,
  } = config.secondary;
  const reader = new StoreReader(environment);
  const reading = new ZoneReading();
  const refreshes = metrics.counter(
    'waypost_secondary_refreshes_total',
    'Refreshes of secondary zones: full or incremental transfers, unchanged, or failed.',
    ['result'],
  );
  const now = (): number => options.clock.estimate() / 1000;
  const memory = new TransferMemory(ZONES_IN_MEMORY * maxZoneSize);
  const parts: RefreshParts = {
    environment,
    journal,
    reader,
    reading,
    memory,
    now,
    exemptions: parseExemptions(allowPrivatePrimaries),
    maxBytes: maxZoneSize,
    sourceOf: sourcesOf(reader, config.transfer.source, log),
    maxIterations: maxNsec3Iterations,
    acceptsOlder,
    minRefresh,
    maxRefresh,
    keyOf: (primary) => keyOf(reader, secrets, primary),
  };
  const keeper = new SecondaryKeeper({
    log,
    now,
    maxConcurrent,
    minRefresh,
    maxRefresh,
    acceptsOlder,
    tasks,
    rows: () => allRows(environment),
    storedRow: (domainId) => reader.row(secondaries, idKey(domainId)),
    domain: (domainId) => reader.domain(domainId),
    refresh: (domain, row, how) => refresh(parts, domain, row, how),
    batch: new RowBatch({ environment, journal, log }),
    unavailable: index.unavailable,
    onCount: (count) => index.setSecondaries(count > 0),
    observer: (result) => refreshes.add(1, result),
  });
  metrics.read('gauge', 'waypost_secondary_zones', 'Secondary zones, by state.', ['state'], (emit) => {
    for (const [state, count] of Object.entries(keeper.counts())) emit(count, state);
  });
  metrics.read('gauge', 'waypost_secondary_in_flight', 'Refreshes of secondary zones in flight.', [], (emit) =>
    emit(keeper.inFlight),
  );
  metrics.read(
    'gauge',
    'waypost_secondary_waiting',
    'Refreshes of secondary zones that wait for their turn.',
    [],
    (emit) => emit(keeper.waiting),
  );
  metrics.read('gauge', 'waypost_secondary_transfer_bytes', 'Memory used by transfers in flight.', [], (emit) =>
    emit(memory.used),
  );
  keeper.load();
  journal.onSecondaries((domainIds) => keeper.onRows(domainIds));
  journal.onDomain((domain, present) => {
    if (present && domain.kind === 'secondary') keeper.onDomain(domain.id);
  });
  return {
    row: (domainId) => keeper.row(domainId),
    transfer: (domainId, force) => keeper.transfer(domainId, force),
    answerNotify: notifyResponder({
      reader,
      findKey: openKeyring(reader, secrets),
      keyOf: (id) => {
        const row = reader.tsigKey(id);
        return row && holdKey(reader, secrets, row);
      },
      log,
      notify: (domainId, serial) => keeper.notify(domainId, serial),
    }),
    start: () => keeper.start(),
    async stop() {
      await keeper.stop();
      await reading.close();
    },
  };
}

function* allRows(environment: Environment): Generator<SecondaryRow> {
  for (const { key, value } of environment.rows.get(secondaries.number)!.getRange({}))
    yield secondaries.decode(key as Buffer, value);
}

/** The source addresses of a zone that this node has, or else its own. Logs each fault once. */
function sourcesOf(reader: StoreReader, common: readonly string[], log: Logger): RefreshParts['sourceOf'] {
  const reported = new Set<Id>();
  return async (domain, to) => {
    const sources = reader.transferSources(domain).filter((source) => isSameFamily(source, to));
    const own = await localSource(sources, to);
    if (own !== undefined || sources.length === 0) reported.delete(domain.id);
    else if (!reported.has(domain.id)) {
      reported.add(domain.id);
      log.warn('a zone has source addresses of other nodes alone', {
        zone: formatHost(domain.apex),
        sources: sources.join(' '),
      });
    }
    return own ?? sourceFor(common, to);
  };
}

/** Throws Error. */
function keyOf(reader: StoreReader, secrets: Secrets, primary: Primary): TsigKey | null {
  if (primary.tsigKeyId === null) return null;
  const row = reader.tsigKey(primary.tsigKeyId);
  const key = row && holdKey(reader, secrets, row);
  if (key === undefined)
    throw new Error(`the TSIG key ${primary.tsigKeyId} does not exist, or its account is disabled`);
  return key;
}
