/** Names for which no certificate could be ordered: when they are retried, and what is reported. */
import { isRefusalOf } from '../../../core/site/tls/refused-names.ts';
import type { RefusedName } from '../../../core/store/rows.ts';
import type { HeldCertificate } from './slots.ts';
import { backoff, isAhead, latestRenewal } from './times.ts';

/** Maximum stored names of a domain. */
export const MAX_REFUSED = 100;

/**
 * When the host is retried, seconds since 1970; null: it may be ordered now. If more names are
 * refused than are stored, all others wait, too. A time that was stored
 * by a wrong clock does not hold: the retry is never more than a day ahead.
 */
export function retryOf(host: string, refused: readonly RefusedName[], now: number): number | null {
  const isFull = refused.length >= MAX_REFUSED;
  const found = refused.find(({ name }) => isRefusalOf(name, host)) ?? (isFull ? refused[0] : undefined);
  return found !== undefined && isWaiting(found, now) ? found.retryAt : null;
}

const isWaiting = ({ retryAt }: RefusedName, now: number): boolean =>
  retryAt > now && !isAhead(retryAt, now + MAX_DELAY);

/**
 * When a certificate may be replaced, seconds since 1970; 0: now. While one of its names is
 * refused, a new certificate would lack the name that the valid one serves. So the certificate
 * stays until all its names are retried together, or until it is late for the others.
 */
export function replaceableAt(
  { names, notBefore, notAfter }: Pick<HeldCertificate, 'names' | 'notBefore' | 'notAfter'>,
  refused: readonly RefusedName[],
  now: number,
): number {
  const isOf = (refusal: RefusedName): boolean => names.some((name) => isRefusalOf(refusal.name, name));
  const waiting = refused.filter((each) => isWaiting(each, now) && isOf(each));
  return Math.min(Math.max(0, ...waiting.map(({ retryAt }) => retryAt)), latestRenewal(notBefore, notAfter));
}

const MAX_DELAY = 86_400;

/**
 * Adds refusals to the stored ones. `now`: seconds since 1970. `random`: 0 ≤ r < 1.
 */
export function addRefusals(
  before: readonly RefusedName[],
  refusals: ReadonlyMap<string, string>,
  now: number,
  random: number,
): RefusedName[] {
  const added = [...refusals].map(([name, why]): RefusedName => {
    const failures = (before.find((each) => each.name === name)?.failures ?? 0) + 1;
    return { name, why, failures, failedAt: now, retryAt: Math.ceil(now + backoff(failures, random)) };
  });
  return [...added, ...before.filter(({ name }) => !refusals.has(name))].slice(0, MAX_REFUSED);
}

/** For the customer, a sentence or two; null: no name is refused. */
export function describeRefused(refused: readonly Pick<RefusedName, 'name' | 'why'>[]): string | null {
  if (refused.length === 0) return null;
  const [{ name, why }] = refused;
  const rest = refused.length === 1 ? '' : ` and ${refused.length - 1} more ${refused.length === 2 ? 'name' : 'names'}`;
  return `No certificate could be ordered for ${name}${rest}: ${why}`;
}
