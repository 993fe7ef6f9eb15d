/** Reads journal entries on the delivering node. */

import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Logger } from '../../base/log/index.ts';
import { RecentMap } from '../../base/recent-map.ts';
import { formatHost } from '../../dns/wire/name.ts';
import { type Change, decodeEntry, type Entry } from '../../journal/entry-codec.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Environment } from '../../store/environment.ts';
import { type Id, idAt, sequenceKey } from '../../store/keys.ts';
import type { Reader } from '../../store/reader.ts';
import { type Certificate, deliveries, webhooks } from '../../store/rows.ts';
import { StoreReader } from '../../store/store-reader.ts';
import { eventsOfEntry } from './entry-events.ts';
import { formatUtc, type NewEvent } from './payload.ts';
import { QUEUE_AUTHOR, readDelivery } from './queue.ts';
import type { Session } from './session.ts';

const DAY = 86_400;

/** Seconds before the expiry of a certificate at which an event is sent. */
const THRESHOLDS = [14 * DAY, 7 * DAY, DAY];

/** Maximum interval in seconds between two checks; events of a longer gap are lost. */
const LONGEST_INTERVAL = DAY;

/** Domains that are read between two turns of the event loop. */
const PAGE = 200;

/**
 * Certificates that expire soon: an event of the clock, 14, 7 and 1 days before.
 *
 * The certificates of an account that passed a threshold after `last`, up to `now`; both in seconds
 * since 1970.
 */
export async function expiringCertificates(
  reader: Reader,
  accountId: Id,
  last: number,
  now: number,
): Promise<NewEvent[]> {
  const events: NewEvent[] = [];
  const from = Math.max(last, now - LONGEST_INTERVAL);
  for (let after: Uint8Array | null = null; ; await yieldToOthers()) {
    const page = reader.domainsOf(accountId, after, PAGE);
    for (const { id, apex } of page) {
      const domain = { id, domain: formatHost(apex) };
      for (const { notAfter, names = [] } of servedCertificates(reader, id)) {
        if (!THRESHOLDS.some((before) => notAfter - before > from && notAfter - before <= now)) continue;
        events.push({
          type: 'certificate.expiring',
          accountId,
          domainId: id,
          sequence: null,
          time: now * 1000,
          data: {
            seq: null,
            kind: 'certificate',
            id,
            action: null,
            actor: null,
            account_id: accountId,
            domain,
            names,
            expires_at: formatUtc(notAfter),
            days_left: Math.max(0, Math.floor((notAfter - now) / DAY)),
          },
        });
      }
    }
    if (page.length < PAGE) return events;
    after = page[page.length - 1].apex;
  }
}

/** As the edge selects them. */
function servedCertificates(reader: Reader, domainId: Id): readonly Certificate[] {
  const own = reader.certificate(domainId);
  if (own !== undefined) return [own];
  const first = reader.automaticCertificate(domainId);
  return first === undefined ? [] : [first, ...reader.furtherCertificates(domainId)];
}

interface EntryReaderOptions {
  readonly environment: Environment;
  readonly journal: Pick<Journal, 'head'>;
  readonly log: Logger;
  /** Receives the number of missing entries. */
  readonly onLost: (entries: number) => void;
  /** The URL of a webhook was changed, or it was deleted. */
  readonly onChangedReceiver: (webhookId: Id) => void;
}

/** Maximum entries of one read, and the approximate maximum of events in one commit. */
const MAX_ENTRIES = 500;
const MAX_ADDED = 500;
/** Maximum number of zones whose last reported state is kept. */
const MAX_REPORTED = 10_000;
/** Seconds between two checks of the certificates. */
const EXPIRY_INTERVAL = 3600;
const EXPIRY_CHOICES: ReadonlySet<string> = new Set(['*', 'certificate.*', 'certificate.expiring']);

export class EntryReader {
  readonly #reader: StoreReader;
  readonly #reported = new RecentMap<string, Id>(MAX_REPORTED);

  constructor(private readonly options: EntryReaderOptions) {
    this.#reader = new StoreReader(options.environment);
  }

  /** Reads until there are enough events for a commit. */
  read(session: Session): void {
    const { environment, journal, log, onLost } = this.options;
    const { receivers, added } = session;
    const end = Math.min(journal.head, session.read + MAX_ENTRIES);
    let lost = 0;
    while (session.read < end && added.length < MAX_ADDED) {
      const bytes = environment.journal.get(sequenceKey(++session.read));
      if (bytes === undefined) {
        lost++;
        session.unstored++;
        continue;
      }
      const entry = decodeEntry(bytes);
      if (entry.by === QUEUE_AUTHOR) continue;
      session.unstored++;
      for (const event of this.#eventsOf(session, entry))
        for (const webhookId of receivers.of(event)) added.push({ webhookId, event });
    }
    if (lost === 0) return;
    // The store was copied from a snapshot, or no node has delivered for a long time.
    log.error('journal entries were deleted before their events were delivered to webhooks', { entries: lost });
    onLost(lost);
  }

  /** Derives the events of an entry. A damaged entry must not block later entries. */
  #eventsOf(session: Session, entry: Entry): NewEvent[] {
    const follow = (change: Change): void => this.#follow(session, change);
    try {
      return eventsOfEntry(entry, this.#reader, session.receivers.wants, this.#reported, follow);
    } catch (error) {
      const { sequence, by } = entry;
      this.options.log.error('cannot read a change; webhooks get no events of it', { sequence, by, error });
      this.options.onLost(1);
      return [];
    }
  }

  /** Adds the certificates that expire soon, at most once an hour. */
  async findExpiring(session: Session, now: number): Promise<void> {
    if (now < session.expiryCheckedAt + EXPIRY_INTERVAL) return;
    const { receivers, added } = session;
    const wanted = new Set<Id>();
    for (const { row } of receivers.values())
      if (row.enabled && row.events.some((choice) => EXPIRY_CHOICES.has(choice))) wanted.add(row.accountId);
    if (wanted.size === 0) return;
    for (const accountId of wanted)
      for (const event of await expiringCertificates(this.#reader, accountId, session.expiryCheckedAt, now))
        for (const webhookId of receivers.of(event)) added.push({ webhookId, event });
    session.expiryCheckedAt = now;
  }

  /** Applies changes that requests have made to webhooks and deliveries. */
  #follow(session: Session, { table, key }: Change): void {
    if (table === webhooks.number) this.#followWebhook(session, idAt(key));
    if (table !== deliveries.number) return;
    const [webhookId, id] = [idAt(key), idAt(key, 8)];
    const receiver = session.receivers.get(webhookId);
    // A pending result takes precedence: storing it keeps the other fields of the row.
    if (receiver === undefined || receiver.sending === id || session.results.has(id)) return;
    const row = readDelivery(this.#reader, webhookId, id);
    if (row === undefined) receiver.schedule.remove(id);
    else session.receivers.putDelivery(row);
  }

  #followWebhook({ receivers }: Session, id: Id): void {
    const { onChangedReceiver } = this.options;
    const row = this.#reader.webhook(id);
    const isOther = row?.url !== receivers.get(id)?.row.url;
    if (row === undefined) receivers.remove(id);
    else receivers.put(row);
    if (isOther) onChangedReceiver(id);
  }
}
