/**
 * Connects to hosts that a customer or an app chooses. The connector checks the addresses of a name
 * and connects to a permitted address. The name is not resolved a second time (DNS rebinding).
 */
import { lookup as lookupName } from 'node:dns/promises';
import type { LookupFunction, Socket } from 'node:net';
import { buildConnector } from 'undici';
import { parseName } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import { type ConnectRule, formatAddress, PUBLIC_ONLY, parseAddress, permittedAddresses } from '../address/index.ts';
import { type Resolvers, recursiveLookup } from '../resolver/resolver.ts';

/** Addresses of a host name, as text. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** A server on the developer's machine that replaces a host, over plain HTTP. */
export interface Fixture {
  readonly address: string;
  readonly port: number;
}

/** The host is not public. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

interface DialOptions {
  readonly resolve: Resolve;
  /** Servers that replace hosts; omitted: none. */
  readonly fixtureOf?: (host: string) => Fixture | undefined;
  /** Which addresses may be connected to; omitted: public ones. */
  readonly rule?: ConnectRule;
  /** PEM certificates of trusted authorities; omitted: those of Node.js. */
  readonly ca?: readonly string[];
  readonly signal: AbortSignal;
}

type Target = Parameters<buildConnector.connector>[0];

const CONNECT_MS = 10_000;
/** Maximum addresses of a name to try. */
const MAX_ADDRESSES = 8;

/** Resolves a name with the system's resolver. */
export const resolveBySystem: Resolve = async (host) =>
  (await lookupName(host, { all: true, order: 'verbatim' })).map(({ address }) => address);

/** Returns a connector for undici's Agent. */
export function createConnector(options: DialOptions): buildConnector.connector {
  return (target, callback) => {
    dial(target, options).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}

async function dial(target: Target, options: DialOptions): Promise<Socket> {
  const { resolve, fixtureOf, rule = PUBLIC_ONLY, ca, signal } = options;
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const fixture = fixtureOf?.(host);
  if (fixture !== undefined) {
    const { address, port } = fixture;
    return connect({ ...target, protocol: 'http:', hostname: address, port: `${port}` }, { signal });
  }
  const literal = parseAddress(host);
  const addresses = literal === undefined ? (await untilAborted(resolve(host), signal)).map(bytesOf) : [literal];
  const { permitted, refusals } = permittedAddresses(addresses, rule);
  if (permitted.length === 0)
    throw new ForbiddenAddress(refusals.length === 0 ? `${host} has no address` : refusals.join('; '));
  const usable = permitted.slice(0, MAX_ADDRESSES).map(formatAddress);
  const socket = await connect(target, { signal, ca, lookup: lookupOf(usable) });
  // Node connects to some spellings of addresses without a lookup. Those would skip the check
  // above.
  const remote = parseAddress(socket.remoteAddress ?? '');
  if (remote !== undefined && permittedAddresses([remote], rule).permitted.length > 0) return socket;
  socket.destroy();
  throw new ForbiddenAddress(`${host} led to ${socket.remoteAddress}`);
}

/**
 * Rejects when `signal` aborts. undici itself ends a request only after its pending connection
 * fails.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function bytesOf(address: string): Uint8Array {
  const bytes = parseAddress(address);
  if (bytes === undefined) throw new ForbiddenAddress('an address that cannot be read');
  return bytes;
}

/** A lookup function that returns these addresses for every name. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_host, { all }, callback) => {
    if (all) callback(null, found);
    else callback(null, found[0].address, found[0].family);
  };
}

interface ConnectOptions extends Pick<DialOptions, 'ca' | 'signal'> {
  readonly lookup?: LookupFunction;
}

function connect(target: Target, { ca, signal, lookup }: ConnectOptions): Promise<Socket> {
  const tls = { minVersion: 'TLSv1.2', ...(ca !== undefined && { ca: [...ca] }) } as const;
  // TLS sessions are not cached: resumption would show a server that two apps have the same user.
  const open = buildConnector({ timeout: CONNECT_MS, maxCachedSessions: 0, autoSelectFamily: true, lookup, ...tls });
  return new Promise((resolve, reject) => {
    const socket = open(target, (error, connected) => {
      signal.removeEventListener('abort', abort);
      if (error === null) resolve(connected);
      else reject(error);
    }) as unknown as Socket;
    const abort = (): void => {
      socket.destroy(new Error('The request was aborted.'));
    };
    signal.addEventListener('abort', abort, { once: true });
  });
}

/**
 * Resolves hosts that customers configure. Uses DNS queries, so the hosts file of this machine is
 * ignored.
 */
export function resolveBy(servers: Resolvers, signal: AbortSignal): Resolve {
  const lookup = recursiveLookup(servers, signal);
  return async (host) => {
    const name = parseName(`${host.replace(/\.$/, '')}.`);
    const outcomes = await Promise.all([lookup(name, TYPE.A), lookup(name, TYPE.AAAA)]);
    const found = outcomes.flatMap((outcome) => (outcome.kind === 'addresses' ? outcome.addresses : []));
    const [failed] = outcomes.flatMap((outcome) => (outcome.kind === 'failed' ? [outcome.error] : []));
    if (found.length === 0 && failed !== undefined) throw new Error(`cannot resolve ${host}: ${failed}`);
    return found.map(formatAddress);
  };
}
