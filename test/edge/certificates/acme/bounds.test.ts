/**
 * What keeps one domain's trouble from being another's, and one certificate's news from its
 * successor.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSecrets } from '../../../../core/base/secrets.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import {
  type AutomaticCertificate,
  automaticCertificates,
  domains,
  furtherCertificates,
  proxies,
} from '../../../../core/store/rows.ts';
import { Book } from '../../../../edge/certificates/acme/book.ts';
import { Pause } from '../../../../edge/certificates/acme/orders.ts';
import { OrderFailure } from '../../../../edge/certificates/acme/problem.ts';
import { Renewals } from '../../../../edge/certificates/acme/renewals.ts';
import { embedded, newDomain, newProxy, type Store, withStore } from '../../../core/journal/fixture.ts';

const test = suite('certificates, bounds');
const NOW = 1_000_000_000;
const DAY = 86_400;

test('a rate limit of one account delays others for seconds; a limit of all delays them for minutes', () => {
  const pause = new Pause();
  for (let i = 0; i < 50; i++) {
    pause.note('limit', 1, NOW + i);
    assert.is(pause.until, NOW + i + 5);
  }
  for (let i = 0; i < 50; i++) pause.note('limit', i + 1, NOW);
  assert.is(pause.until, NOW + 600);
  pause.clear();
  pause.note('directory', 1, NOW);
  pause.note('directory', 1, NOW);
  assert.is(pause.until, NOW + 10);
  pause.note('domain', 1, NOW);
  pause.note('directory', 1, NOW);
  assert.is(pause.until, NOW + 5);
});

const bookOf = ({ environment, journal, folder }: Store, now: () => number): Book =>
  new Book({
    ...{ environment, journal, secrets: openSecrets(`${folder}/secret.key`), now, random: () => 0 },
    self: { node: 'a', directories: ['https://ca.test/'], wantsRsa: false },
  });

test('the renewal time of a certificate does not apply to its replacement', () =>
  withStore(embedded, async (store) => {
    const domain = newDomain('example.net.');
    const row = (chain: string): AutomaticCertificate => ({
      ...{ domainId: domain.id, chain, sealedKey: '', names: [], createdAt: NOW },
      ...{ notBefore: NOW, notAfter: NOW + 90 * DAY },
    });
    await write(store.environment, store.journal, 'test', (draft) => {
      draft.put(domains, domain);
      draft.put(proxies, newProxy(domain));
      draft.put(automaticCertificates, row('second'));
    });
    const book = bookOf(store, () => NOW);
    await book.renewAt(domain.id, 'first', NOW - 5);
    assert.is(store.reader.acmeOrder(domain.id)?.renewAt ?? null, null);
    await book.renewAt(domain.id, 'second', NOW + 5);
    assert.is(store.reader.acmeOrder(domain.id)?.renewAt, NOW + 5);
  }));

test('a failed domain is retried after a minute to six hours, or as the directory asks, up to a week', () =>
  withStore(embedded, async (store) => {
    const domain = newDomain('example.net.');
    await write(store.environment, store.journal, 'test', (draft) => {
      draft.put(domains, domain);
      draft.put(proxies, { ...newProxy(domain), sslStatus: 'pending', orderRequestedAt: NOW });
    });
    let now = NOW;
    const waited: number[] = [];
    for (let i = 0; i < 14; i++) {
      // Another process each time: nothing but the row is remembered.
      const book = bookOf(store, () => now);
      assert.ok((await book.claim(domain.id)) !== null, String(i));
      const retryAt = (await book.fail(domain.id, new OrderFailure('caa', 'No.')))!;
      assert.is(await book.claim(domain.id), null, 'not before its time');
      waited.push(retryAt - now);
      now = retryAt;
    }
    assert.is(waited[0], 60);
    assert.is(waited[1], 120);
    assert.is(waited.at(-1), 6 * 3600);
    const book = bookOf(store, () => now);
    await book.claim(domain.id);
    const until = await book.fail(domain.id, new OrderFailure('rate_limited', 'No.', { retryAfter: 999_999_999 }));
    assert.is(until, now + 7 * DAY);
  }));

test('names at fault wait, the others are ordered at once, and unneeded certificates are deleted', () =>
  withStore(embedded, async (store) => {
    const domain = newDomain('example.net.');
    const times = { notBefore: NOW, notAfter: NOW + 90 * DAY, createdAt: NOW };
    const row = {
      domainId: domain.id,
      chain: 'first',
      sealedKey: '',
      names: ['example.net', '*.example.net'],
      ...times,
    };
    await write(store.environment, store.journal, 'test', (draft) => {
      draft.put(domains, domain);
      const ssl = { sslStatus: 'active', sslIssuedAt: NOW, sslExpiresAt: row.notAfter } as const;
      draft.put(proxies, { ...newProxy(domain), ...ssl });
      draft.put(automaticCertificates, row);
      const further = { ...row, names: ['old.a.example.net'], slot: 1, renewAt: NOW + 60 * DAY, directory: null };
      draft.put(furtherCertificates, further);
    });
    let now = NOW + 20;
    const book = bookOf(store, () => now);
    const uncovered = ['bad.a.example.net', 'good.b.example.net'];
    assert.is(await book.claim(domain.id), null, 'nothing is due');
    const claim = (await book.claim(domain.id, uncovered))!;
    assert.equal(
      claim.certificates.map(({ slot }) => slot),
      [0, 1],
    );
    const names = new Map([['bad.a.example.net', 'It cannot be reached.']]);
    assert.is(await book.fail(domain.id, new OrderFailure('connection', 'No.', { names })), now);
    const proxy = store.reader.proxy(domain.id)!;
    assert.is(proxy.sslStatus, 'active');
    assert.is(proxy.sslError, 'No certificate could be ordered for bad.a.example.net: It cannot be reached.');
    assert.is(store.reader.acmeOrder(domain.id)?.failures, 0);
    now += 11;
    assert.is(await book.claim(domain.id, ['bad.a.example.net']), null, 'it is retried later');
    const { refused } = (await book.claim(domain.id, uncovered))!;
    assert.equal(
      refused.map((each) => each.name),
      ['bad.a.example.net'],
    );
    await book.conclude(domain.id, null, { refused, obsolete: [1] });
    assert.equal(store.reader.furtherCertificates(domain.id), []);
    now += 30;
    assert.is(await book.claim(domain.id, uncovered), null, 'an order that found nothing is not repeated at once');
    now += 31;
    assert.ok((await book.claim(domain.id, uncovered)) !== null);
  }));

test('renewal information is requested for two certificates at a time, once each', async () => {
  const questions: number[] = [];
  const ends: (() => void)[] = [];
  const work = new Set<Promise<void>>();
  const begin = (): void => renewals.begin((renewal) => work.add(renewal));
  const renewals: Renewals = new Renewals({
    ask: (id) => {
      questions.push(id);
      return new Promise((done) => ends.push(() => done(60)));
    },
    asked: () => begin(),
  });
  for (const id of [1, 2, 3, 1]) renewals.put(id, 9);
  begin();
  // Those that are pending are not put in line again.
  renewals.put(1, 9);
  assert.equal(questions, [1, 2]);
  assert.is(renewals.size, 1);
  ends.shift()!();
  await [...work][0];
  assert.equal(questions, [1, 2, 3]);
  for (const end of ends) end();
  await Promise.all(work);
  assert.is(renewals.size, 0);
});

test.run();
