/**
 * The client of a directory (RFC 8555), with the cluster's account. acme-client signs requests and
 * manages nonces, over our transport. This file adds the features that it lacks.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { Authorization, Client, Order } from 'acme-client';
import type { Logger } from '../../../core/base/log/index.ts';
import type { Account, AccountStore } from './account.ts';
import { TOKEN } from './http-challenge.ts';
import { DirectoryProblem, DirectoryUnreachable, OrderFailure, readRetryAfter } from './problem.ts';
import { NOT_SET_UP, slow } from './sentences.ts';
import type { DirectoryResponse, Transport } from './transport.ts';

/** Seconds before the second request; each further interval is twice the one before. */
const FIRST_INTERVAL = 0.25;

const MAX_INTERVAL = 15;

/** Seconds. A longer Retry-After is shortened, because the certificate may be ready sooner. */
const MAX_RETRY_AFTER = 60;

/** Share of an interval that is added at random, so that nodes and orders do not poll together. */
const JITTER = 0.25;

/**
 * Polls a resource of a directory until it has settled (RFC 8555 7.4, 7.5.1): about a dozen
 * requests in two minutes, at growing intervals. Retry-After is respected, up to a maximum.
 */
const SYSTEM_CLOCK: PollClock = {
  now: () => performance.now() / 1000,
  date: () => Date.now() / 1000,
  sleep: (seconds, signal) => delay(seconds * 1000, undefined, { signal }),
  random: Math.random,
};

interface DirectorySettings {
  readonly directory: string;
  readonly agreeTos: boolean;
  readonly email: string | undefined;
  readonly eabKid: string | undefined;
  readonly eabHmacKey: string | undefined;
}

/** Metadata of a directory (RFC 8555 7.1.1). */
interface DirectoryMeta {
  readonly caaIdentities: readonly string[];
  /** URL of renewal information (RFC 9773 section 3); null: not supported. */
  readonly renewalInfo: string | null;
}

/** A client whose account is registered. */
export interface Session {
  readonly client: Client;
  readonly accountUrl: string;
  /**
   * Polls the resource at a URL until `isSettled` accepts it. Rejects with OrderFailure `slow` on
   * timeout.
   */
  poll<T>(url: string, isSettled: (resource: T) => boolean, options: PollOptions): Promise<T>;
  /** Sends a CSR (DER in base64url); the response is the order (RFC 8555 7.4). */
  finalize(url: string, csr: string): Promise<DirectoryResponse>;
}

export interface Directory {
  meta(): Promise<DirectoryMeta>;
  /**
   * Runs `work` with a session, after registering the account if necessary. If the directory has
   * lost the account, registers it and runs `work` again. Test directories lose accounts at each
   * start.
   */
  use<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** Fetches JSON without a signature. */
  get(url: string): Promise<DirectoryResponse>;
}

/** Internals of acme-client, whose version is pinned. */
interface ClientInternals {
  readonly http: {
    maxBadNonceRetries: number;
    request: Transport['request'];
    getNonce(): Promise<string>;
    getDirectory(): Promise<Record<string, unknown>>;
    /** The cached directory, for a day. */
    directoryCache: unknown;
  };
  readonly api: {
    apiRequest(url: string, payload: object | null, valid: readonly number[]): Promise<DirectoryResponse>;
    /** Resolves for 200 and 201, and sets the account URL of the client. */
    createAccount(account: object): Promise<DirectoryResponse>;
    /** RFC 8555 7.3.2: updates the account whose URL is set. */
    updateAccount(account: object): Promise<DirectoryResponse>;
  };
}

/** Retries after badNonce: a directory may reject good nonces at random. */
const NONCE_TRIES = 20;
/** Maximum cached nonces from responses, which save requests for new ones. */
const MAX_NONCES = 16;

