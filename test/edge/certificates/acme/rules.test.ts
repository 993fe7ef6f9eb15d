/**
 * The pure parts: who may issue (RFC 8659, 8657), what is done when, renewal information (RFC
 * 9773), problems, the queue by time.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AcmeOrder, ProxyConfig } from '../../../../core/store/rows.ts';
import {
  certificateId,
  chooseRenewal,
  pollAfterError,
  readRenewalInfo,
} from '../../../../edge/certificates/acme/ari.ts';
import { bothFailed, isOwnFailure } from '../../../../edge/certificates/acme/authorities.ts';
import { type CaaRecord, type Method, mayIssue, relevantCaa } from '../../../../edge/certificates/acme/caa.ts';
import { type Decision, decide, type Situation } from '../../../../edge/certificates/acme/decide.ts';
import {
  DirectoryProblem,
  DirectoryUnreachable,
  OrderFailure,
  readProblem,
  readRetryAfter,
} from '../../../../edge/certificates/acme/problem.ts';
import {
  failureOf,
  notServed,
  ofFaultyNames,
  refusedChallenge,
  slow,
} from '../../../../edge/certificates/acme/sentences.ts';
import { askedDelay, backoff, latestRenewal, renewalTime } from '../../../../edge/certificates/acme/times.ts';
import { newDomain, newProxy } from '../../../core/journal/fixture.ts';
import fc from '../../../support/fc.ts';
import { SEED } from '../../../support/seed.ts';

const test = suite(`certificates, rules, seed ${SEED}`);

/** As in a master file: `[!]tag value`, `!` for critical. */
const caa = (...lines: string[]): CaaRecord[] =>
  lines.map((line) => {
    const [, critical, tag, value] = /^(!?)(\S+) ?(.*)$/.exec(line)!;
    return { critical: critical !== '', tag, value };
  });

test('CAA: who may issue', () => {
  const ACCOUNT = 'https://ca.test/account/1';
  // Records, whether for a name, whether for a wildcard; by dns-01 when nothing else is said.
  const cases: [records: string[], name: boolean, wildcard: boolean, method?: Method][] = [
    [[], true, true],
    [['iodef mailto:a@example.net'], true, true],
    [['issue ca.test'], true, true],
    [['issue CA.Test'], true, true],
    [['issue  ca.test '], true, true],
    [['issue ca.test.'], true, true],
    [['issue other.test'], false, false],
    [['issue other.test', 'issue ca.test'], true, true],
    [['issue ;'], false, false],
    [['issue'], false, false],
    [['issue ca.test', 'issuewild ;'], true, false],
    [['issue ;', 'issuewild ca.test'], false, true],
    [['issuewild ;'], true, false],
    [['issuewild other.test'], true, false],
    [['issuewild ;', 'issuewild ca.test'], true, true],
    [['!future value'], false, false],
    [['future value'], true, true],
    [['!issue ca.test'], true, true],
    [['issue ca.test', '!future value'], false, false],
    [['issue ca.test; policy=ev'], true, true],
    [['issue ca.test;'], true, true],
    [['issue ca.test; %%%%%'], false, false],
    [[`issue ca.test; accounturi=${ACCOUNT}`], true, true],
    [[`issue ca.test; AccountUri=${ACCOUNT}`], true, true],
    [['issue ca.test; accounturi=https://ca.test/account/2'], false, false],
    [['issue ca.test; validationmethods=dns-01'], true, true],
    [['issue ca.test; validationmethods=http-01'], false, false],
    [['issue ca.test; validationmethods=http-01'], true, true, 'http-01'],
    [['issue ca.test; validationmethods=dns-01,http-01'], true, true, 'http-01'],
    [['issue ca.test; validationmethods='], false, false],
    [[`issue ca.test; validationmethods=dns-01; accounturi=${ACCOUNT}`], true, true],
    [['issue ca.test; validationmethods=dns-01; accounturi=x'], false, false],
  ];
  const issuer = { identities: ['ca.test', 'ca-two.test'], others: [], accountUri: ACCOUNT };
  for (const [lines, name, wildcard, method = 'dns-01'] of cases) {
    const records = caa(...lines);
    assert.is(mayIssue(records, issuer, method, false), name, `${lines.join(', ')}: name`);
    assert.is(mayIssue(records, issuer, method, true), wildcard, `${lines.join(', ')}: wildcard`);
  }
});

