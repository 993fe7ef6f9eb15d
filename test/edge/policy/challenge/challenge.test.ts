import { createContext, runInContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileErrorPages } from '../../../../core/site/error-pages/error-pages.ts';
import { compileProtection } from '../../../../core/site/protection/compile.ts';
import type { ChallengeDocument } from '../../../../core/site/protection/document.ts';
import type { RequestBody } from '../../../../edge/http/exchange/exchange.ts';
import { Challenge } from '../../../../edge/policy/challenge/challenge.ts';
import { PAGE_FIELDS, renderPage, SOLUTION_PATH } from '../../../../edge/policy/challenge/page.ts';
import { ChallengeTokens, isSolution, zeroBits } from '../../../../edge/policy/challenge/token.ts';
import type { Site } from '../../../../edge/sites/site.ts';
import { FakeExchange, type FakeRequest } from '../../proxy/fake-exchange.ts';

const test = suite('challenge');
const KEYS = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const HTML = ['accept', 'text/html,application/xhtml+xml,*/*;q=0.8'];
const NETWORK = '198.51.100.7';

const siteOf = (challenge: ChallengeDocument = {}): Site =>
  ({
    domainId: '7',
    documents: { protection: compileProtection({ challenge: { difficulty: 8, ...challenge } }) },
  }) as unknown as Site;

interface Rig {
  readonly challenge: Challenge;
  readonly answers: number[];
  now: number;
}

function rig(keys: readonly Uint8Array[] = KEYS, network = NETWORK): Rig {
  const answers: number[] = [];
  const its: Rig = {
    answers,
    now: 1_800_000_000,
    challenge: new Challenge({
      keys,
      networkOf: () => network,
      schemeOf: ({ scheme }) => scheme,
      onAnswer: (_, __, status) => answers.push(status),
      now: () => its.now,
    }),
  };
  return its;
}

const bodyOf = (text: string): RequestBody => {
  const parts: (Uint8Array | null)[] = [Buffer.from(text), null];
  return { length: text.length, read: async () => parts.shift() ?? null, discard() {}, trailers: [] };
};