export function openDirectory(
  settings: DirectorySettings,
  transport: Transport,
  accounts: AccountStore,
  log: Logger,
  clock: PollClock = SYSTEM_CLOCK,
): Directory {
  let opening: Promise<Session> | null = null;
  let cached: { readonly client: Client; readonly account: Account } | null = null;

  async function client(): Promise<{ readonly client: Client; readonly account: Account }> {
    const account = await accounts.open();
    if (cached?.account.key === account.key) return cached;
    // Takes some 150 ms and 30 MB, so it is loaded only for orders.
    const { default: acme } = await import('acme-client');
    const { eabKid, eabHmacKey } = settings;
    const acmeClient = new acme.Client({
      directoryUrl: settings.directory,
      accountKey: account.key,
      ...(account.url === null ? {} : { accountUrl: account.url }),
      ...(eabKid && eabHmacKey ? { externalAccountBinding: { kid: eabKid, hmacKey: eabHmacKey } } : {}),
    });
    useTransport(acmeClient, transport);
    cached = { client: acmeClient, account };
    return cached;
  }

  async function open(): Promise<Session> {
    const { client: acmeClient, account } = await client();
    let { url, email } = account;
    if (url === null) {
      ({ url, email } = await register(acmeClient, settings));
      await accounts.registered(account, { url, email });
    }
    const wanted = settings.email ?? null;
    // Accounts that were registered before the address was stored have an unknown address
    // (undefined). Without a setting they are left unchanged.
    if (email !== wanted && !(email === undefined && wanted === null) && (await updateEmail(acmeClient, wanted, log)))
      await accounts.registered(account, { url, email: wanted });
    const { api } = internalsOf(acmeClient);
    return {
      client: acmeClient,
      accountUrl: url,
      poll: (at, isSettled, options) => poll(() => api.apiRequest(at, null, [200]), isSettled, options, clock),
      finalize: (at, csr) => api.apiRequest(at, { csr }, [200]),
    };
  }

  function session(): Promise<Session> {
    opening ??= open().catch((error: unknown) => {
      opening = null;
      cached = null;
      throw error;
    });
    return opening;
  }

  /** Forgets the account, unless another caller has already registered it again. */
  async function forget({ client: lostClient, accountUrl }: Session): Promise<void> {
    if (cached?.client === lostClient) {
      opening = null;
      cached = null;
    }
    await accounts.forget(accountUrl);
  }

  return {
    async meta() {
      const { client: acmeClient } = await client();
      return readMeta(await internalsOf(acmeClient).http.getDirectory());
    },
    async use(work) {
      const current = await session();
      try {
        return await work(current);
      } catch (error) {
        if (!(error instanceof DirectoryProblem) || error.problem.type !== 'accountDoesNotExist') throw error;
        await forget(current);
        return work(await session());
      }
    },
    get: (url) => transport.request(url, 'GET'),
  };
}

const internalsOf = (client: Client): ClientInternals => client as unknown as ClientInternals;

function useTransport(client: Client, transport: Transport): void {
  const { http } = internalsOf(client);
  const askForNonce = http.getNonce.bind(http);
  const askForDirectory = http.getDirectory.bind(http);
  const nonces: string[] = [];
  http.maxBadNonceRetries = NONCE_TRIES;
  http.request = async (url, method, options) => {
    const answer = await transport.request(url, method, options);
    const nonce = answer.headers['replay-nonce'];
    // acme-client itself uses the nonce of a HEAD, and the nonce of a badNonce response for the
    // retry.
    if (nonce !== undefined && method === 'post' && answer.status < 400 && nonces.length < MAX_NONCES)
      nonces.push(nonce);
    return answer;
  };
  http.getNonce = async () => nonces.pop() ?? (await askForNonce());
  http.getDirectory = async () => {
    const found = await askForDirectory();
    if (isDirectory(found)) return found;
    // For example, a maintenance page.
    http.directoryCache = null;
    throw new DirectoryUnreachable('the response of acme.directory is not an ACME directory');
  };
}

function isDirectory(found: unknown): boolean {
  const { newNonce, newAccount, newOrder } = (found ?? {}) as Record<string, unknown>;
  return [newNonce, newAccount, newOrder].every((url) => typeof url === 'string');
}

function readMeta(directory: Record<string, unknown>): DirectoryMeta {
  const meta = (directory.meta ?? {}) as Record<string, unknown>;
  const identities = Array.isArray(meta.caaIdentities) ? meta.caaIdentities : [];
  return {
    caaIdentities: identities
      .filter((identity) => typeof identity === 'string')
      .map((identity) => identity.toLowerCase()),
    renewalInfo: typeof directory.renewalInfo === 'string' ? directory.renewalInfo : null,
  };
}

const contactOf = (email: string | null | undefined): string[] => (email == null ? [] : [`mailto:${email}`]);

/** URL of an account, and the e-mail address that the directory has. */
interface Registered {
  readonly url: string;
  readonly email: string | null | undefined;
}

/** RFC 8555 7.3. */
async function register(client: Client, { agreeTos, email }: DirectorySettings): Promise<Registered> {
  const terms = await client.getTermsOfServiceUrl();
  if (terms && !agreeTos)
    throw new OrderFailure('terms', NOT_SET_UP, {
      fault: 'operator',
      detail: `acme.agree_tos is not set: read ${terms}, and set it to true if you agree`,
    });
  let status: number;
  try {
    // Not the client's own method, which updates an existing account with an empty object, and a
    // directory may refuse that. The account exists if another node registered it first, or if this
    // node stopped before it stored the URL.
    ({ status } = await internalsOf(client).api.createAccount({
      termsOfServiceAgreed: agreeTos,
      ...(email === undefined ? {} : { contact: contactOf(email) }),
    }));
  } catch (error) {
    if (!(error instanceof DirectoryProblem) || !SETTING_PROBLEMS.has(error.problem.type)) throw error;
    throw new OrderFailure('account', NOT_SET_UP, { fault: 'operator', detail: error.message, cause: error });
  }
  // 200: the account existed and is unchanged.
  return { url: client.getAccountUrl(), email: status === 201 ? (email ?? null) : undefined };
}