test('CAA: the closest RRset counts, up to the top-level domain (RFC 8659 section 3)', async () => {
  const zones = new Map([
    ['b.c.test', caa('issue ca.test')],
    ['test', caa('issue other.test')],
  ]);
  const questions: string[] = [];
  const ask = async (name: string): Promise<readonly CaaRecord[]> => {
    questions.push(name);
    return zones.get(name) ?? [];
  };
  assert.is((await relevantCaa('a.b.c.test', ask)).name, 'b.c.test');
  assert.is((await relevantCaa('c.test', ask)).name, 'test');
  assert.equal((await relevantCaa('c.example', ask)).records, []);
  assert.equal(questions, ['a.b.c.test', 'b.c.test', 'c.test', 'test', 'c.example', 'example']);
});

const NOW = 1_000_000_000;
const DAY = 86_400;
const domain = newDomain('example.net.');
const proxyOf = (more: Partial<ProxyConfig> = {}): ProxyConfig => ({ ...newProxy(domain), ...more });
const orderOf = (more: Partial<AcmeOrder> = {}): AcmeOrder => ({
  ...{ domainId: domain.id, claim: null, triedAt: 0, failures: 0, retryAt: null, blockedUntil: null, renewAt: null },
  ...{ directory: null, issued: 0, issuedSince: 0, ...more },
});

const automatic = {
  ...{ domainId: domain.id, chain: '', sealedKey: '', names: [] },
  ...{ notBefore: NOW - 10 * DAY, notAfter: NOW + 80 * DAY, createdAt: NOW - 10 * DAY },
};
const active = { sslStatus: 'active', sslIssuedAt: automatic.notBefore, sslExpiresAt: automatic.notAfter } as const;

