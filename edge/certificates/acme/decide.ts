/**
 * Decides the next step for a domain's certificate. Pure: the same rows and time give the same
 * decision on every node.
 */
import type { AcmeOrder, AutomaticCertificate, FurtherCertificate, ProxyConfig } from '../../../core/store/rows.ts';
import { replaceableAt, retryOf } from './refused.ts';
import { isForeign, slotsWithoutRsa } from './slots.ts';
import { askedDelay, isAhead, isLive, issuedToday, renewalTime } from './times.ts';

export interface Situation {
  /** Undefined: the proxy was never set up, or the domain was deleted. */
  readonly proxy: ProxyConfig | undefined;
  /** Whether the customer has uploaded a certificate. */
  readonly isCustom: boolean;
  readonly automatic: Pick<AutomaticCertificate, 'names' | 'notBefore' | 'notAfter' | 'createdAt'> | undefined;
  /** The automatic certificates after the first. */
  readonly further: readonly Omit<FurtherCertificate, 'domainId' | 'chain' | 'sealedKey'>[];
  /** Ordered RSA certificates beside these. */
  readonly rsa: readonly Pick<FurtherCertificate, 'slot' | 'names' | 'renewAt' | 'createdAt'>[];
  readonly order: AcmeOrder | undefined;
  /** Proxied host names that no certificate covers. */
  readonly uncovered: readonly string[];
}

export type Decision =
  | { readonly kind: 'nothing' }
  /** Decide again at `until`, seconds since 1970. */
  | { readonly kind: 'wait'; readonly until: number }
  /** `isUrgent`: no valid certificate is served meanwhile. */
  | { readonly kind: 'order'; readonly isUrgent: boolean }
  /** The first certificate is valid and no order is due, but the stored state differs. */
  | { readonly kind: 'restore' }
  /** The stored state shows an order that is no longer needed. */
  | { readonly kind: 'cancel' }
  /**
   * The certificate has expired and cannot be renewed yet, but the stored state still shows it as
   * active.
   */
  | { readonly kind: 'lapse' }
  /** The certificate has expired and is no longer needed. */
  | { readonly kind: 'discard' };

/** The node that decides. */
export interface Self {
  /** The node's name. A stored claim of this node is left from before its start. */
  readonly node: string;
  /**
   * URLs of the directories. Certificates of other ones, such as a test directory, are replaced.
   * Empty: none is configured.
   */
  readonly directories: readonly string[];
  /** Whether RSA certificates are ordered beside others, and every node can store them. */
  readonly wantsRsa: boolean;
}

/** `now`: seconds since 1970. */
export function decide(situation: Situation, { node, directories, wantsRsa }: Self, now: number): Decision {
  const { proxy, isCustom, automatic, order } = situation;
  if (proxy === undefined) return NOTHING;
  const isGood = automatic !== undefined && automatic.notAfter > now;
  const claim = order?.claim ?? null;
  if (claim !== null && claim.node !== node && isLive(claim, now)) return { kind: 'wait', until: claim.until };
  if (isCustom || !proxy.enabled) return notNeeded(situation, isGood);
  const nextRenewal = Math.min(...renewalTimes(situation, directories, now));
  const isDue = !isGood || now >= nextRenewal;
  const { isIncomplete, retryAt } = missing(situation, now);
  const rsaAt = wantsRsa ? rsaOrderTime(situation, now) : Number.POSITIVE_INFINITY;
  // Not if an uploaded certificate was removed while the previous automatic one is still valid.
  const isRequested = proxy.orderRequestedAt !== null && !(isGood && !isDue && proxy.sslStatus === 'pending');
  if (!isDue && !isRequested && !isIncomplete && now < rsaAt)
    return hasState(proxy, automatic!)
      ? { kind: 'wait', until: Math.min(nextRenewal, retryAt, rsaAt) }
      : { kind: 'restore' };
  const from = earliest(situation, isRequested, isGood, !isDue, now);
  if (now >= from) return { kind: 'order', isUrgent: !isGood };
  if (isGood) return { kind: 'wait', until: Math.min(from, automatic.notAfter) };
  return proxy.sslStatus === 'active' || proxy.sslStatus === 'renewing'
    ? { kind: 'lapse' }
    : { kind: 'wait', until: from };
}

