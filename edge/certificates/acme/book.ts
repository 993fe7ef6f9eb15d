/**
 * Writes the steps of an order. Each step is one transaction that reads its preconditions again, so
 * it is valid on any node.
 */

import type { Secrets } from '../../../core/base/secrets.ts';
import { type Draft, write } from '../../../core/journal/draft/draft.ts';
import type { Journal } from '../../../core/journal/journal.ts';
import type { Environment } from '../../../core/store/environment.ts';
import type { Id } from '../../../core/store/keys.ts';
import {
  type AcmeChallenge,
  type AcmeOrder,
  type AutomaticCertificate,
  acmeChallenges,
  acmeOrders,
  automaticCertificateContext,
  automaticCertificates,
  type Domain,
  furtherCertificates,
  type ProxyConfig,
  proxies,
  type RefusedName,
  type RsaCertificate,
  rsaCertificates,
} from '../../../core/store/rows.ts';
import { decide, type Self } from './decide.ts';
import type { Obtained } from './obtain.ts';
import type { OrderFailure } from './problem.ts';
import { addRefusals, describeRefused } from './refused.ts';
import { certificatesOf, situationOf } from './situation.ts';
import type { HeldCertificate } from './slots.ts';
import { askedDelay, backoff, CLAIM, formatSeconds, isLive, issuedToday, LONGEST_BLOCK, renewalTime } from './times.ts';

interface BookOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly secrets: Secrets;
  readonly self: Self;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** 0 ≤ r < 1. */
  readonly random: () => number;
}

/** An order that this node has claimed. */
export interface Claim {
  readonly domain: Domain;
  /** The certificates that are served meanwhile, by slot. */
  readonly certificates: readonly HeldCertificate[];
  /** The RSA certificates beside them. */
  readonly rsa: readonly RsaCertificate[];
  /** Names that earlier orders could not get. */
  readonly refused: readonly RefusedName[];
  /** Failed orders since the last certificate. */
  readonly failures: number;
  /** When the customer requested the order; null: the service started it. */
  readonly requestedAt: number | null;
}

/** The state of a domain's names after an order. */
export interface NamesState {
  readonly refused: readonly RefusedName[];
  /** Slots of certificates that are no longer needed. */
  readonly obsolete: readonly number[];
}

interface IssuedAs {
  readonly slot: number;
  /** Whether it is an RSA certificate beside that of the slot. */
  readonly isRsa: boolean;
  /** The directory that issued it; null: unknown. */
  readonly directory: string | null;
}

const BY = 'acme';
/** Seconds until the next order after one that found nothing to order. */
const UNNEEDED_RETRY = 60;
/** Seconds until a retry after a wrong setting of the operator. */
const OPERATOR_RETRY = 600;

export class Book {
  constructor(private readonly options: BookOptions) {}