test('the next action in each situation', () => {
  const renewAt = NOW + 50 * DAY;
  const expired = { ...automatic, notAfter: NOW - 1 };
  const cases: [what: string, situation: Partial<Situation>, wanted: Decision][] = [
    ['no proxy', {}, { kind: 'nothing' }],
    ['off, never on', { proxy: proxyOf({ enabled: false }) }, { kind: 'nothing' }],
    [
      'turned on',
      { proxy: proxyOf({ sslStatus: 'pending', orderRequestedAt: NOW }) },
      { kind: 'order', isUrgent: true },
    ],
    ['on, and nothing known', { proxy: proxyOf() }, { kind: 'order', isUrgent: true }],
    ['a certificate of their own', { proxy: proxyOf({ sslStatus: 'active' }), isCustom: true }, { kind: 'nothing' }],
    [
      'off in the middle',
      { proxy: proxyOf({ enabled: false, sslStatus: 'pending', orderRequestedAt: NOW }) },
      { kind: 'cancel' },
    ],
    ['off after a failure', { proxy: proxyOf({ enabled: false, sslStatus: 'error' }) }, { kind: 'cancel' }],
    ['good', { proxy: proxyOf(active), automatic }, { kind: 'wait', until: renewAt }],
    [
      'good, with a time of the directory',
      { proxy: proxyOf(active), automatic, order: orderOf({ renewAt: NOW + 5 }) },
      { kind: 'wait', until: NOW + 5 },
    ],
    [
      'due',
      { proxy: proxyOf(active), automatic, order: orderOf({ renewAt: NOW }) },
      { kind: 'order', isUrgent: false },
    ],
    [
      'from another directory',
      { proxy: proxyOf(active), automatic, order: orderOf({ renewAt: NOW + 5, directory: 'https://test.ca.test/' }) },
      { kind: 'order', isUrgent: false },
    ],
    [
      'from the fallback directory',
      { proxy: proxyOf(active), automatic, order: orderOf({ renewAt: NOW + 5, directory: 'https://fallback.test/' }) },
      { kind: 'wait', until: NOW + 5 },
    ],
    [
      'from this directory',
      { proxy: proxyOf(active), automatic, order: orderOf({ renewAt: NOW + 5, directory: 'https://ca.test/' }) },
      { kind: 'wait', until: NOW + 5 },
    ],
    [
      'due, failed before',
      { proxy: proxyOf(active), automatic, order: orderOf({ renewAt: NOW - 9, failures: 2, retryAt: NOW + 7 }) },
      { kind: 'wait', until: NOW + 7 },
    ],
    [
      'due again at once, as the directory always says',
      {
        proxy: proxyOf(active),
        automatic,
        order: orderOf({ renewAt: NOW - 9, triedAt: NOW - 20, issued: 3, issuedSince: NOW - 100 }),
      },
      { kind: 'wait', until: NOW - 20 + 360 },
    ],
    [
      'a name was added that it does not cover',
      { proxy: proxyOf(active), automatic, uncovered: ['www.shop.example.net'] },
      { kind: 'order', isUrgent: false },
    ],
    [
      'names were added one after the other',
      {
        proxy: proxyOf(active),
        automatic,
        order: orderOf({ renewAt, triedAt: NOW - 3, issued: 2, issuedSince: NOW - 100 }),
        uncovered: ['www.shop.example.net'],
      },
      { kind: 'wait', until: NOW + 57 },
    ],
    [
      'a name that could not be validated is retried later',
      {
        proxy: proxyOf(active),
        automatic,
        order: orderOf({
          refused: [{ name: 'www.shop.example.net', why: 'No.', failures: 1, failedAt: NOW, retryAt: NOW + 60 }],
        }),
        uncovered: ['www.shop.example.net'],
      },
      { kind: 'wait', until: NOW + 60 },
    ],
    [
      'a name is missing next to one that could not be validated',
      {
        proxy: proxyOf(active),
        automatic,
        order: orderOf({
          refused: [{ name: 'www.shop.example.net', why: 'No.', failures: 1, failedAt: NOW, retryAt: NOW + 60 }],
        }),
        uncovered: ['www.shop.example.net', 'a.b.example.net'],
      },
      { kind: 'order', isUrgent: false },
    ],
    [
      'due, but a name is refused for now that it serves',
      {
        proxy: proxyOf(active),
        automatic: { ...automatic, names: ['www.shop.example.net'] },
        order: orderOf({
          renewAt: NOW,
          refused: [{ name: 'www.shop.example.net', why: 'No.', failures: 1, failedAt: NOW, retryAt: NOW + 60 }],
        }),
      },
      { kind: 'wait', until: NOW + 60 },
    ],
    [
      'due, further and without the first, while the proxy is off',
      { proxy: proxyOf({ enabled: false }), further: [{ ...automatic, slot: 1, renewAt: NOW, directory: null }] },
      { kind: 'discard' },
    ],
    [
      'a further certificate is due',
      { proxy: proxyOf(active), automatic, further: [{ ...automatic, slot: 1, renewAt: NOW, directory: null }] },
      { kind: 'order', isUrgent: false },
    ],
    [
      'a further certificate is due before the first',
      { proxy: proxyOf(active), automatic, further: [{ ...automatic, slot: 1, renewAt: NOW + 9, directory: null }] },
      { kind: 'wait', until: NOW + 9 },
    ],
    [
      'a further certificate is from another directory',
      {
        proxy: proxyOf(active),
        automatic,
        further: [{ ...automatic, slot: 1, renewAt: NOW + 9, directory: 'https://test.ca.test/' }],
      },
      { kind: 'order', isUrgent: false },
    ],
    [
      'their own, which does not cover a name',
      { proxy: proxyOf(active), isCustom: true, uncovered: ['www.shop.example.net'] },
      { kind: 'nothing' },
    ],
    ['expired', { proxy: proxyOf(active), automatic: expired }, { kind: 'order', isUrgent: true }],
    [
      'expired, and another cannot be had yet',
      { proxy: proxyOf(active), automatic: expired, order: orderOf({ retryAt: NOW + 60 }) },
      { kind: 'lapse' },
    ],
    [
      'expired, which is said',
      { proxy: proxyOf({ sslStatus: 'error' }), automatic: expired, order: orderOf({ retryAt: NOW + 60 }) },
      { kind: 'wait', until: NOW + 60 },
    ],
    [
      'tried again after it expires',
      {
        proxy: proxyOf(active),
        automatic: { ...automatic, notAfter: NOW + 60 },
        order: orderOf({ renewAt: NOW - 1, retryAt: NOW + 90 }),
      },
      { kind: 'wait', until: NOW + 60 },
    ],
    [
      'tried by a clock that was a year ahead',
      { proxy: proxyOf(), order: orderOf({ triedAt: NOW + 365 * DAY, retryAt: NOW + 366 * DAY, failures: 3 }) },
      { kind: 'order', isUrgent: true },
    ],
    [
      'claimed by a clock that was a year ahead',
      { proxy: proxyOf(), order: orderOf({ claim: { node: 'b', until: NOW + 365 * DAY } }) },
      { kind: 'order', isUrgent: true },
    ],
    [
      'off while another orders',
      { proxy: proxyOf({ enabled: false }), order: orderOf({ claim: { node: 'b', until: NOW + 9 } }) },
      { kind: 'wait', until: NOW + 9 },
    ],
    [
      'off, and another has gone in an order',
      { proxy: proxyOf({ enabled: false }), order: orderOf({ claim: { node: 'b', until: NOW - 9 } }) },
      { kind: 'cancel' },
    ],
    [
      'off and good, and another has gone in an order',
      {
        proxy: proxyOf({ ...active, enabled: false }),
        automatic,
        order: orderOf({ claim: { node: 'b', until: NOW - 9 } }),
      },
      { kind: 'restore' },
    ],
    [
      'their own, and another has gone in an order',
      { proxy: proxyOf(active), isCustom: true, order: orderOf({ claim: { node: 'b', until: NOW - 9 } }) },
      { kind: 'cancel' },
    ],
    [
      'another orders',
      { proxy: proxyOf(), order: orderOf({ claim: { node: 'b', until: NOW + 9 } }) },
      { kind: 'wait', until: NOW + 9 },
    ],
    [
      'another has gone',
      { proxy: proxyOf(), order: orderOf({ claim: { node: 'b', until: NOW } }) },
      { kind: 'order', isUrgent: true },
    ],
    [
      'we did, before a crash',
      { proxy: proxyOf(), order: orderOf({ claim: { node: 'a', until: NOW + 9 } }) },
      { kind: 'order', isUrgent: true },
    ],
    [
      'requested again',
      { proxy: proxyOf({ ...active, sslStatus: 'renewing', orderRequestedAt: NOW }), automatic },
      { kind: 'order', isUrgent: false },
    ],
    [
      'requested again too soon',
      {
        proxy: proxyOf({ ...active, sslStatus: 'renewing', orderRequestedAt: NOW }),
        automatic,
        order: orderOf({ triedAt: NOW - 3, issued: 2, issuedSince: NOW - 100 }),
      },
      { kind: 'wait', until: NOW + 57 },
    ],
    [
      'asked for after a failure',
      {
        proxy: proxyOf({ sslStatus: 'pending', orderRequestedAt: NOW }),
        order: orderOf({ triedAt: NOW - 30, failures: 1, retryAt: NOW + 60 }),
      },
      { kind: 'order', isUrgent: true },
    ],
    [
      'asked for, and the directory wants rest',
      { proxy: proxyOf({ sslStatus: 'pending', orderRequestedAt: NOW }), order: orderOf({ blockedUntil: NOW + 60 }) },
      { kind: 'wait', until: NOW + 60 },
    ],
    [
      'their own has gone, ours is good',
      { proxy: proxyOf({ sslStatus: 'pending', orderRequestedAt: NOW }), automatic },
      { kind: 'restore' },
    ],
    ['on again', { proxy: proxyOf({ sslStatus: 'none' }), automatic }, { kind: 'restore' }],
    [
      'off while renewing',
      { proxy: proxyOf({ ...active, enabled: false, sslStatus: 'renewing', orderRequestedAt: NOW }), automatic },
      { kind: 'restore' },
    ],
    [
      'off and good',
      { proxy: proxyOf({ ...active, enabled: false }), automatic },
      { kind: 'wait', until: automatic.notAfter },
    ],
    ['off and expired', { proxy: proxyOf({ ...active, enabled: false }), automatic: expired }, { kind: 'discard' }],
    [
      'their own, and ours has expired',
      { proxy: proxyOf(active), isCustom: true, automatic: expired },
      { kind: 'discard' },
    ],
  ];
  for (const [what, situation, wanted] of cases) {
    const nothing = { proxy: undefined, isCustom: false, automatic: undefined, further: [], rsa: [], order: undefined };
    const whole = { ...nothing, uncovered: [], ...situation };
    assert.equal(
      decide(whole, { node: 'a', directories: ['https://ca.test/', 'https://fallback.test/'], wantsRsa: false }, NOW),
      wanted,
      what,
    );
  }
});

