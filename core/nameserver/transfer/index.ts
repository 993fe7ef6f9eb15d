/** Composes zone transfers: requests, difference histories, and NOTIFY. */

import { FairSlots } from '../../base/fair-slots.ts';
import type { Logger } from '../../base/log/index.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Secrets } from '../../base/secrets.ts';
import { type Config, type Follow, parseNotifyTarget } from '../../config/index.ts';
import { parseName } from '../../dns/wire/name.ts';
import type { ZoneObserver } from '../../journal/apply/zone-difference.ts';
import type { Environment } from '../../store/environment.ts';
import type { IndexWriter } from '../../store/index/writer.ts';
import { ALLOW_AXFR_FROM, ALSO_NOTIFY, type Domain } from '../../store/rows.ts';
import { StoreReader } from '../../store/store-reader.ts';
import { findOperatorKey, openKeyring } from '../../store/tsig-keys/keyring.ts';
import type { AnswerSettings } from '../../zone/answer/settings.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import type { SteeringState } from '../../zone/steering/picker.ts';
import type { AnswerDeferred } from '../deferred.ts';
import { openVerifiedResponder } from '../local-responder.ts';
import { ZoneHistories } from './history.ts';
import { Holds } from './holds.ts';
import { readTransfers, TransferMetrics } from './metrics.ts';
import { Notifier } from './notify.ts';
import { TransferAccess, transferResponder } from './responder.ts';

export interface Transfers {
  /** For the journal. */
  readonly zones: ZoneObserver;
  /** Zones that are not published yet. */
  readonly holds: Holds;
  /** Answers AXFR, IXFR, and queries that are signed. */
  readonly answer: AnswerDeferred;
  /** Notifies the secondaries of a zone that has not changed. */
  notify(domain: Pick<Domain, 'id' | 'apex'>): void;
  /** Notifies the secondaries of all zones, and from then on of each change. */
  start(): void;
  close(): void;
}

export interface TransfersOptions {
  readonly config: Config;
  readonly environment: Environment;
  readonly index: IndexWriter;
  readonly zoneSettings: ZoneSettings;
  readonly answers: AnswerSettings;
  readonly steering: SteeringState;
  readonly secrets: Secrets;
  readonly metrics: Registry;
  readonly log: Logger;
  /** As LiveConfig; omitted: the configuration never changes. */
  readonly follow?: Follow;
}

/** Maximum zones with a history. An unchanged zone takes a few hundred bytes. */
const MAX_HISTORIES = 100_000;
/** Maximum requests that wait for a slot. It is below the limit of pending deferred messages. */
const MAX_WAITING = 128;
/**
 * Minimum rate of a client while others wait for a slot, in bytes per second. SnapshotDeadline has
 * the same rate, and ends slow transfers even if no client waits.
 */
const MINIMUM_RATE = { perSecond: 64 * 1024, windowMs: 3000 };

export function openTransfers(options: TransfersOptions): Transfers {
  const { config, environment, index, zoneSettings, answers, steering, secrets, metrics, log } = options;
  const { notify, source, maxConcurrent, history, historyBytes, historyTotal } = config.transfer;
  const { udpPayload } = config.dns;
  const reader = new StoreReader(environment);
  const observer = new TransferMetrics(metrics);
  const slots = new FairSlots({ slots: maxConcurrent, queue: MAX_WAITING, minimumRate: MINIMUM_RATE });
  const histories = new ZoneHistories({
    entries: history,
    bytes: historyBytes,
    total: historyTotal,
    zones: MAX_HISTORIES,
  });
  const holds = new Holds();
  const notifier = new Notifier({
    holds,
    targets: notify,
    sources: source,
    zoneTargets: {
      exist: () => reader.haveZoneLabels(),
      of: (id) => (reader.zoneLabels(id).metadata[ALSO_NOTIFY] ?? []).flatMap((text) => parseNotifyTarget(text) ?? []),
      sourcesOf(id) {
        const domain = reader.domain(id);
        return domain === undefined ? [] : reader.transferSources(domain);
      },
    },
    reader,
    keyByName: (text) => findOperatorKey(reader, secrets, parseName(`${text}.`)),
    log,
    observer,
  });
  readTransfers(metrics, slots, histories, notifier);
  const access = new TransferAccess(
    config.transfer.allow,
    ({ id }) => reader.zoneLabels(id).metadata[ALLOW_AXFR_FROM] ?? [],
  );
  options.follow?.(['transfer.allow'], () => access.setPrefixes(config.transfer.allow));
  const queries = openVerifiedResponder({
    index,
    environment,
    storeDirectory: config.dataDir,
    udpPayload,
    answers,
    steering,
  });
  let isNotifying = false;
  return {
    holds,
    zones: {
      follows: (domainId) => histories.follows(domainId),
      onChange(change) {
        histories.onChange(change);
        if (isNotifying) notifier.onChange(change);
      },
      hold: (reason, domainId) => holds.hold(reason, domainId),
      release: (reason) => holds.release(reason),
    },
    answer: transferResponder({
      environment,
      reader,
      zoneSettings,
      findKey: openKeyring(reader, secrets),
      access,
      histories,
      holds,
      slots,
      isUnavailable: (apex) => index.unavailable.has(apex),
      respond: ({ message, address, transport }) => queries.answer(message, address, transport)?.message ?? null,
      udpPayload,
      log,
      observer,
    }),
    notify({ id, apex }) {
      if (isNotifying) notifier.notify(id, apex);
    },
    start() {
      isNotifying = true;
      notifier.start();
    },
    close: () => notifier.close(),
  };
}
