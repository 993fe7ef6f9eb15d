/**
 * Checks whether the proxy may use a customer's origin. Parses the host, resolves a name, and
 * checks every address, without a connection. A name can resolve to another address later, so the
 * edge also checks the address that it connects to (`mayConnect`).
 */

import { InvalidError } from '../../../core/base/errors.ts';
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
} from '../../../core/net/address/index.ts';
import { HttpError } from '../../http/errors.ts';
import type { Resolve } from './bounded.ts';
import { codeOf } from './resolve.ts';

const POINTER = '/origin';
/** Milliseconds for all queries of one origin, including the wait for a slot. */
const RESOLVE_MS = 3_000;

export interface OriginOptions {
  readonly resolve: Resolve;
  /**
   * Exemptions of the operator, for tests (`parseExemptions`). With any, local names are accepted
   * too.
   */
  readonly allowPrivate?: Exemptions;
  /** The addresses of the cluster: an origin there would be a loop. */
  readonly own?: readonly Prefix[];
  /** Milliseconds for the resolution. */
  readonly timeoutMs?: number;
}

interface CheckedOrigin {
  /**
   * Canonical: dotted decimal, RFC 5952 without brackets, or lower-case A-labels without a trailing
   * dot.
   */
  readonly host: string;
  /** Canonical, without duplicates, in the resolver's order. At least one; all passed the check. */
  readonly addresses: readonly string[];
}

/**
 * Throws InvalidError with the pointer `/origin`: `invalid_origin` (no valid host),
 * `private_origin` (an address that is not public, or a name that never has a public one),
 * `origin_loop` (an address of the cluster), `origin_unresolvable` (no such name, no addresses,
 * timeout, broken zone). Throws HttpError 503 `resolver_unavailable` if our resolver fails, because
 * a retry may succeed, and `busy`.
 */
export async function checkOrigin(text: string, options: OriginOptions): Promise<CheckedOrigin> {
  const exemptions = options.allowPrivate ?? NO_EXEMPTIONS;
  const host = readHost(text, exemptions);
  if (host.kind === 'address') {
    const verdict = mayConnect(host.bytes, exemptions);
    if (!verdict.public) privateOrigin(`The address ${host.canonical}`, verdict.reason);
    rejectOwn(host.canonical, host.bytes, exemptions, options.own);
    return { host: host.canonical, addresses: [host.canonical] };
  }
  const found = isLocalhost(host.name) ? loopback(exemptions) : await resolveInTime(host.name, options);
  if (found.length === 0) rejectUnresolvable(host.name, 'has no A or AAAA records');
  const addresses = found.map((address) => requireAllowed(host.name, address, exemptions, options.own));
  return { host: host.name, addresses: [...new Set(addresses)] };
}

/**
 * Returns the canonical form of an accepted address. The error names the range, not the address: a
 * name that only our resolver can resolve could otherwise reveal the operator's network.
 */
function requireAllowed(
  name: string,
  address: string,
  exemptions: Exemptions,
  own: readonly Prefix[] | undefined,
): string {
  const bytes = parseAddress(address);
  if (bytes === undefined) return rejectUnresolvable(name, 'resolves to an invalid address');
  const verdict = mayConnect(bytes, exemptions);
  if (!verdict.public)
    privateOrigin(
      `"${name}"`,
      `resolves to an address in ${verdict.range}, "${verdict.name}"; every address must be public`,
    );
  rejectOwn(`"${name}"`, bytes, exemptions, own);
  return formatAddress(bytes);
}

/**
 * Whether an address is one of the cluster: an origin there would be a loop. Exempted addresses may
 * be addresses of the cluster too: tests run origins on the same machine, with another port.
 */
export const isOwn = (bytes: Uint8Array, exemptions: Exemptions, own: readonly Prefix[]): boolean =>
  !isExempt(bytes, exemptions) && own.some((prefix) => contains(prefix, bytes));

function rejectOwn(subject: string, bytes: Uint8Array, exemptions: Exemptions, own: readonly Prefix[] = []): void {
  if (!isOwn(bytes, exemptions, own)) return;
  throw new InvalidError(
    'origin_loop',
    `${subject} is this service itself, so requests would loop. Give the address of the server behind the proxy.`,
    { pointer: POINTER },
  );
}

/** The exempted addresses among the two addresses of localhost (RFC 6761 6.3). */
function loopback(exemptions: Exemptions): readonly string[] {
  const both = ['127.0.0.1', '::1'];
  const exempt = both.filter((address) => isExempt(parseAddress(address)!, exemptions));
  return exempt.length > 0 ? exempt : both;
}

/**
 * At the deadline, the signal aborts the resolver first, whose error may be more precise than a
 * timeout.
 */
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

/**
 * Codes of node:dns for errors of the customer's name or zone. All others are errors of our
 * resolver.
 */
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
  // The resolver has already thrown a precise error.
  if (error instanceof HttpError || error instanceof InvalidError) throw error;
  // A bug must not be reported as an unavailable resolver.
  if (error instanceof TypeError && codeOf(error) === undefined) throw error;
  const fault = FAULTS.get(codeOf(error) ?? '');
  if (fault !== undefined) return rejectUnresolvable(name, fault);
  throw new HttpError(
    503,
    'resolver_unavailable',
    `"${name}" cannot be checked at the moment: the resolver of this service fails (${codeOf(error) ?? 'unknown error'}). Send the request again later.`,
  );
}

function rejectUnresolvable(name: string, reason: string): never {
  throw new InvalidError(
    'origin_unresolvable',
    `"${name}" ${reason}. Check the name, or give the public address of the origin.`,
    { pointer: POINTER },
  );
}