test('failures are retried after a minute to six hours; renewals are at two thirds of the lifetime', () => {
  for (const random of [0, 0.5, 0.999]) {
    let last = 0;
    for (let failures = 1; failures < 40; failures++) {
      const seconds = backoff(failures, random);
      assert.ok(seconds >= 60 && seconds <= 6 * 3600 && seconds >= last, `${failures}: ${seconds}`);
      last = seconds;
    }
    assert.ok(last > 0.9 * 6 * 3600);
    for (const days of [90, 45, 6]) {
      const part = renewalTime(NOW, NOW + days * DAY, random) - NOW;
      assert.ok(part <= (days * DAY * 2) / 3 && part >= days * DAY * 0.63, `${days} days: ${part / DAY}`);
    }
  }
  assert.equal(
    [0, 1, 2, 3].map((issued) => askedDelay(0, issued)),
    [10, 10, 60, 360],
  );
  assert.is(askedDelay(0, 50), 6 * 3600);
});

test('ARI: the certificate of RFC 9773, appendix A', () => {
  // The certificate of section 4.1: by its serial number and key identifier.
  const leaf = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----`;
  assert.is(certificateId(leaf), 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE');
  assert.is(certificateId(''), null);
  // An authority key identifier that is none, of which OpenSSL takes no notice: lengths of any
  // size.
  const der = Buffer.from(leaf.replace(/-----[A-Z ]+-----|\n/g, ''), 'base64');
  const at = der.indexOf(Buffer.of(0x55, 0x1d, 0x23)) + 5;
  for (let byte = 0; byte < 256; byte++) {
    const damaged = Buffer.from(der);
    damaged[at + 1] = byte;
    const pem = `-----BEGIN CERTIFICATE-----\n${damaged.toString('base64')}\n-----END CERTIFICATE-----\n`;
    const id = certificateId(pem);
    assert.ok(id === null || typeof id === 'string');
  }
});

test('RSA certificates: ordered when they are missing or due, and only if they are wanted', () => {
  const [first, further] = [automatic, { ...automatic, slot: 1, renewAt: NOW + 50, directory: null }];
  const situation: Situation = {
    ...{ proxy: proxyOf(active), isCustom: false, automatic: first, further: [further], uncovered: [] },
    ...{ rsa: [], order: orderOf({ renewAt: NOW + 90 }) },
  };
  const self = { node: 'a', directories: ['https://ca.test/'], wantsRsa: true };
  const beside = (slot: number, renewAt = NOW + 70) => ({ ...first, slot, renewAt });
  const decided = (rsa: Situation['rsa'], more: Partial<Situation> = {}) =>
    decide({ ...situation, rsa, ...more }, self, NOW);
  const order = { kind: 'order', isUrgent: false };
  assert.equal(decide(situation, { ...self, wantsRsa: false }, NOW), { kind: 'wait', until: NOW + 50 });
  assert.equal(decided([]), order);
  assert.equal(decided([beside(0)]), order, 'the further certificate has none');
  assert.equal(decided([beside(0), beside(1)]), { kind: 'wait', until: NOW + 50 });
  assert.equal(decided([beside(0, NOW + 40), beside(1)]), { kind: 'wait', until: NOW + 40 });
  assert.equal(decided([beside(0, NOW), beside(1)]), order, 'it is due');
  const renewed = { ...first, names: [...first.names, 'new.example.net'], createdAt: first.createdAt + 1 };
  assert.equal(decided([beside(0), beside(1)], { automatic: renewed }), order, 'it lacks a name');
  const failed = orderOf({ renewAt: NOW + 90, triedAt: NOW - 1, failures: 3, retryAt: NOW + 30 });
  assert.equal(decided([], { order: failed }).kind, 'wait', 'after a failure it is retried later');
  assert.equal(decided([], { isCustom: true }).kind === 'order', false);
});

test('ARI: suggestions of a directory, and their bounds', () => {
  const window = { start: '2025-01-02T04:00:00Z', end: '2025-01-03T04:00:00Z' };
  const info = readRenewalInfo({ suggestedWindow: window, explanationURL: 'x' }, '21600', NOW)!;
  assert.equal(info, { start: 1_735_790_400, end: 1_735_876_800, retryAfter: 21_600, explanation: null });
  assert.is(readRenewalInfo({ suggestedWindow: window }, '0', NOW)?.retryAfter, 60);
  assert.is(readRenewalInfo({ suggestedWindow: window }, '999999', NOW)?.retryAfter, DAY);
  assert.is(readRenewalInfo({ suggestedWindow: window }, undefined, NOW)?.retryAfter, 21_600);
  for (const bad of [
    null,
    'text',
    {},
    { suggestedWindow: 1 },
    { suggestedWindow: { start: window.end, end: window.start } },
    { suggestedWindow: { start: 'x', end: 'y' } },
  ])
    assert.is(readRenewalInfo(bad, undefined, NOW), null);
  const never = Number.POSITIVE_INFINITY;
  assert.is(chooseRenewal(info, info.start + 5, never, 0.5), info.start + 5);
  assert.is(chooseRenewal(info, info.end + 5, never, 0.5), info.start + DAY / 2);
  assert.is(chooseRenewal(info, info.start - 5, never, 0), info.start);
  // It may not put it off beyond what leaves time to renew.
  assert.is(chooseRenewal(info, info.start + 5, info.start - 9, 0.5), info.start - 9);
  assert.is(chooseRenewal(info, info.end + 5, info.start + 7, 0.5), info.start + 7);
  assert.is(latestRenewal(NOW, NOW + 90 * DAY), NOW + 81 * DAY);
  const limited = new DirectoryProblem({ type: 'rateLimited', detail: '' }, 429, 50_000);
  assert.equal(pollAfterError(limited, { failures: 0 }, NOW), { nextAt: NOW + 50_000, failures: 0 });
  assert.equal(pollAfterError(new Error('none'), { failures: 2 }, NOW), { nextAt: NOW + 21_600, failures: 0 });
  const gone = new DirectoryProblem({ type: 'malformed', detail: '' }, 404, 5);
  assert.equal(pollAfterError(gone, { failures: 0 }, NOW), { nextAt: NOW + 21_600, failures: 0 });
  const down = new DirectoryUnreachable('refused');
  const waits = [0, 1, 2, 3, 4].map((failures) => pollAfterError(down, { failures }, NOW).nextAt - NOW);
  assert.equal(waits, [60, 240, 960, 21_600, 21_600], 'temporary errors are retried, a few times');
  const busy = new DirectoryProblem({ type: '', detail: '' }, 503, 600);
  assert.equal(
    pollAfterError(busy, { failures: 1 }, NOW),
    { nextAt: NOW + 600, failures: 2 },
    'not before Retry-After',
  );
});

test('renewal information: the explanation is a URL, or nothing', () => {
  const window = { start: '2026-01-02T00:00:00Z', end: '2026-01-03T00:00:00Z' };
  const explanationOf = (explanationURL: unknown) =>
    readRenewalInfo({ suggestedWindow: window, explanationURL }, undefined, NOW)?.explanation;
  assert.is(explanationOf('https://ca.test/why'), 'https://ca.test/why');
  for (const bad of [undefined, 7, 'why', 'javascript:alert(1)', `https://ca.test/${'x'.repeat(2000)}`])
    assert.is(explanationOf(bad), null);
  assert.not.match(explanationOf('https://ca.test/a\nb')!, /\n/);
});

