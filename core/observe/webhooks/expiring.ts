/** Certificates that expire soon: an event of the clock, 14, 7 and 1 days before. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { formatHost } from '../../dns/wire/name.ts';
import type { Id } from '../../store/keys.ts';
import type { Reader } from '../../store/reader.ts';
import { formatUtc, type NewEvent } from './payload.ts';

const DAY = 86_400;
/** Seconds before the expiry. */
const THRESHOLDS = [14 * DAY, 7 * DAY, DAY];
/** A longer interval is not made up for. */
const LONGEST_INTERVAL = DAY;
/** Domains that are read between two turns of the event loop. */
const PAGE = 200;

/**
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
      const certificate = reader.certificate(id) ?? reader.automaticCertificate(id);
      if (certificate === undefined) continue;
      const { notAfter, names = [] } = certificate;
      if (!THRESHOLDS.some((before) => notAfter - before > from && notAfter - before <= now)) continue;
      const domain = { id, domain: formatHost(apex) };
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
    if (page.length < PAGE) return events;
    after = page[page.length - 1].apex;
  }
}