/**
 * Updates the e-mail address (RFC 8555 7.3.2). False: the directory rejects it, and the next start
 * tries again. Certificates do not wait for that. Rejects when the directory is unreachable.
 */
async function updateEmail(client: Client, email: string | null, log: Logger): Promise<boolean> {
  try {
    await internalsOf(client).api.updateAccount({ contact: contactOf(email) });
    return true;
  } catch (error) {
    if (!(error instanceof DirectoryProblem)) throw error;
    // A lost account is handled by `use`.
    if (error.problem.type !== 'accountDoesNotExist')
      log.warn('the ACME directory rejected acme.email; it keeps the previous address', { reason: error.message });
    return false;
  }
}

/** Problem types of a registration that the operator's settings cause. */
const SETTING_PROBLEMS: ReadonlySet<string> = new Set([
  'externalAccountRequired',
  'userActionRequired',
  'invalidContact',
  'unsupportedContact',
  'malformed',
  'unauthorized',
]);

interface PollClock {
  /** Seconds of a monotonic clock. */
  now(): number;
  /** Unix time, in seconds: a Retry-After may be a date. */
  date(): number;
  sleep(seconds: number, signal: AbortSignal): Promise<unknown>;
  /** From 0 to 1. */
  random(): number;
}

interface PollOptions {
  /** Timeout of the whole poll. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** A response that already contains the resource, in place of the first request. */
  readonly latest?: DirectoryResponse;
}

/**
 * Polls with `fetch` until `isSettled` accepts the resource. Rejects with DirectoryUnreachable.
 * Makes a last request after `seconds`, then rejects with OrderFailure `slow`.
 */
async function poll<T>(
  fetch: () => Promise<DirectoryResponse>,
  isSettled: (resource: T) => boolean,
  { seconds, signal, latest }: PollOptions,
  clock: PollClock,
): Promise<T> {
  const deadline = clock.now() + seconds;
  let response = latest;
  for (let interval = FIRST_INTERVAL; ; interval = Math.min(interval * 2, MAX_INTERVAL)) {
    signal.throwIfAborted();
    response ??= await fetch();
    const { data, headers } = response;
    if (typeof data !== 'object' || data === null) throw notUsable('a polled resource is not an object');
    if (isSettled(data as T)) return data as T;
    const left = deadline - clock.now();
    if (left <= 0) throw slow();
    const retryAfter = readRetryAfter(headers['retry-after'], clock.date()) ?? 0;
    const wanted = Math.max(interval, Math.min(retryAfter, MAX_RETRY_AFTER)) * (1 + JITTER * clock.random());
    await clock.sleep(Math.min(wanted, left), signal);
    response = undefined;
  }
}

export const notUsable = (why: string): DirectoryUnreachable => new DirectoryUnreachable(`unusable response: ${why}`);

/**
 * Validates the responses of a directory, so that its errors are not reported as internal errors.
 * RFC 8555 7.1.3. Throws DirectoryUnreachable. `names`: number of ordered names, which is the
 * maximum of authorizations.
 */
export function checkOrder(order: Order, names: number): Order {
  const { url, finalize, authorizations } = order as Partial<Order>;
  if (typeof url !== 'string' || typeof finalize !== 'string') throw notUsable('an order lacks a URL');
  if (!Array.isArray(authorizations) || authorizations.some((authorization) => typeof authorization !== 'string'))
    throw notUsable('an order lacks its authorizations');
  if (authorizations.length > names)
    throw notUsable(`an order of ${names} names has ${authorizations.length} authorizations`);
  return order;
}

/** RFC 8555 7.1.4. Throws DirectoryUnreachable. */
export function checkAuthorization({ identifier, challenges, url }: Partial<Authorization>): void {
  if (typeof identifier?.value !== 'string' || typeof url !== 'string' || !Array.isArray(challenges))
    throw notUsable('an authorization lacks its name or its challenges');
  for (const challenge of challenges) {
    const { type, url: at, token } = (challenge ?? {}) as { type?: unknown; url?: unknown; token?: unknown };
    if (typeof type !== 'string') throw notUsable('a challenge has no type');
    // Other types are ignored. An invalid token must not be part of a response (8.3).
    if (type !== 'dns-01' && type !== 'http-01') continue;
    if (typeof at !== 'string' || typeof token !== 'string' || !TOKEN.test(token))
      throw notUsable(`a challenge of ${type} has no URL or no token`);
  }
}