const inputOf = (page: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';

function solve(token: string, difficulty: number): string {
  for (let nonce = 0; ; nonce++) if (isSolution(token, String(nonce), difficulty)) return String(nonce);
}

async function send(
  its: Rig,
  site: Site,
  fields: Record<string, string>,
  request: FakeRequest = {},
): Promise<FakeExchange> {
  const body = bodyOf(new URLSearchParams(fields).toString());
  const exchange = new FakeExchange({ method: 'POST', path: SOLUTION_PATH, headers: HTML, body, ...request });
  assert.ok(its.challenge.isSolution(exchange));
  await its.challenge.takeSolution(exchange, site);
  return exchange;
}

function ask(its: Rig, site: Site, request: FakeRequest = {}): { passed: boolean; exchange: FakeExchange } {
  const exchange = new FakeExchange({ headers: HTML, path: '/shop?a=1&b=%22', ...request });
  return { passed: its.challenge.demand(exchange, site), exchange };
}

const cookieOf = (exchange: FakeExchange): string => exchange.field('set-cookie')?.split(';')[0] ?? '';

test('a browser gets a page, solves it, gets a cookie and returns to where it was', async () => {
  const its = rig();
  const site = siteOf();
  const { passed, exchange } = ask(its, site);
  assert.not(passed);
  assert.is(exchange.status, 403);
  assert.match(exchange.field('content-security-policy') ?? '', /^default-src 'none'; script-src 'sha256-/);
  const token = inputOf(exchange.text, 'token');
  assert.is(inputOf(exchange.text, 'to'), '/shop?a=1&amp;b=%22');
  const done = await send(its, site, { token, nonce: solve(token, 8), to: '/shop?a=1&b=%22' });
  assert.equal([done.status, done.field('location')], [303, '/shop?a=1&b=%22']);
  assert.match(
    done.field('set-cookie') ?? '',
    /^__Host-waypost-pass=[\w-]+; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$/,
  );
  const headers = [...HTML, 'cookie', `a=b; ${cookieOf(done)}; c=d`];
  assert.ok(ask(its, site, { headers }).passed);
  // Any client of the network may use it, also a program.
  assert.ok(ask(its, site, { headers: ['cookie', cookieOf(done)] }).passed);
  assert.ok(ask(rig(KEYS.slice().reverse()), site, { headers }).passed, 'a node whose key was rotated');
  for (const other of [rig([Buffer.alloc(32, 3)]), rig(KEYS, '203.0.113.1')])
    assert.not(ask(other, site, { headers }).passed);
  assert.not(ask(its, { ...site, domainId: '8' }, { headers }).passed);
  its.now += 3601;
  assert.not(ask(its, site, { headers }).passed, 'expired');
});

test("a client that shows no page gets the site's own error page, if it accepts HTML", () => {
  const errorPages = compileErrorPages({ pages: [{ status: '403', html: 'own {{code}}' }] });
  const site = { domainId: '7', documents: { protection: null, errorPages } } as unknown as Site;
  const scripted = ask(rig(), site, { headers: [...HTML, 'sec-fetch-dest', 'empty'] });
  assert.not(scripted.passed);
  assert.equal([scripted.exchange.status, scripted.exchange.text], [403, 'own challenge_required']);
  const program = ask(rig(), site, { headers: ['accept', 'text/plain'] });
  assert.match(program.exchange.text, /^403 This site checks its visitors/);
});

test('without JavaScript: too early the page again with the rest of the wait, then a shorter pass', async () => {
  const its = rig();
  const site = siteOf({ wait: 15 });
  const token = inputOf(ask(its, site).exchange.text, 'token');
  its.now += 5;
  const early = await send(its, site, { token, nonce: '', to: '/shop' });
  assert.is(early.status, 403);
  assert.is(inputOf(early.text, 'token'), token);
  assert.match(early.text, /wait 10 seconds/);
  its.now += 10;
  const done = await send(its, site, { token, nonce: '', to: '/shop' }, { scheme: 'http' });
  assert.match(done.field('set-cookie') ?? '', /^waypost-pass=[\w-]+; Path=\/; Max-Age=900; HttpOnly; SameSite=Lax$/);
  its.now += 700;
  const late = await send(its, site, { token, nonce: solve(token, 8), to: '/shop' });
  assert.is(late.status, 403);
  assert.is.not(inputOf(late.text, 'token'), token);
});

test('wrong solutions, forged tokens and malformed forms give no pass', async () => {
  const its = rig();
  const site = siteOf({ difficulty: 16 });
  const token = inputOf(ask(its, site).exchange.text, 'token');
  const nonce = solve(token, 16);
  for (const fields of [
    { token, nonce: '' },
    { token, nonce: `${nonce}0` },
    { token, nonce: `${nonce} ` },
    { token: `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`, nonce },
    { token: '', nonce },
    { token: 'x'.repeat(40), nonce },
    { nonce: 'x'.repeat(9000), token },
  ])
    assert.is((await send(its, site, fields as Record<string, string>)).status, 403, JSON.stringify(fields));
  assert.is((await send(rig(KEYS, '203.0.113.1'), site, { token, nonce })).status, 403, 'of another network');
});

test('the visitor is only sent to a path of the same host', async () => {
  const its = rig();
  const site = siteOf();
  for (const to of ['//evil.test/', '/\\evil.test', 'https://evil.test/', '/a\r\nx: y', 'a', '', '/a b', '/ä']) {
    const token = inputOf(ask(its, site).exchange.text, 'token');
    assert.is((await send(its, site, { token, nonce: solve(token, 8), to })).field('location'), '/', to);
  }
});

test('clients that accept no HTML, or load no document, get a text with 403', () => {
  const its = rig();
  const site = siteOf();
  for (const headers of [
    [],
    ['accept', '*/*'],
    ['accept', 'application/json'],
    ['accept', 'text/html;q=0, text/plain'],
    [...HTML, 'sec-fetch-dest', 'image'],
  ]) {
    const { passed, exchange } = ask(its, site, { headers });
    assert.not(passed);
    assert.is(exchange.status, 403);
    assert.not.match(exchange.text, /<form|<script/);
    assert.match(exchange.text, /Open the site in a browser/);
  }
  assert.not.match(ask(its, site, { protocol: 'websocket' }).exchange.text, /<form/);
});

test('paths that are left out pass, unless dots may lead elsewhere', () => {
  const its = rig();
  const site = siteOf({ except: ['/api/'] });
  for (const path of ['/api/', '/api/x?y']) assert.ok(ask(its, site, { path }).passed, path);
  for (const path of ['/', '/api', '/api/../x', '/api/%2e%2e/x', '/API/'])
    assert.not(ask(its, site, { path }).passed, path);
});

test('the script of the page finds a solution, and sends the form', async () => {
  const tokens = new ChallengeTokens(KEYS);
  const holder = { domainId: '7', network: NETWORK };
  const token = tokens.createPuzzle({ issuedAt: 1000, difficulty: 10, wait: 15 }, holder);
  const page = renderPage({ host: 'a.test', token, difficulty: 10, wait: 15, target: '/"><script>' });
  assert.not.match(page, /"><script>/);
  const script = /<script>([\s\S]*)<\/script>/.exec(page)?.[1] ?? '';
  const elements = { token: { value: token }, nonce: { value: '' } };
  await new Promise<void>((resolve) => {
    const form = { elements, dataset: { bits: '10' }, submit: resolve };
    const document = { forms: [form], getElementById: () => ({ textContent: '' }) };
    const window = { crypto: globalThis.crypto };
    const context = { document, window, crypto: globalThis.crypto, TextEncoder, Uint8Array, setTimeout };
    runInContext(script, createContext(context));
  });
  assert.ok(isSolution(token, String(elements.nonce.value), 10));
  assert.match(PAGE_FIELDS[1], /form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/);
});

test('a puzzle is bound to its parameters and client, for ten minutes', () => {
  const tokens = new ChallengeTokens(KEYS);
  const holder = { domainId: '7', network: NETWORK };
  const token = tokens.createPuzzle({ issuedAt: 1000, difficulty: 20, wait: 15 }, holder);
  assert.equal(tokens.readPuzzle(token, holder, 1600), { issuedAt: 1000, difficulty: 20, wait: 15 });
  assert.is(tokens.readPuzzle(token, holder, 1601), undefined);
  assert.is(tokens.readPuzzle(token, holder, 900), undefined, 'from the future');
  assert.is(tokens.readPuzzle(token, { ...holder, domainId: '70' }, 1600), undefined);
  assert.not(tokens.isPass(token, holder, 0));
  assert.is(zeroBits(Buffer.of(0, 0x10, 0xff)), 11);
  assert.is(zeroBits(Buffer.of(0, 0)), 16);
});

test.run();
