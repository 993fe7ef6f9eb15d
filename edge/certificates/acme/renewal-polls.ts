/**
 * Fetches the renewal times of certificates from the directories that issued them, each by its own
 * schedule (RFC 9773 4.3).
 */
import type { Logger } from '../../../core/base/log/index.ts';
import { RecentMap } from '../../../core/base/recent-map.ts';
import type { Id } from '../../../core/store/keys.ts';
import { certificateId, chooseRenewal, type Poll, pollAfterError, renewalInfo, STANDARD_RETRY } from './ari.ts';
import type { Authority } from './authorities.ts';
import type { Book } from './book.ts';
import { certificatesOf, type StoredSituation } from './situation.ts';
import type { HeldCertificate } from './slots.ts';
import { formatSeconds, latestRenewal } from './times.ts';

interface RenewalPollsOptions {
  readonly authorities: readonly Authority[];
  readonly book: Pick<Book, 'renewAt'>;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** 0 ≤ r < 1. */
  readonly random: () => number;
  /** Aborts when the service stops. */
  readonly signal: AbortSignal;
}

/** Certificates whose next request is known. A forgotten one is requested too early. */
const MAX_POLLS = 100_000;
const NO_POLL = { failures: 0 };

export class RenewalPolls {
  /** By certificate ID. */
  readonly #polls = new RecentMap<Poll>(MAX_POLLS);

  constructor(private readonly options: RenewalPollsOptions) {}

  /**
   * Fetches the renewal times of the domain's certificates that are due for it. Resolves with the
   * seconds until the next request. Never rejects.
   */
  async fetch(domainId: Id, situation: StoredSituation): Promise<number> {
    const { authorities, now, signal } = this.options;
    let next = now() + STANDARD_RETRY;
    for (const certificate of [...certificatesOf(situation), ...situation.rsa]) {
      const { directory, chain, notAfter } = certificate;
      // Another authority does not know it, and nothing is requested after its end (4.3).
      const authority = authorities.find(({ url }) => url === (directory ?? authorities[0].url));
      const id = notAfter <= now() ? null : certificateId(chain);
      if (authority === undefined || id === null) continue;
      let poll = this.#polls.get(id);
      if (poll === undefined || poll.nextAt <= now()) {
        poll = await this.#request(authority, domainId, certificate, id, poll);
        if (signal.aborted) break;
        this.#polls.set(id, poll);
      }
      next = Math.min(next, poll.nextAt);
    }
    return Math.max(0, next - now());
  }

  async #request(
    { directory }: Authority,
    domainId: Id,
    { chain, notBefore, notAfter, renewAt: before }: HeldCertificate,
    id: string,
    last: Pick<Poll, 'failures'> = NO_POLL,
  ): Promise<Poll> {
    const { book, log, now, random, signal } = this.options;
    try {
      const info = await renewalInfo(directory, id);
      if (info === null) return { nextAt: now() + STANDARD_RETRY, failures: 0 };
      const renewAt = chooseRenewal(info, before, latestRenewal(notBefore, notAfter), random());
      if (renewAt !== before) {
        await book.renewAt(domainId, chain, renewAt);
        // The operator should see why (4.2).
        if (info.explanation !== null)
          log.info('the ACME directory explains a renewal', {
            domainId,
            renewAt: formatSeconds(renewAt),
            explanation: info.explanation,
          });
      }
      return { nextAt: now() + info.retryAfter, failures: 0 };
    } catch (error) {
      // Then renewal is due at about two thirds of the validity (4.3.3).
      if (!signal.aborted) log.debug('cannot read the renewal time from the ACME directory', { domainId, error });
      return pollAfterError(error, last, now());
    }
  }
}
