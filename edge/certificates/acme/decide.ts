/**
 * What is to be done for a domain's certificate now. Pure: the same rows and the same time give the
 * same decision, on every node.
 */
import type { AcmeOrder, AutomaticCertificate, ProxyConfig } from '../../../core/store/rows.ts';
import { askedDelay, isAhead, isLive, issuedToday, renewalTime } from './times.ts';

export interface Situation {
  /** Undefined: the proxy was never set up, or the domain is gone. */
  readonly proxy: ProxyConfig | undefined;
  /** Whether the customer has brought a certificate. */
  readonly isCustom: boolean;
  readonly automatic: Pick<AutomaticCertificate, 'notBefore' | 'notAfter' | 'createdAt'> | undefined;
  readonly order: AcmeOrder | undefined;
}

export type Decision =
  | { readonly kind: 'nothing' }
  /** Look again then, seconds since 1970. */
  | { readonly kind: 'wait'; readonly until: number }
  /** `isUrgent`: visitors have no certificate as long. */
  | { readonly kind: 'order'; readonly isUrgent: boolean }
  /** There is a good certificate and nothing to order, but the state says otherwise. */
  | { readonly kind: 'restore' }
  /** The state speaks of an order that is not wanted any more. */
  | { readonly kind: 'cancel' }
  /** The certificate has expired, another cannot be ordered yet, and the state says otherwise. */
  | { readonly kind: 'lapse' }
  /** The certificate has expired and nobody wants another. */
  | { readonly kind: 'discard' };

/** Who decides. */
export interface Self {
  /** Whose own claims are left from before it started. */
  readonly node: string;
  /**
   * Where certificates are ordered; those from elsewhere, such as one for tests, are replaced.
   * Null: nowhere.
   */
  readonly directory: string | null;
}

/** `now`: seconds since 1970. */
export function decide(situation: Situation, { node, directory }: Self, now: number): Decision {
  const { proxy, isCustom, automatic, order } = situation;
  if (proxy === undefined) return NOTHING;
  const isGood = automatic !== undefined && automatic.notAfter > now;
  const claim = order?.claim ?? null;
  if (claim !== null && claim.node !== node && isLive(claim, now)) return { kind: 'wait', until: claim.until };
  if (isCustom || !proxy.enabled) return unwanted(situation, isGood);
  const renewAt =
    automatic === undefined ? now : (order?.renewAt ?? renewalTime(automatic.notBefore, automatic.notAfter, 0));
  const isForeign =
    directory !== null && order !== undefined && order.directory !== null && order.directory !== directory;
  const isDue = !isGood || isForeign || now >= renewAt;
  // A certificate of the customer's has gone, and the one from before is still good.
  const isAsked = proxy.orderRequestedAt !== null && !(isGood && !isDue && proxy.sslStatus === 'pending');
  if (!isDue && !isAsked) return hasState(proxy, automatic!) ? { kind: 'wait', until: renewAt } : { kind: 'restore' };
  const from = earliest(situation, isAsked, isGood, now);
  if (now >= from) return { kind: 'order', isUrgent: !isGood };
  if (isGood) return { kind: 'wait', until: Math.min(from, automatic.notAfter) };
  return proxy.sslStatus === 'active' || proxy.sslStatus === 'renewing'
    ? { kind: 'lapse' }
    : { kind: 'wait', until: from };
}

const NOTHING: Decision = { kind: 'nothing' };

/**
 * Nothing is ordered: the proxy is off, or the customer has a certificate. What there is stays as
 * long as it is good, so that turning on works at once.
 */
function unwanted({ proxy, isCustom, automatic, order }: Situation, isGood: boolean): Decision {
  if (automatic !== undefined && !isGood) return { kind: 'discard' };
  // Of a node that has gone in an order, challenges and all.
  const isClaimed = order !== undefined && order.claim !== null;
  const isLeft = !isCustom && (proxy!.orderRequestedAt !== null || proxy!.sslStatus !== 'none');
  if (automatic === undefined) return isLeft || isClaimed ? { kind: 'cancel' } : NOTHING;
  const isSettled = !isClaimed && (isCustom || hasState(proxy!, automatic));
  return isSettled ? { kind: 'wait', until: automatic.notAfter } : { kind: 'restore' };
}

/** When the next try may begin: by itself, or because somebody asks. */
function earliest({ order }: Situation, isAsked: boolean, isGood: boolean, now: number): number {
  if (order === undefined || isAhead(order.triedAt, now)) return 0;
  const { triedAt, retryAt, blockedUntil, failures } = order;
  const issued = issuedToday(order, now);
  const tried = triedAt + askedDelay(failures, issued);
  // A directory that always wants a renewal at once, and nodes that do not agree on the directory,
  // would have it ordered without end.
  const renewed = isGood && issued > 1 ? tried : 0;
  return Math.max(blockedUntil ?? 0, isAsked ? Math.min(tried, retryAt ?? tried) : Math.max(retryAt ?? 0, renewed));
}

/** A failure of the renewal may stand next to it. */
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