  /**
   * Null: no order is due any more, or another node has claimed it. Removes challenges of the
   * previous order. `uncovered`: proxied names that no certificate covers.
   */
  claim(domainId: Id, uncovered: readonly string[] = []): Promise<Claim | null> {
    return this.#change((draft, now) => {
      const situation = situationOf(draft, domainId, uncovered);
      const domain = draft.domain(domainId);
      if (domain === undefined || decide(situation, this.options.self, now).kind !== 'order') return null;
      const { automatic, order } = situation;
      this.#putOrder(draft, domainId, order, { claim: this.#newClaim(now), triedAt: now });
      clearChallenges(draft, domainId);
      const proxy = situation.proxy!;
      const isGood = automatic !== undefined && automatic.notAfter > now;
      // The error stays visible to the customer until an order succeeds.
      const sslStatus = isGood ? 'renewing' : proxy.sslStatus === 'error' ? 'error' : 'pending';
      if (proxy.sslStatus !== sslStatus) draft.put(proxies, { ...proxy, sslStatus });
      return {
        domain,
        certificates: certificatesOf(situation),
        rsa: situation.rsa,
        refused: order?.refused ?? [],
        failures: order?.failures ?? 0,
        requestedAt: proxy.orderRequestedAt,
      };
    });
  }

  /** Extends the claim. False: another node has it, or the domain was deleted. */
  extend(domainId: Id): Promise<boolean> {
    return this.#change((draft, now) => {
      const order = this.#claimedOrder(draft, domainId);
      if (order === null) return false;
      draft.put(acmeOrders, { ...order, claim: this.#newClaim(now) });
      return true;
    });
  }

  /**
   * Stores the challenges. Resolves with the sequence of the commit. Rejects when the claim is
   * lost.
   */
  async publish(domainId: Id, challenges: readonly Omit<AcmeChallenge, 'domainId'>[]): Promise<number> {
    const { environment, journal } = this.options;
    const { sequence } = await write(environment, journal, BY, (draft) => {
      if (this.#claimedOrder(draft, domainId) === null) throw new Error('lost the claim on the order');
      for (const challenge of challenges) draft.put(acmeChallenges, { domainId, ...challenge });
    });
    return sequence;
  }

  /**
   * Stores the certificate in a slot. False: the claim was lost, and nothing is stored. `notice`:
   * for the customer, which names are not covered, and why; null: all are covered.
   */
  succeed(
    domainId: Id,
    obtained: Obtained,
    notice: string | null,
    { slot = 0, isRsa = false, refused = [], obsolete = [], directory = null }: Partial<NamesState & IssuedAs> = {},
  ): Promise<boolean> {
    const { secrets, random } = this.options;
    const { chain, privateKey, names, notBefore, notAfter } = obtained;
    const sealedKey = secrets.seal(Buffer.from(privateKey), automaticCertificateContext(domainId)).toString('base64');
    const renewAt = renewalTime(notBefore, notAfter, random());
    return this.#change((draft, now) => {
      const order = this.#claimedOrder(draft, domainId);
      if (order === null) return false;
      const row: AutomaticCertificate = { domainId, chain, sealedKey, names, notBefore, notAfter, createdAt: now };
      const isFirst = slot === 0 && !isRsa;
      if (isRsa) draft.put(rsaCertificates, { ...row, slot, renewAt, directory });
      else if (isFirst) draft.put(automaticCertificates, row);
      else draft.put(furtherCertificates, { ...row, slot, renewAt, directory });
      deleteSlots(draft, domainId, obsolete);
      const today = issuedToday(order, now);
      draft.put(acmeOrders, {
        ...withRefused(order, refused),
        claim: null,
        failures: 0,
        retryAt: null,
        blockedUntil: null,
        ...(isFirst ? { renewAt, directory } : {}),
        // It belongs to the certificate that was counted before.
        issued: today + (isRsa ? 0 : 1),
        issuedSince: today === 0 ? now : order.issuedSince,
      });
      clearChallenges(draft, domainId);
      const first = isFirst ? row : draft.automaticCertificate(domainId);
      putState(draft, domainId, first === undefined ? NOT_YET : activeState(first, notice));
      return true;
    });
  }

  /** Ends an order that found no certificate to order. `notice`: as for `succeed`. */
  conclude(domainId: Id, notice: string | null, { refused, obsolete }: NamesState): Promise<void> {
    return this.#change((draft, now) => {
      const order = this.#claimedOrder(draft, domainId);
      if (order === null) return;
      deleteSlots(draft, domainId, obsolete);
      const first = draft.automaticCertificate(domainId);
      const isGood = first !== undefined && first.notAfter > now;
      // Without a certificate an order is due, but only for names that are retried later.
      const retryAt = isGood
        ? now + UNNEEDED_RETRY
        : Math.min(...refused.map((each) => each.retryAt), now + OPERATOR_RETRY);
      endOrder(draft, { ...withRefused(order, refused), failures: 0, retryAt });
      const state = isGood
        ? activeState(first, notice)
        : ({ ...NO_CERTIFICATE, sslStatus: 'error', sslError: notice } as const);
      putState(draft, domainId, state);
    });
  }

  /**
   * Stores the failure. Resolves with the time of the next attempt, seconds since 1970; null: the
   * claim was lost.
   */
  fail(domainId: Id, failure: OrderFailure): Promise<number | null> {
    const { message, retryAfter, fault, names } = failure;
    const { random } = this.options;
    return this.#change((draft, now) => {
      const order = this.#claimedOrder(draft, domainId);
      if (order === null) return null;
      const blockedUntil = retryAfter === null ? null : now + Math.min(retryAfter, LONGEST_BLOCK);
      const automatic = draft.automaticCertificate(domainId);
      const isGood = automatic !== undefined && automatic.notAfter > now;
      clearChallenges(draft, domainId);
      if (names.size > 0) {
        // The other names are ordered without these. Without a certificate, the request stays open,
        // and only the first such failure is followed by an order at once.
        const refused = addRefusals(order.refused ?? [], names, now, random());
        const delay = isGood || order.failures === 0 ? 0 : backoff(order.failures, random());
        const retryAt = Math.ceil(Math.max(now + delay, blockedUntil ?? 0));
        const scheduled = isGood ? { retryAt: null } : { failures: order.failures + 1, retryAt };
        draft.put(acmeOrders, { ...order, ...scheduled, claim: null, blockedUntil, refused });
        if (isGood) putState(draft, domainId, activeState(automatic, describeRefused(refused)));
        return retryAt;
      }
      const failures = order.failures + 1;
      // An operator who corrects a setting should not have to wait for hours.
      const delay = fault === 'operator' ? OPERATOR_RETRY : backoff(failures, random());
      const retryAt = Math.ceil(Math.max(now + delay, blockedUntil ?? 0));
      draft.put(acmeOrders, { ...order, claim: null, failures, retryAt, blockedUntil });
      const sslError = `${message} The next attempt is at ${formatSeconds(retryAt)} UTC.`;
      const state = isGood
        ? activeState(automatic, sslError)
        : ({ ...NO_CERTIFICATE, sslStatus: 'error', sslError } as const);
      putState(draft, domainId, state);
      return retryAt;
    });
  }

  /**
   * Ends the order as if it had not started, because this node stops. `triedAt`: start of the
   * previous order. `decide` corrects the state later.
   */
  postpone(domainId: Id, triedAt: number): Promise<void> {
    return this.#change((draft) => {
      const order = this.#claimedOrder(draft, domainId);
      if (order !== null) endOrder(draft, { ...order, triedAt });
    });
  }

  /**
   * Ends an order that is no longer needed. Turning the proxy on and off repeatedly delays the next
   * order further each time, because directories count orders.
   */
  abandon(domainId: Id): Promise<void> {
    return this.#change((draft, now) => {
      const order = this.#claimedOrder(draft, domainId);
      if (order === null) return;
      const failures = order.failures + 1;
      const retryAt = now + askedDelay(failures, issuedToday(order, now));
      endOrder(draft, { ...order, failures, triedAt: now, retryAt });
    });
  }

  /** Applies the current decision of `decide`, unless it is to order or to wait. */
  settle(domainId: Id, uncovered: readonly string[] = []): Promise<void> {
    return this.#change((draft, now) => {
      const situation = situationOf(draft, domainId, uncovered);
      const { automatic, further, rsa, order, proxy } = situation;
      const { kind } = decide(situation, this.options.self, now);
      if (kind === 'nothing' || kind === 'wait' || kind === 'order') return;
      if (order !== undefined && order.claim !== null) endOrder(draft, order);
      if (kind === 'restore') putState(draft, domainId, activeState(automatic!, null));
      if (kind === 'lapse')
        // Keeps a pending request of the customer.
        draft.put(proxies, { ...proxy!, ...NO_CERTIFICATE, sslStatus: 'error', sslError: proxy!.sslError ?? EXPIRED });
      if (kind === 'discard') {
        if (automatic !== undefined) draft.delete(automaticCertificates, automatic);
        for (const certificate of further) draft.delete(furtherCertificates, certificate);
        for (const certificate of rsa) draft.delete(rsaCertificates, certificate);
      }
      if (kind === 'discard' || kind === 'cancel') putState(draft, domainId, NO_STATE);
    });
  }

  /** Shows the customer why this service orders no certificates, once for each request. */
  refuse(domainId: Id, message: string): Promise<void> {
    return this.#change((draft) => {
      const isRequested = draft.proxy(domainId)?.orderRequestedAt != null && draft.certificate(domainId) === undefined;
      if (isRequested) putState(draft, domainId, { ...NO_CERTIFICATE, sslStatus: 'error', sslError: message });
    });
  }

  /** Stores the renewal time from the directory, if `chain` is still that of a certificate. */
  renewAt(domainId: Id, chain: string, renewAt: number): Promise<void> {
    return this.#change((draft) => {
      const order = draft.acmeOrder(domainId);
      const further = draft.furtherCertificates(domainId).find((certificate) => certificate.chain === chain);
      if (further !== undefined) draft.put(furtherCertificates, { ...further, renewAt });
      const rsa = draft.rsaCertificates(domainId).find((certificate) => certificate.chain === chain);
      if (rsa !== undefined) draft.put(rsaCertificates, { ...rsa, renewAt });
      if (draft.automaticCertificate(domainId)?.chain === chain) this.#putOrder(draft, domainId, order, { renewAt });
    });
  }

  /** Removes the challenges of an interrupted order, unless another node works on it. */
  sweep(domainId: Id): Promise<void> {
    return this.#change((draft, now) => {
      const claim = draft.acmeOrder(domainId)?.claim ?? null;
      if (claim === null || claim.node === this.options.self.node || !isLive(claim, now))
        clearChallenges(draft, domainId);
    });
  }

  async #change<T>(work: (draft: Draft, now: number) => T): Promise<T> {
    const { environment, journal, now } = this.options;
    const { result } = await write(environment, journal, BY, (draft) => work(draft, Math.floor(now())));
    return result;
  }

  #newClaim(now: number): AcmeOrder['claim'] {
    return { node: this.options.self.node, until: now + CLAIM };
  }

  /** Null: this node has no claim on the order, or the domain was deleted. */
  #claimedOrder(draft: Draft, domainId: Id): AcmeOrder | null {
    const order = draft.acmeOrder(domainId);
    if (order?.claim?.node !== this.options.self.node || draft.domain(domainId) === undefined) return null;
    return order;
  }

  #putOrder(draft: Draft, domainId: Id, order: AcmeOrder | undefined, changes: Partial<AcmeOrder>): void {
    draft.put(acmeOrders, { ...NO_ORDER, ...order, ...changes, domainId });
  }
}