test('the fallback authority: for failures that are not of the domain, and both are reported', () => {
  const problem = (type: string, status: number): OrderFailure =>
    failureOf(new DirectoryProblem({ type, detail: 'its detail' }, status, null));
  for (const [failure, isOwn] of [
    [failureOf(new DirectoryUnreachable('refused')), true],
    [problem('serverInternal', 500), true],
    [problem('', 503), true],
    [problem('rateLimited', 429), true],
    [problem('externalAccountRequired', 403), true],
    [slow(), true],
    [problem('caa', 403), false],
    [problem('dns', 400), false],
    [problem('connection', 400), false],
    [problem('rejectedIdentifier', 400), false],
    [refusedChallenge('a.example.net', { type: 'unauthorized', detail: 'no TXT' }), false],
    [notServed(), false],
    [failureOf(new TypeError('a fault of ours')), false],
  ] as const)
    assert.is(isOwnFailure(failure), isOwn, `${failure.code}: ${failure.message}`);

  const limited = new OrderFailure('rate_limited', 'First.', { fault: 'limit', retryAfter: 600, detail: 'one' });
  const busy = new OrderFailure('unavailable', 'Second.', { fault: 'directory', retryAfter: 60, detail: 'two' });
  const both = bothFailed(limited, busy);
  assert.equal(
    [both.code, both.fault, both.retryAfter, both.message, both.detail],
    ['rate_limited', 'limit', 60, 'First. The fallback authority has failed, too: Second.', 'one; two'],
  );
  assert.is(bothFailed(limited, slow()).retryAfter, null, 'the fallback may be asked at any time');
  const names = new Map([['a.example.net', 'Third.']]);
  const refused = bothFailed(limited, new OrderFailure('unauthorized', 'Third.', { names }));
  assert.equal([refused.code, refused.fault, refused.names], ['unauthorized', 'domain', names]);
  assert.match(refused.message, /^Third\. .* because the first one has failed: First\.$/);
});

