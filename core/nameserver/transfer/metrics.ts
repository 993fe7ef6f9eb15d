/** Metrics of zone transfers and NOTIFY. */

import type { FairSlots } from '../../base/fair-slots.ts';
import type { Counter, Registry } from '../../base/metrics/index.ts';
import type { ZoneHistories } from './history.ts';
import type { Notifier } from './notify.ts';
import type { TransferObserver } from './responder.ts';

export class TransferMetrics implements TransferObserver {
  readonly #transfers: Counter;
  readonly #refusals: Counter;
  readonly #notices: Counter;

  constructor(registry: Registry) {
    this.#transfers = registry.counter(
      'waypost_transfers_total',
      'Responses to zone transfer requests: full, incremental, up to date, or retry over TCP.',
      ['kind'],
    );
    this.#refusals = registry.counter(
      'waypost_transfers_refused_total',
      'Zone transfers that were not allowed, and signed messages that failed verification.',
      ['why'],
    );
    this.#notices = registry.counter('waypost_notify_total', 'NOTIFY messages to secondaries, by outcome.', [
      'outcome',
    ]);
  }

  transferred(kind: 'axfr' | 'ixfr' | 'current'): void {
    this.#transfers.add(1, kind);
  }

  refused(why: 'access' | 'signature'): void {
    this.#refusals.add(1, why);
  }

  notified(outcome: 'answered' | 'refused' | 'given up'): void {
    this.#notices.add(1, outcome);
  }
}

/** Reads the gauges of histories and of pending requests and notifications. */
export function readTransfers(
  registry: Registry,
  slots: FairSlots,
  histories: ZoneHistories,
  notifier: Notifier,
): void {
  registry.read('gauge', 'waypost_transfers_under_way', 'Full zone transfers in flight.', [], (emit) =>
    emit(slots.inUse),
  );
  registry.read(
    'gauge',
    'waypost_transfers_waiting',
    'Requests for full zone transfers that wait for a slot.',
    [],
    (emit) => emit(slots.waiting),
  );
  registry.read(
    'gauge',
    'waypost_transfer_history_bytes',
    'Memory used by changes that are kept for IXFR.',
    [],
    (emit) => emit(histories.size.bytes),
  );
  registry.read('gauge', 'waypost_transfer_history_zones', 'Zones with changes that are kept for IXFR.', [], (emit) =>
    emit(histories.size.zones),
  );
  registry.read('gauge', 'waypost_notify_waiting', 'NOTIFY messages without a response yet.', [], (emit) =>
    emit(notifier.waiting),
  );
  registry.read(
    'gauge',
    'waypost_notify_unanswered',
    'Zones whose NOTIFY messages a secondary has not answered, up to the last attempt.',
    [],
    (emit) => emit(notifier.unanswered),
  );
}