/** When each certificate is replaced. */
function renewalTimes({ automatic, further, order }: Situation, directories: readonly string[], now: number): number[] {
  const certificates = [...further];
  if (automatic !== undefined) {
    const renewAt = order?.renewAt ?? renewalTime(automatic.notBefore, automatic.notAfter, 0);
    certificates.push({ ...automatic, slot: 0, renewAt, directory: order?.directory ?? null });
  }
  return certificates.map((certificate) =>
    Math.max(
      isForeign(certificate, directories) ? 0 : certificate.renewAt,
      replaceableAt(certificate, order?.refused ?? [], now),
    ),
  );
}

/** When an RSA certificate is ordered: now, or when the first of them is renewed. */
function rsaOrderTime({ automatic, further, rsa, order }: Situation, now: number): number {
  const held = [...(automatic === undefined ? [] : [{ ...automatic, slot: 0 }]), ...further];
  // As for the others: a new certificate would lack names that are refused at present.
  const free = held.filter((certificate) => replaceableAt(certificate, order?.refused ?? [], now) <= now);
  if (slotsWithoutRsa(free, rsa, now).size > 0) return now;
  return Math.min(...rsa.map(({ renewAt }) => renewAt).filter((renewAt) => renewAt > now));
}

const NOTHING: Decision = { kind: 'nothing' };

/**
 * No order is needed: the proxy is off, or the customer has uploaded a certificate. A valid
 * certificate is kept, so that turning the proxy on takes effect immediately.
 */
function notNeeded({ proxy, isCustom, automatic, further, order }: Situation, isGood: boolean): Decision {
  if (!isGood && (automatic !== undefined || further.length > 0)) return { kind: 'discard' };
  // A claim that is left by a node that stopped during an order, with its challenges.
  const isClaimed = order !== undefined && order.claim !== null;
  const isLeft = !isCustom && (proxy!.orderRequestedAt !== null || proxy!.sslStatus !== 'none');
  if (automatic === undefined) return isLeft || isClaimed ? { kind: 'cancel' } : NOTHING;
  const isSettled = !isClaimed && (isCustom || hasState(proxy!, automatic));
  return isSettled ? { kind: 'wait', until: automatic.notAfter } : { kind: 'restore' };
}

/** Whether names can be ordered that no certificate covers; otherwise when one is retried. */
function missing({ uncovered, order }: Situation, now: number): { isIncomplete: boolean; retryAt: number } {
  let first = Number.POSITIVE_INFINITY;
  for (const host of uncovered) {
    const retryAt = retryOf(host, order?.refused ?? [], now);
    if (retryAt === null) return { isIncomplete: true, retryAt: now };
    first = Math.min(first, retryAt);
  }
  return { isIncomplete: false, retryAt: first };
}

/**
 * The earliest start of the next attempt: automatic, or requested by the customer. `isEarly`: only
 * names are missing, or an order is requested.
 */
function earliest({ order }: Situation, isRequested: boolean, isGood: boolean, isEarly: boolean, now: number): number {
  if (order === undefined || isAhead(order.triedAt, now)) return 0;
  const { triedAt, retryAt, blockedUntil, failures } = order;
  const issued = issuedToday(order, now);
  const tried = triedAt + askedDelay(failures, issued);
  // Limits endless orders, which a directory that always requests immediate renewal could cause. So
  // could nodes with different directories, and names that are added one after the other.
  const renewed = isGood && (isEarly || issued > 1) ? tried : 0;
  return Math.max(blockedUntil ?? 0, isRequested ? Math.min(tried, retryAt ?? tried) : Math.max(retryAt ?? 0, renewed));
}

/** Whether the stored state matches the certificate. It may also contain an error of a renewal. */
function hasState(
  proxy: ProxyConfig,
  { notBefore, notAfter }: Pick<AutomaticCertificate, 'notBefore' | 'notAfter'>,
): boolean {
  return (
    proxy.sslStatus === 'active' &&
    proxy.sslIssuedAt === notBefore &&
    proxy.sslExpiresAt === notAfter &&
    proxy.orderRequestedAt === null
  );
}
