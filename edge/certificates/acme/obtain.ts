/**
 * One order, from its names to the certificate chain (RFC 8555 7.4). Only `publish` writes to the
 * store.
 */
import { createPrivateKey, generateKeyPair, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { promisify } from 'node:util';
import type { Authorization, Client, Order } from 'acme-client';
import { CoveredNames } from '../../../core/site/tls/covered-names.ts';
import { requiresStapling } from '../../../core/site/tls/must-staple.ts';
import type { AcmeChallenge } from '../../../core/store/rows.ts';
import type { Method } from './caa.ts';
import { checkAuthorization, checkOrder, notUsable, type Session } from './directory.ts';
import { DirectoryProblem, OrderFailure, type Problem, problemNames, readProblem } from './problem.ts';
import { ofFaultyNames, refusedChallenge, refusedChallenges } from './sentences.ts';
import { secondsOf } from './times.ts';

const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

const MAX_CHAIN = 10;

/** Seconds for which a new certificate must still be valid, since clocks differ. */
const LEAST_LEFT = 3600;

type KeyType = 'ecdsa-p256' | 'ecdsa-p384' | 'rsa-2048';

interface ObtainOptions {
  readonly session: Session;
  /** The domain as a host name. */
  readonly apex: string;
  /** The validation method of each name; a wildcard starts with `*.`. */
  readonly names: ReadonlyMap<string, Method>;
  readonly keyType: KeyType;
  readonly profile: string | undefined;
  readonly preferredChain: string | undefined;
  /**
   * ID of the certificate that is replaced (RFC 9773 section 5); null: none, or the directory does
   * not support it.
   */
  readonly replaces: string | null;
  /** Resolves when every node, and every other nameserver of the zone, serves the challenges. */
  publish(challenges: readonly Omit<AcmeChallenge, 'domainId'>[]): Promise<void>;
  readonly signal: AbortSignal;
}

export interface Obtained extends Issued {
  /** PEM, PKCS #8. A secret. */
  readonly privateKey: string;
  readonly names: readonly string[];
}

/** Timeouts in seconds: of all authorizations, and of each poll of the order. */
const AUTHORIZE_SECONDS = 120;
const FINALIZE_SECONDS = 120;

/** Rejects with OrderFailure, DirectoryProblem, DirectoryUnreachable, or the signal's reason. */
export async function obtain(options: ObtainOptions): Promise<Obtained> {
  const { session, keyType, preferredChain, signal } = options;
  const { client } = session;
  const names = [...options.names.keys()];
  const order = checkOrder(await newOrder(client, names, options), names.length);
  signal.throwIfAborted();
  await authorize(options, await client.getAuthorizations(order));
  signal.throwIfAborted();
  const ready = await session.poll<Order>(order.url, ({ status }) => status !== 'pending', {
    seconds: FINALIZE_SECONDS,
    signal,
  });
  if (ready.status !== 'ready') throw invalidOrder(ready, names);
  const privateKey = await newKey(keyType);
  const { default: acme } = await import('acme-client');
  const [, csr] = await acme.crypto.createCsr({ altNames: names }, privateKey);
  const latest = await session.finalize(order.finalize, acme.crypto.getPemBodyAsB64u(csr)).catch((error: unknown) => {
    throw ofFaultyNames(error, names);
  });
  const isSettled = ({ status }: Order): boolean => status === 'valid' || status === 'invalid';
  const done = await session.poll<Order>(order.url, isSettled, { seconds: FINALIZE_SECONDS, signal, latest });
  if (done.status !== 'valid') throw invalidOrder(done, names);
  if (typeof done.certificate !== 'string') throw notUsable('a valid order has no certificate URL');
  const chain = await client.getCertificate({ ...done, url: order.url }, preferredChain);
  if (typeof chain !== 'string') throw notUsable('the response has no PEM certificate');
  return { ...checkIssued(chain, privateKey, names, Date.now() / 1000), privateKey, names };
}

async function newOrder(client: Client, names: readonly string[], options: ObtainOptions): Promise<Order> {
  const { replaces, profile } = options;
  const identifiers = names.map((value) => ({ type: 'dns', value }));
  const request = { identifiers, ...(profile === undefined ? {} : { profile }) };
  const create = (more: object): Promise<Order> =>
    client.createOrder({ ...request, ...more }).catch((error: unknown) => {
      throw ofFaultyNames(error, names);
    });
  if (replaces === null) return create({});
  try {
    return await create({ replaces });
  } catch (error) {
    // The directory does not know the certificate, or it was replaced before. Then `replaces` is
    // omitted (RFC 9773 section 5).
    if (!(error instanceof DirectoryProblem) || !isUnreplaceable(error)) throw error;
    return create({});
  }
}

const UNREPLACEABLE: ReadonlySet<string> = new Set(['alreadyReplaced', 'malformed', 'unauthorized']);
const isUnreplaceable = ({ status, problem }: DirectoryProblem): boolean =>
  status === 404 || status === 409 || UNREPLACEABLE.has(problem.type);

interface Pending {
  readonly authorization: Authorization;
  readonly host: string;
  readonly challenge: Authorization['challenges'][number];
}

async function authorize(options: ObtainOptions, authorizations: readonly Authorization[]): Promise<void> {
  const { session, apex, names, publish, signal } = options;
  const { client } = session;
  const pending: Pending[] = [];
  for (const authorization of authorizations) {
    checkAuthorization(authorization);
    // Still valid from a previous order.
    if (authorization.status === 'valid') continue;
    pending.push(pendingOf(authorization, names));
  }
  if (pending.length === 0) return;
  const challenges = pending.map(async ({ host, challenge }) => {
    const name = host.replace(/^\*\./, '');
    return {
      type: challenge.type as AcmeChallenge['type'],
      token: challenge.token,
      ...(challenge.type === 'dns-01' && name !== apex ? { name } : {}),
      content: await client.getChallengeKeyAuthorization(challenge),
    };
  });
  await publish(await Promise.all(challenges));
  for (const { challenge } of pending) {
    signal.throwIfAborted();
    await client.completeChallenge(challenge);
  }
  const deadline = performance.now() + AUTHORIZE_SECONDS * 1000;
  const problems = new Map<string, Problem>();
  for (const challenge of pending) {
    const isSettled = ({ status }: Authorization): boolean => status !== 'pending';
    const seconds = (deadline - performance.now()) / 1000;
    const { url } = challenge.authorization;
    const settled = await session.poll<Authorization>(url, isSettled, { seconds, signal });
    if (settled.status !== 'valid') problems.set(challenge.host, problemOf(settled));
  }
  if (problems.size > 0) throw refusedChallenges(problems, [...names.keys()]);
}

function pendingOf(authorization: Authorization, names: ReadonlyMap<string, Method>): Pending {
  const { identifier, wildcard, challenges } = authorization;
  const host = `${wildcard === true ? '*.' : ''}${identifier.value.toLowerCase()}`;
  const method = names.get(host);
  const challenge = challenges.find(({ type }) => type === method);
  if (method === undefined || challenge === undefined)
    throw new OrderFailure(
      'no_challenge',
      `The certificate authority offers no validation method for ${host} that this service supports.`,
      {
        detail: `${host}: ${method ?? 'not ordered'}, offered ${challenges.map(({ type }) => type).join(', ')}`,
      },
    );
  return { authorization, host, challenge };
}

function problemOf({ challenges, status }: Authorization): ReturnType<typeof readProblem> {
  const failed = (challenges ?? []).find((challenge) => 'error' in challenge && challenge.error);
  const problem = readProblem(failed && 'error' in failed ? failed.error : undefined);
  return problem.type === '' && problem.detail === ''
    ? { type: '', detail: `the authorization is ${status}` }
    : problem;
}

function invalidOrder(order: Order, names: readonly string[]): unknown {
  const value = 'error' in order ? order.error : undefined;
  const problem = readProblem(value);
  const faulty = ofFaultyNames(new DirectoryProblem(problem, 403, null, problemNames(value)), names);
  if (faulty instanceof OrderFailure) return faulty;
  return refusedChallenge('', problem.detail === '' ? { ...problem, detail: `the order is ${order.status}` } : problem);
}

const generate = promisify(generateKeyPair);

async function newKey(type: KeyType): Promise<string> {
  const { privateKey } =
    type === 'rsa-2048'
      ? await generate('rsa', { modulusLength: 2048 })
      : await generate('ec', { namedCurve: type === 'ecdsa-p384' ? 'secp384r1' : 'prime256v1' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

interface Issued {
  /** PEM, the leaf first, nothing between the blocks. */
  readonly chain: string;
  readonly leaf: X509Certificate;
  /** Seconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Checks an issued certificate before it is stored. */
export function checkIssued(pem: string, privateKey: string, names: readonly string[], now: number): Issued {
  const blocks: readonly string[] = pem.match(BLOCK) ?? [];
  if (blocks.length === 0 || blocks.length > MAX_CHAIN) refuse(`the chain has ${blocks.length} certificates`);
  const chain = blocks.map((block) => `${block}\n`).join('');
  let leaf: X509Certificate;
  try {
    leaf = new X509Certificate(blocks[0]);
    // Loads the whole chain, as a listener will.
    createSecureContext({ cert: chain, key: privateKey });
  } catch (error) {
    return refuse(`it cannot be loaded: ${(error as Error).message}`);
  }
  if (!leaf.checkPrivateKey(createPrivateKey(privateKey))) refuse('it was issued for a different key');
  // Never requested, but a profile of the authority may add it.
  if (requiresStapling(leaf.raw)) refuse('it requires OCSP stapling (must-staple), which the edge does not support');
  const covered = CoveredNames.read(leaf.subjectAltName);
  const missing = names.filter((name) => !covered.covers(name));
  if (missing.length > 0) refuse(`it does not cover ${missing.join(', ')}`);
  const notBefore = secondsOf(leaf.validFrom);
  const notAfter = secondsOf(leaf.validTo);
  if (!(notBefore < notAfter && notAfter > now + LEAST_LEFT))
    refuse(`it is valid from ${leaf.validFrom} to ${leaf.validTo}`);
  return { chain, leaf, notBefore, notAfter };
}

function refuse(why: string): never {
  throw new OrderFailure(
    'bad_certificate',
    'The certificate authority issued an unusable certificate. The order is retried.',
    { detail: why },
  );
}
