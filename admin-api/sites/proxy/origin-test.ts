/**
 * Tests an origin before it is saved: name, connection, certificate and response, as the edge would
 * reach it. It connects only to the addresses that the check of origins has accepted, and reads no
 * more than the head of a response.
 */
import { readFileSync } from 'node:fs';
import { isIP, type Socket } from 'node:net';
import {
  checkServerIdentity,
  type PeerCertificate,
  rootCertificates,
  type TLSSocket,
  connect as tlsConnect,
} from 'node:tls';
import { InvalidError } from '../../../core/base/errors.ts';
import { FairSlots } from '../../../core/base/fair-slots.ts';
import { formatHost } from '../../../core/dns/wire/name.ts';
import { connectFault } from '../../../core/net/dial/connect-fault.ts';
import { ownedDomain } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { BodyOf } from '../../http/json-body.ts';
import { RateLimit } from '../../http/rate-limit.ts';
import type { Context } from '../../http/route.ts';
import { formatTime } from '../../http/time.ts';
import { checkOrigin } from './origin.ts';
import { type OriginRules, optionsFor } from './origin-rules.ts';
import type { originTestBody } from './schema.ts';

/** Tests that an account may begin in a minute. */
const PER_MINUTE = 20;
/** Milliseconds for everything after the name was resolved. */
const TOTAL_MS = 10_000;
/** Milliseconds for one of several addresses. */
const CONNECT_MS = 3_000;
/** Maximum addresses that are tried, one after another. */
const MAX_TRIED = 4;
/** Maximum bytes that are read of a response. */
const MAX_HEAD = 16_384;
/** Maximum names of a certificate in the result. */
const MAX_NAMES = 20;

/** Opens a connection of a test; `address` has passed the check. */
export type OpenConnection = (address: string, port: number) => Socket;

export interface TestStep {
  readonly step: 'dns' | 'tcp' | 'tls' | 'http';
  readonly ok: boolean;
  /** Milliseconds. */
  readonly ms: number;
  /** A sentence. */
  readonly detail: string;
}

export class OriginTests {
  readonly #rate = new RateLimit('origin-tests', PER_MINUTE, 60);
  readonly #slots = new FairSlots({ slots: 16, queue: 128 });

  constructor(
    private readonly services: Services,
    private readonly rules: OriginRules,
    private readonly open: OpenConnection,
  ) {}

  /** Throws HttpError 404, 429, 503, and InvalidError as checkOrigin but `origin_unresolvable`. */
  async run(context: Context<Caller>, { origin, port = 443, protocol }: BodyOf<typeof originTestBody>) {
    const { services, rules } = this;
    const domain = ownedDomain(services.reader, context.caller, parseId(context.params.domain_id));
    this.#rate.take(domain.accountId, context.headers);
    const slot = await this.#slots.acquire({ account: String(domain.accountId), network: '' });
    if (slot === 'full' || slot === 'aborted')
      throw new HttpError(503, 'busy', 'Too many origins are being tested at the moment; send the request again.');
    try {
      const isTls = (protocol ?? (port === 80 ? 'http' : 'https')) === 'https';
      const steps: TestStep[] = [];
      const begin = performance.now();
      const found = await resolved(() => checkOrigin(origin, optionsFor(services, rules, domain)));
      if (typeof found === 'string') return report([{ step: 'dns', ok: false, ms: since(begin), detail: found }]);
      const { host, addresses } = found;
      steps.push({
        step: 'dns',
        ok: true,
        ms: since(begin),
        detail: `${host} is at ${addresses.slice(0, 8).join(', ')}.`,
      });
      const { originCaFile } = services.config.edge;
      const ca = originCaFile === undefined ? undefined : [...rootCertificates, readFileSync(originCaFile, 'utf8')];
      const visited = formatHost(domain.apex);
      return await tryOrigin({ host, addresses, port, isTls, visited, ca, open: this.open }, steps);
    } finally {
      slot.release();
    }
  }
}

/** The sentence of a name that does not resolve, which is a result; other faults are thrown. */
async function resolved<T>(check: () => Promise<T>): Promise<T | string> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof InvalidError && error.code === 'origin_unresolvable') return error.message;
    throw error;
  }
}

/** The origin of a test; its addresses have passed the check. */
export interface Target {
  readonly host: string;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly isTls: boolean;
  /** The host that visitors request: the domain. */
  readonly visited: string;
  readonly ca: readonly string[] | undefined;
  readonly open: OpenConnection;
}

/** Adds its steps to those of the name. Never rejects. */
export async function tryOrigin(target: Target, steps: TestStep[]) {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), TOTAL_MS);
  let certificate: Certificate | null = null;
  let status: number | null = null;
  /** Adds a step. Undefined: it failed. */
  const run = async <T>(step: TestStep['step'], work: () => Promise<readonly [T, string]>): Promise<T | undefined> => {
    const begin = performance.now();
    try {
      const [value, detail] = await work();
      steps.push({ step, ok: true, ms: since(begin), detail });
      return value;
    } catch (error) {
      steps.push({ step, ok: false, ms: since(begin), detail: sentenceOf(error, end.signal) });
      return undefined;
    }
  };
  try {
    const opened = await run('tcp', () => openSocket(target, end.signal));
    if (opened === undefined) return report(steps);
    let socket: Socket = opened;
    if (target.isTls) {
      const secured = await run('tls', async () => {
        const tls = await secure(opened, target, end.signal);
        certificate = viewCertificate(tls.getPeerCertificate());
        const problem = findProblem(tls, target);
        if (problem !== null) throw new StepError(problem);
        return [tls, `${tls.getProtocol()}, and its certificate is valid.`] as const;
      });
      if (secured === undefined) return report(steps, certificate);
      socket = secured;
    }
    status = (await run('http', () => request(socket, target.visited, end.signal))) ?? null;
    return report(steps, certificate, status);
  } finally {
    clearTimeout(timer);
    // Ends the connection, whatever state it is in.
    end.abort();
  }
}

