/**
 * A directory (RFC 8555) with the cluster's account: acme-client signs and counts nonces, over our
 * transport; what it lacks stands here.
 */
import type { Client } from 'acme-client';
import type { Logger } from '../../../core/base/log/index.ts';
import type { Account, AccountStore } from './account.ts';
import { OrderFailure } from './failure.ts';
import { type PollClock, type PollOptions, poll, SYSTEM_CLOCK } from './polling.ts';
import { DirectoryProblem, DirectoryUnreachable } from './problem.ts';
import { NOT_SET_UP } from './sentences.ts';
import type { DirectoryResponse, Transport } from './transport.ts';

interface DirectorySettings {
  readonly directory: string;
  readonly agreeTos: boolean;
  readonly email: string | undefined;
  readonly eabKid: string | undefined;
  readonly eabHmacKey: string | undefined;
}

/** What a directory says of itself (RFC 8555 7.1.1). */
interface DirectoryMeta {
  readonly caaIdentities: readonly string[];
  /** Where renewal information is (RFC 9773 section 3); null: there is none. */
  readonly renewalInfo: string | null;
}

/** A client whose account is registered. */
export interface Session {
  readonly client: Client;
  readonly accountUrl: string;
  /** The resource at a URL, once `isSettled` accepts it. Rejects with OrderFailure `slow` else. */
  poll<T>(url: string, isSettled: (resource: T) => boolean, options: PollOptions): Promise<T>;
  /** Sends a CSR (DER in base64url); the response is the order (RFC 8555 7.4). */
  finalize(url: string, csr: string): Promise<DirectoryResponse>;
}

export interface Directory {
  meta(): Promise<DirectoryMeta>;
  /**
   * What `work` does with a session; the account is registered when there is none. Once more, with
   * the account registered again, when the directory has lost it, as one for tests does at each
   * start.
   */
  use<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** As JSON, without a signature. */
  get(url: string): Promise<DirectoryResponse>;
}

/** What acme-client has inside, at the version that is pinned. */
interface Inside {
  readonly http: {
    maxBadNonceRetries: number;
    request: Transport['request'];
    getNonce(): Promise<string>;
    getDirectory(): Promise<Record<string, unknown>>;
    /** What it keeps of it, for a day. */
    directoryCache: unknown;
  };
  readonly api: {
    apiRequest(url: string, payload: object | null, valid: readonly number[]): Promise<DirectoryResponse>;
    /** Resolves for 200 and 201, with the client's URL of the account set. */
    createAccount(account: object): Promise<DirectoryResponse>;
    /** RFC 8555 7.3.2: of the account whose URL is set. */
    updateAccount(account: object): Promise<DirectoryResponse>;
  };
}

/** A directory may refuse good nonces by chance. */
const NONCE_TRIES = 20;
/** Nonces that came with answers, which saves asking for one. */
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
    // Takes some 150 ms and 30 MB, so it is loaded by those alone who order.
    const { default: acme } = await import('acme-client');
    const { eabKid, eabHmacKey } = settings;
    const made = new acme.Client({
      directoryUrl: settings.directory,
      accountKey: account.key,
      ...(account.url === null ? {} : { accountUrl: account.url }),
      ...(eabKid && eabHmacKey ? { externalAccountBinding: { kid: eabKid, hmacKey: eabHmacKey } } : {}),
    });
    useTransport(made, transport);
    cached = { client: made, account };
    return cached;
  }

  async function open(): Promise<Session> {
    const { client: made, account } = await client();
    let { url, email } = account;
    if (url === null) {
      ({ url, email } = await register(made, settings));
      await accounts.registered(account, { url, email });
    }
    const wanted = settings.email ?? null;
    // Of what was registered before addresses were remembered, none is what most have who want
    // none.
    if (email !== wanted && !(email === undefined && wanted === null) && (await tellEmail(made, wanted, log)))
      await accounts.registered(account, { url, email: wanted });
    const { api } = inside(made);
    return {
      client: made,
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

  /** Unless another who used it was sooner. */
  async function forget({ client: gone, accountUrl }: Session): Promise<void> {
    if (cached?.client === gone) {
      opening = null;
      cached = null;
    }
    await accounts.forget(accountUrl);
  }

  return {
    async meta() {
      const { client: made } = await client();
      return readMeta(await inside(made).http.getDirectory());
    },
    async use(work) {
      const lent = await session();
      try {
        return await work(lent);
      } catch (error) {
        if (!(error instanceof DirectoryProblem) || error.problem.type !== 'accountDoesNotExist') throw error;
        await forget(lent);
        return work(await session());
      }
    },
    get: (url) => transport.request(url, 'GET'),
  };
}

const inside = (client: Client): Inside => client as unknown as Inside;

function useTransport(client: Client, transport: Transport): void {
  const { http } = inside(client);
  const askForNonce = http.getNonce.bind(http);
  const askForDirectory = http.getDirectory.bind(http);
  const nonces: string[] = [];
  http.maxBadNonceRetries = NONCE_TRIES;
  http.request = async (url, method, options) => {
    const answer = await transport.request(url, method, options);
    const nonce = answer.headers['replay-nonce'];
    // That of a HEAD is handed to who asked for it, that of a refused nonce to the next try.
    if (nonce !== undefined && method === 'post' && answer.status < 400 && nonces.length < MAX_NONCES)
      nonces.push(nonce);
    return answer;
  };
  http.getNonce = async () => nonces.pop() ?? (await askForNonce());
  http.getDirectory = async () => {
    const found = await askForDirectory();
    if (isDirectory(found)) return found;
    // As a page is that says that all is being mended.
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

/** Where an account is, and which address the directory has of it. */
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
    // Not the client's own method: where the account exists (another node was sooner, or we ended
    // before its URL was stored) that one updates it with nothing, which a directory may refuse.
    ({ status } = await inside(client).api.createAccount({
      termsOfServiceAgreed: agreeTos,
      ...(email === undefined ? {} : { contact: contactOf(email) }),
    }));
  } catch (error) {
    if (!(error instanceof DirectoryProblem) || !REFUSALS.has(error.problem.type)) throw error;
    throw new OrderFailure('account', NOT_SET_UP, { fault: 'operator', detail: error.message, cause: error });
  }
  // 200: it was there, and stays as it was.
  return { url: client.getAccountUrl(), email: status === 201 ? (email ?? null) : undefined };
}

/**
 * RFC 8555 7.3.2. Whether the directory has it now. One that does not take it receives it again at
 * the next start: certificates do not wait for that. Rejects when it cannot be reached.
 */
async function tellEmail(client: Client, email: string | null, log: Logger): Promise<boolean> {
  try {
    await inside(client).api.updateAccount({ contact: contactOf(email) });
    return true;
  } catch (error) {
    if (!(error instanceof DirectoryProblem)) throw error;
    // That it is gone, who uses it finds and mends.
    if (error.problem.type !== 'accountDoesNotExist')
      log.warn('the ACME directory rejected acme.email; it keeps the previous address', { reason: error.message });
    return false;
  }
}

/** Of an account; the settings are at fault. */
const REFUSALS: ReadonlySet<string> = new Set([
  'externalAccountRequired',
  'userActionRequired',
  'invalidContact',
  'unsupportedContact',
  'malformed',
  'unauthorized',
]);