const NO_ORDER = {
  claim: null,
  triedAt: 0,
  failures: 0,
  retryAt: null,
  blockedUntil: null,
  renewAt: null,
  directory: null,
  issued: 0,
  issuedSince: 0,
} as const;

type State = Pick<ProxyConfig, 'sslStatus' | 'sslIssuedAt' | 'sslExpiresAt' | 'sslError'>;

const NO_CERTIFICATE = { sslIssuedAt: null, sslExpiresAt: null } as const;
const NO_STATE: State = { ...NO_CERTIFICATE, sslStatus: 'none', sslError: null };
/** The first certificate is missing, but a further one was issued. */
const NOT_YET: State = { ...NO_CERTIFICATE, sslStatus: 'pending', sslError: null };
const EXPIRED = 'The certificate has expired, and its renewal has failed so far. The renewal is retried automatically.';

const activeState = ({ notBefore, notAfter }: AutomaticCertificate, sslError: string | null): State => ({
  sslStatus: 'active',
  sslIssuedAt: notBefore,
  sslExpiresAt: notAfter,
  sslError,
});

/**
 * Writes the state of the automatic certificate and completes a pending request. An uploaded
 * certificate keeps its state.
 */
function putState(draft: Draft, domainId: Id, state: State): void {
  const proxy = draft.proxy(domainId);
  if (proxy !== undefined && draft.certificate(domainId) === undefined)
    draft.put(proxies, { ...proxy, ...state, orderRequestedAt: null });
}

/** Old rows have no refused names, and rows without them stay as they were. */
function withRefused({ refused: _before, ...order }: AcmeOrder, refused: readonly RefusedName[]): AcmeOrder {
  return refused.length === 0 ? order : { ...order, refused };
}

function deleteSlots(draft: Draft, domainId: Id, slots: readonly number[]): void {
  for (const certificate of draft.furtherCertificates(domainId))
    if (slots.includes(certificate.slot)) draft.delete(furtherCertificates, certificate);
  for (const certificate of draft.rsaCertificates(domainId))
    if (slots.includes(certificate.slot)) draft.delete(rsaCertificates, certificate);
}

function endOrder(draft: Draft, order: AcmeOrder): void {
  draft.put(acmeOrders, { ...order, claim: null });
  clearChallenges(draft, order.domainId);
}

function clearChallenges(draft: Draft, domainId: Id): void {
  for (const challenge of draft.acmeChallenges(domainId)) draft.delete(acmeChallenges, challenge);
}
