/**
 * Orders at a directory inside this process, in simulated time: the number and the times of its
 * requests, and that acme-client sends none by its own HTTP.
 */
import { generateKeyPairSync } from 'node:crypto';
import acme from 'acme-client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import type { AccountStore } from '../../../../edge/certificates/acme/account.ts';
import { type Directory, openDirectory } from '../../../../edge/certificates/acme/directory.ts';
import { obtain } from '../../../../edge/certificates/acme/obtain.ts';
import { OrderFailure } from '../../../../edge/certificates/acme/problem.ts';
import type { DirectoryResponse, Transport } from '../../../../edge/certificates/acme/transport.ts';
import { certificate, ecKey } from '../../../support/certificate.ts';

const test = suite('certificates, polling');

const BASE = 'https://ca.test';
const NAME = 'example.net';
/** More than any order may need: a client that never waits ends here, not in an endless loop. */
const MAX_REQUESTS = 500;
/** Unix time at the start of the simulated clock. */
const DATE = 1_800_000_000;

interface Timing {
  /** Seconds until the authorization is valid, after its challenge was accepted. */
  readonly validation: number;
  /** Seconds from the CSR to the certificate. */
  readonly issuance: number;
  readonly retryAfter?: string;
  /** What the clock draws at random. */
  readonly random?: number;
}

interface Request {
  readonly url: string;
  readonly method: string;
  readonly at: number;
}

/** A directory with one order, its clock, and the requests that it got. */
class FakeAuthority {
  readonly requests: Request[] = [];
  readonly directory: Directory;
  seconds = 0;
  readonly #timing: Timing;
  #validAt = Number.POSITIVE_INFINITY;
  #issuedAt = Number.POSITIVE_INFINITY;
  #nonces = 0;

  constructor(timing: Timing) {
    this.#timing = timing;
    const transport: Transport = {
      request: async (url, method, options) => this.#answer(url, method, options?.data),
      close: async () => {},
    };
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const accounts: AccountStore = {
      open: async () => ({ key, url: `${BASE}/account`, email: null }),
      registered: async () => {},
      forget: async () => {},
    };
    const settings = {
      ...{ directory: `${BASE}/dir`, agreeTos: true },
      ...{ email: undefined, eabKid: undefined, eabHmacKey: undefined },
    };
    const log = createLogger({ level: 'error', format: 'text', write: () => {} });
    this.directory = openDirectory(settings, transport, accounts, log, {
      now: () => this.seconds,
      date: () => DATE + this.seconds,
      sleep: async (seconds) => {
        this.seconds += seconds;
      },
      random: () => timing.random ?? 0,
    });
  }

  /** Times of the requests for a resource. */
  timesOf(path: string): number[] {
    return this.requests.filter(({ url }) => url === `${BASE}${path}`).map(({ at }) => at);
  }

  order(): Promise<unknown> {
    return this.directory.use((session) =>
      obtain({
        session,
        apex: NAME,
        names: new Map([[NAME, 'dns-01' as const]]),
        ...{ keyType: 'ecdsa-p256', profile: undefined, preferredChain: undefined, replaces: null },
        publish: async () => {},
        signal: new AbortController().signal,
      }),
    );
  }