const report = (steps: readonly TestStep[], certificate: Certificate | null = null, status: number | null = null) => ({
  test: { ok: steps.every(({ ok }) => ok), steps: [...steps], certificate, status },
});

const since = (begin: number): number => Math.round(performance.now() - begin);

/** A failure whose message is shown. */
class StepError extends Error {}

async function openSocket({ addresses, port, open }: Target, signal: AbortSignal): Promise<readonly [Socket, string]> {
  let last: unknown;
  for (const address of addresses.slice(0, MAX_TRIED)) {
    const socket = open(address, port);
    signal.addEventListener('abort', () => socket.destroy(), { once: true });
    try {
      await once(socket, 'connect', signal, CONNECT_MS);
      return [socket, `${address} accepts connections to port ${port}.`];
    } catch (error) {
      socket.destroy();
      last = error;
    }
  }
  throw last;
}

async function secure(socket: Socket, { host, visited, ca }: Target, signal: AbortSignal): Promise<TLSSocket> {
  const name = isIP(host) === 0 ? host : visited;
  const tls = tlsConnect({
    socket,
    servername: name,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
    // The certificate is reported, also one that is not accepted.
    rejectUnauthorized: false,
    // The names are checked afterwards.
    checkServerIdentity: () => undefined,
    ...(ca === undefined ? {} : { ca: [...ca] }),
  });
  await once(tls, 'secureConnect', signal, TOTAL_MS);
  return tls;
}

/** As the edge: a name is that of the origin, and for an address the domain's or the address. */
function findProblem(tls: TLSSocket, { host, addresses, visited }: Target): string | null {
  const certificate = tls.getPeerCertificate();
  if (!tls.authorized) return `Its certificate is not trusted (${tls.authorizationError}).`;
  const names = isIP(host) === 0 ? [host] : [visited, ...addresses];
  const isNamed = names.some((name) => checkServerIdentity(name, certificate) === undefined);
  return isNamed ? null : `Its certificate is not for ${names[0]}.`;
}

interface Certificate {
  readonly names: readonly string[];
  readonly issuer: string | null;
  readonly expires_at: string;
}

function viewCertificate({ subjectaltname = '', issuer, valid_to: until }: PeerCertificate): Certificate {
  const names = subjectaltname.split(', ').map((name) => name.replace(/^(DNS|IP Address):/, ''));
  return {
    names: names.filter((name) => name !== '').slice(0, MAX_NAMES),
    issuer: [issuer?.O, issuer?.CN].flat().filter(Boolean).join(', ') || null,
    expires_at: formatTime(Math.floor(Date.parse(until) / 1000)),
  };
}

async function request(socket: Socket, host: string, signal: AbortSignal): Promise<readonly [number, string]> {
  socket.write(
    `GET / HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: waypost-origin-test\r\nAccept: */*\r\nConnection: close\r\n\r\n`,
  );
  const status = await readStatus(socket, signal);
  return [status, `Status ${status} for ${host}/.`];
}

/** The final status: informational responses (RFC 9110 15.2) are skipped. */
function readStatus(socket: Socket, signal: AbortSignal): Promise<number> {
  return new Promise((done, fail) => {
    let head = '';
    const malformed = () => fail(new StepError('Its response is not HTTP/1.1.'));
    socket.on('data', (part: Buffer) => {
      head += part.toString('latin1');
      for (;;) {
        const line = /^HTTP\/1\.[01] (\d{3})[ \r\n]/.exec(head);
        if (line !== null && !line[1].startsWith('1')) return done(Number(line[1]));
        const end = head.indexOf('\r\n\r\n');
        if (line === null ? head.length >= 16 : end < 0 && head.length > MAX_HEAD) return malformed();
        if (line === null || end < 0) return;
        head = head.slice(end + 4);
      }
    });
    socket.once('end', () => fail(new StepError('It closed the connection before it responded.')));
    socket.once('error', fail);
    signal.addEventListener('abort', () => fail(new StepError('It sent no response in time.')), { once: true });
  });
}

/** Rejects with the error of the socket, or after `ms`. */
function once(socket: Socket, event: string, signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((done, fail) => {
    const late = () => fail(new StepError('It did not answer in time.'));
    const timer = setTimeout(late, ms);
    const settle = (end: () => void) => () => {
      clearTimeout(timer);
      end();
    };
    socket.once(event, settle(done));
    socket.on('error', (error) => settle(() => fail(error))());
    socket.once(
      'close',
      settle(() => fail(new StepError('It closed the connection.'))),
    );
    signal.addEventListener('abort', settle(late), { once: true });
  });
}

function sentenceOf(error: unknown, signal: AbortSignal): string {
  if (error instanceof StepError) return error.message;
  if (signal.aborted) return 'It did not answer in time.';
  const fault = connectFault(error);
  return fault === undefined ? 'The TLS handshake failed: it may not speak TLS at this port.' : REASONS[fault];
}

const REASONS = {
  refused: 'It refused the connection.',
  closed: 'It closed the connection.',
  'timed out': 'The connection timed out.',
  unreachable: 'There is no route to its address.',
  unresolved: 'Its host name has no address.',
} as const;
