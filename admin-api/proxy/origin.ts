/**
 * May a customer's origin be proxied to? Nothing is connected to: the host is read, resolved when it is a name, and every address is judged. What a name resolves to can
 * be another address a second later, so the edge judges the one that it connects to by `mayConnect`, too.
 */
import {
  contains,
  type Exemptions,
  formatAddress,
  isExempt,
  isLocalhost,
  mayConnect,
  NO_EXEMPTIONS,
  type Prefix,
  parseAddress,
  privateOrigin,
  readHost,
} from '../../core/address/index.ts';
import { InvalidError } from '../../core/base/errors.ts';
import { HttpError } from '../http/errors.ts';
import type { Resolve } from './bounded.ts';
import { codeOf } from './resolve.ts';

const POINTER = '/origin';
/** Milliseconds for all queries of one origin, waiting for a slot included. */
const RESOLVE_MS = 3_000;

export interface OriginOptions {
  readonly resolve: Resolve;
  /** The operator's exemptions, for test rigs (`parseExemptions`). With any, names of local use are taken, too. */
  readonly allowPrivate?: Exemptions;
  /** Where this service itself answers (the cluster's addresses): an origin there would go round in a circle. */
  readonly own?: readonly Prefix[];
  /** Milliseconds for resolving. */
  readonly timeoutMs?: number;
}

export interface CheckedOrigin {
  /** Canonical: dotted decimal, RFC 5952 without brackets, or A-labels in lower case without the last dot. */
  readonly host: string;
  /** Canonical, each once, in the resolver's order; at least one. All passed. */
  readonly addresses: readonly string[];
}

/**
 * Throws InvalidError with the pointer `/origin`: `invalid_origin` (no host, or oddly written), `private_origin` (an address that is not public, or a name that cannot
 * lead to one), `origin_loop` (an address of ours), `origin_unresolvable` (no such name, no addresses, no answer in time, broken zone).
 * Throws HttpError 503: `resolver_unavailable` when our own resolver cannot be used, since nothing is wrong with the request and a later try may pass; `busy`.
 */
export async function checkOrigin(text: string, options: OriginOptions): Promise<CheckedOrigin> {
  const exemptions = options.allowPrivate ?? NO_EXEMPTIONS;
  const host = readHost(text, exemptions);
  if (host.kind === 'address') {
    const verdict = mayConnect(host.bytes, exemptions);
    if (!verdict.public) privateOrigin(`The address ${host.canonical}`, verdict.reason);
    refuseOwn(host.canonical, host.bytes, exemptions, options.own);
    return { host: host.canonical, addresses: [host.canonical] };
  }
  const found = isLocalhost(host.name) ? loopback(exemptions) : await resolveInTime(host.name, options);
  if (found.length === 0) unresolvable(host.name, 'has no A or AAAA records');
  const addresses = found.map((address) => judge(host.name, address, exemptions, options.own));
  return { host: host.name, addresses: [...new Set(addresses)] };
}

/**
 * The canonical form of an address that passes. The message names the range, not the address: names that only our resolver knows would tell about the
 * operator's network.
 */
function judge(name: string, address: string, exemptions: Exemptions, own: readonly Prefix[] | undefined): string {
  const bytes = parseAddress(address);
  if (bytes === undefined) return unresolvable(name, 'resolves to an invalid address');
  const verdict = mayConnect(bytes, exemptions);
  if (!verdict.public)
    privateOrigin(
      `"${name}"`,
      `resolves to an address in ${verdict.range}, "${verdict.name}"; every address must be public`,
    );
  refuseOwn(`"${name}"`, bytes, exemptions, own);
  return formatAddress(bytes);
}

/** A rig on one machine exempts the addresses of its origins; its cluster's address may be the same, with another port. */
function refuseOwn(subject: string, bytes: Uint8Array, exemptions: Exemptions, own: readonly Prefix[] = []): void {
  if (isExempt(bytes, exemptions) || !own.some((prefix) => contains(prefix, bytes))) return;
  throw new InvalidError(
    'origin_loop',
    `${subject} is this service itself, so requests would loop. Give the address of the server behind the proxy.`,
    { pointer: POINTER },
  );
}

/** Of the two addresses that localhost has (RFC 6761 6.3), those that the operator exempts. */
function loopback(exemptions: Exemptions): readonly string[] {
  const both = ['127.0.0.1', '::1'];
  const exempt = both.filter((address) => isExempt(parseAddress(address)!, exemptions));
  return exempt.length > 0 ? exempt : both;
}

/** At the deadline the signal tells the resolver first, which may know better what it was waiting for; then we stop waiting for it. */
async function resolveInTime(
  name: string,
  { resolve, timeoutMs = RESOLVE_MS }: OriginOptions,
): Promise<readonly string[]> {
  const deadline = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      deadline.abort();
      setImmediate(() => reject(Object.assign(new Error('Not resolved in time'), { code: 'ETIMEOUT' })));
    }, timeoutMs);
  });
  try {
    return await Promise.race([resolve(name, deadline.signal), late]);
  } catch (error) {
    return explain(name, error);
  } finally {
    clearTimeout(timer);
    deadline.abort();
  }
}

/** node:dns's codes that speak of the customer's name and zone. All others speak of our resolver. */
const FAULTS: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'does not exist (NXDOMAIN)'],
  ['ENODATA', 'has no A or AAAA records'],
  ['ETIMEOUT', 'was not resolved in time (timeout)'],
  ['ECANCELLED', 'was not resolved in time (timeout)'],
  ['ESERVFAIL', 'could not be resolved (SERVFAIL): its nameservers or its DNSSEC signatures fail'],
  ['EBADRESP', 'could not be resolved: the DNS response is malformed'],
  ['EBADNAME', 'cannot be resolved: it is not a valid DNS name'],
]);

function explain(name: string, error: unknown): never {
  // Said by whoever resolves, who knew better.
  if (error instanceof HttpError || error instanceof InvalidError) throw error;
  // A mistake of ours is not to be taken for a resolver that is down.
  if (error instanceof TypeError && codeOf(error) === undefined) throw error;
  const fault = FAULTS.get(codeOf(error) ?? '');
  if (fault !== undefined) return unresolvable(name, fault);
  throw new HttpError(
    503,
    'resolver_unavailable',
    `"${name}" cannot be checked at the moment: the resolver of this service fails (${codeOf(error) ?? 'unknown error'}). Send the request again later.`,
  );
}

function unresolvable(name: string, why: string): never {
  throw new InvalidError(
    'origin_unresolvable',
    `"${name}" ${why}. Check the name, or give the public address of the origin.`,
    { pointer: POINTER },
  );
}