  #answer(url: string, method: string, data: unknown): DirectoryResponse {
    this.requests.push({ url, method, at: this.seconds });
    assert.ok(this.requests.length <= MAX_REQUESTS, `${this.requests.length} requests`);
    const { payload = '' } = (data ?? {}) as { payload?: string };
    const headers = { 'replay-nonce': `nonce-${this.#nonces++}` };
    const reply = (value: unknown, more: Record<string, string> = {}) => ({
      status: 200,
      headers: { ...more, ...headers },
      data: value,
    });
    const waiting: Record<string, string> =
      this.#timing.retryAfter === undefined ? {} : { 'retry-after': this.#timing.retryAfter };
    const challenge = { type: 'dns-01', url: `${BASE}/challenge`, token: 't'.repeat(43) };
    const isValid = this.seconds >= this.#validAt;
    const isIssued = this.seconds >= this.#issuedAt;
    switch (url.slice(BASE.length)) {
      case '/dir':
        return reply({ newNonce: `${BASE}/nonce`, newAccount: `${BASE}/account`, newOrder: `${BASE}/new-order` });
      case '/nonce':
        return reply('');
      case '/new-order':
        return { ...reply(this.#orderAt('pending'), { location: `${BASE}/order` }), status: 201 };
      case '/authorization': {
        const authorization = { identifier: { type: 'dns', value: NAME }, challenges: [challenge] };
        return reply({ ...authorization, status: isValid ? 'valid' : 'pending' }, isValid ? {} : waiting);
      }
      case '/challenge':
        this.#validAt = this.seconds + this.#timing.validation;
        return reply(challenge);
      case '/finalize':
        assert.type((JSON.parse(Buffer.from(payload, 'base64url').toString()) as { csr: string }).csr, 'string');
        this.#issuedAt = this.seconds + this.#timing.issuance;
        return reply(this.#orderAt(this.#timing.issuance === 0 ? 'valid' : 'processing'), waiting);
      case '/order':
        if (this.#issuedAt === Number.POSITIVE_INFINITY) return reply(this.#orderAt('ready'));
        return reply(this.#orderAt(isIssued ? 'valid' : 'processing'), isIssued ? {} : waiting);
      case '/certificate':
        return reply(certificate({ name: NAME, key: ecKey(), dnsNames: [NAME], to: 90 }));
      default:
        throw new Error(`unexpected request for ${url}`);
    }
  }

  #orderAt(status: string) {
    const urls = { authorizations: [`${BASE}/authorization`], finalize: `${BASE}/finalize` };
    return { ...urls, status, ...(status === 'valid' && { certificate: `${BASE}/certificate` }) };
  }
}

/** The certificate is for another key than that of the CSR, which is where the order ends here. */
async function orderedAt(timing: Timing): Promise<FakeAuthority> {
  const authority = new FakeAuthority(timing);
  assert.is(await failureOf(authority), 'bad_certificate');
  return authority;
}

/** Code of the failure that an order ends with. */
const failureOf = (authority: FakeAuthority): Promise<unknown> =>
  authority.order().then(
    () => 'none',
    (error: unknown) => (error instanceof OrderFailure ? error.code : error),
  );

const intervals = (times: readonly number[]): number[] => times.slice(1).map((time, i) => time - times[i]);

test('a validation of six seconds costs a handful of requests, at growing intervals', async () => {
  const authority = await orderedAt({ validation: 6, issuance: 0 });
  // The first is not a poll: it reads the challenges.
  const [, ...polls] = authority.timesOf('/authorization');
  assert.equal(intervals(polls), [0.25, 0.5, 1, 2, 4]);
  assert.equal(authority.timesOf('/order').length, 1, 'the response to the CSR has the certificate already');
});

test('about a dozen polls in the two minutes after which the order fails', async () => {
  for (const random of [0, 1]) {
    const authority = new FakeAuthority({ validation: 3600, issuance: 0, random });
    assert.is(await failureOf(authority), 'slow');
    const [, ...polls] = authority.timesOf('/authorization');
    assert.ok(polls.length >= 10 && polls.length <= 14, String(polls.length));
    assert.ok(intervals(polls).every((interval) => interval > 0 && interval <= 15 * 1.25));
    assert.ok(Math.abs(authority.seconds - 120) < 1, String(authority.seconds));
  }
});

test('Retry-After is the minimum interval, up to a minute; 0 and invalid values change nothing', async () => {
  const firstOf = async (retryAfter: string, random = 0): Promise<number> => {
    const authority = await orderedAt({ validation: 5, issuance: 0, retryAfter, random });
    const [, ...polls] = authority.timesOf('/authorization');
    return intervals(polls)[0];
  };
  assert.is(await firstOf('7'), 7);
  assert.is(await firstOf('8', 1), 10, 'chance makes an interval longer, never shorter');
  assert.is(await firstOf('86400'), 60);
  assert.is(await firstOf(new Date((DATE + 30) * 1000).toUTCString()), 30);
  for (const text of ['0', 'soon', '-5', '']) assert.is(await firstOf(text), 0.25, text);
});

test('the Retry-After of the response to the CSR holds', async () => {
  const authority = await orderedAt({ validation: 0, issuance: 3, retryAfter: '3' });
  const [finalized] = authority.timesOf('/finalize');
  const [, ...polls] = authority.timesOf('/order');
  assert.equal(polls, [finalized + 3], 'one request, when the certificate is there');
});

test('acme-client sends nothing by its own HTTP client, at the patched version', async () => {
  // Documented: the client's instance of axios. It serves what the replaced object does not.
  const before = acme.axios.defaults.adapter;
  acme.axios.defaults.adapter = () => Promise.reject(new Error('acme-client used its own HTTP'));
  try {
    const { requests } = await orderedAt({ validation: 1, issuance: 1 });
    const paths = [...new Set(requests.map(({ url, method }) => `${method.toUpperCase()} ${url.slice(BASE.length)}`))];
    const steps = ['new-order', 'authorization', 'challenge', 'order', 'finalize', 'certificate'];
    assert.equal(paths, ['GET /dir', 'HEAD /nonce', ...steps.map((step) => `POST /${step}`)]);
    assert.is(requests.filter(({ method }) => method === 'head').length, 1, 'nonces of responses are used again');
  } finally {
    acme.axios.defaults.adapter = before;
  }
});

test.run();