test('problems: the text of a directory is one bounded line', () => {
  assert.equal(readProblem({ type: 'urn:ietf:params:acme:error:caa', detail: 'a\r\n\u0007b' }), {
    type: 'caa',
    detail: 'a b',
  });
  const inner = { type: 'urn:ietf:params:acme:error:dns', detail: 'no such name' };
  assert.equal(readProblem({ type: 'urn:ietf:params:acme:error:compound', detail: 'several', subproblems: [inner] }), {
    type: 'dns',
    detail: 'no such name',
  });
  assert.ok(readProblem({ detail: 'x'.repeat(10_000) }).detail.length <= 400);
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const { type, detail } = readProblem(value);
      assert.ok(typeof type === 'string' && typeof detail === 'string');
    }),
  );
  const outputs = [undefined, '120', 'x', 'Sun, 09 Sep 2001 01:47:00 GMT', 'Sun, 09 Sep 2000 01:47:00 GMT'];
  assert.equal(
    outputs.map((text) => readRetryAfter(text, NOW)),
    [null, 120, null, 20, 0],
  );
  const failure = failureOf(new TypeError('a fault of ours, with a secret'));
  assert.is(failure.code, 'internal');
  assert.not.match(failure.message, /secret/);
  // Of a request: the account was deactivated, which no customer can mend.
  const account = failureOf(new DirectoryProblem({ type: 'unauthorized', detail: 'deactivated' }, 403, null));
  assert.is(account.fault, 'operator');
  assert.not.match(account.message, /registrar/);
  // Whatever is said, it says what to do next.
  const other = failureOf(new DirectoryProblem({ type: 'malformed', detail: 'x' }, 400, null));
  assert.match(other.message, /refused the order \(its message: x\)\. If this persists, upload your own certificate/);
});

test('one name that the directory rejects is at fault, also without a list of subproblems', () => {
  const ordered = ['example.net', '*.example.net', 'a--b.c.example.net'];
  const rejected = (detail: string) => new DirectoryProblem({ type: 'rejectedIdentifier', detail }, 400, null);
  const failure = ofFaultyNames(rejected('Cannot issue for "a--b.c.example.net": no such name'), ordered);
  assert.ok(failure instanceof OrderFailure);
  assert.equal([...failure.names.keys()], ['a--b.c.example.net']);
  const whole = rejected('Cannot issue for "x.test": no');
  assert.is(ofFaultyNames(whole, ordered), whole);
});

test.run();
