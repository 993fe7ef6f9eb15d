/**
 * Who orders when, of many: with orders that are not made, so that only the order of things counts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { Registry } from '../../../../core/base/metrics/index.ts';
import { PROMETHEUS } from '../../../../core/base/metrics/text.ts';
import { openSecrets } from '../../../../core/base/secrets.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import {
  type AutomaticCertificate,
  acmeOrders,
  automaticCertificates,
  type Domain,
  domains,
  furtherCertificates,
  proxies,
} from '../../../../core/store/rows.ts';
import { StoreReader } from '../../../../core/store/store-reader.ts';
import { acmeMetrics, createAcme, orderObserver } from '../../../../edge/certificates/acme/acme.ts';
import { Book } from '../../../../edge/certificates/acme/book.ts';
import { Orders, type OrdersOptions } from '../../../../edge/certificates/acme/orders.ts';
import { OrderFailure } from '../../../../edge/certificates/acme/problem.ts';
import { certificatesOf, situationOf } from '../../../../edge/certificates/acme/situation.ts';
import { Surveys } from '../../../../edge/certificates/acme/surveys.ts';
import { DEFAULTS, embedded, newDomain, newProxy, type Store, withStore } from '../../../core/journal/fixture.ts';
import { singleNodeTasks } from '../../../support/tasks.ts';
import { until } from '../../../support/until.ts';
import { SETTINGS } from './rig.ts';

const test = suite('certificates, who orders when');
const DAY = 86_400;

/** A node over a store, with a clock of its own. */
class Node {
  readonly orders: Orders;
  readonly metrics = new Registry();
  readonly book: Book;
  readonly begun: number[] = [];
  readonly renewals: number[] = [];
  most = 0;
  ahead = 0;
  #running = 0;

  constructor(
    store: Store,
    node: string,
    attempt: (id: number, book: Book) => Promise<void>,
    more: Partial<OrdersOptions> = {},
  ) {
    const { environment, journal } = store;
    const now = (): number => Date.now() / 1000 + this.ahead;
    const random = (): number => 0;
    const self = { node, directories: ['https://ca.test/'], wantsRsa: false };
    const secrets = openSecrets(`${store.folder}/secret.key`);
    const book = new Book({ environment, journal, secrets, self, now, random });
    this.book = book;
    this.orders = new Orders({
      ...{ environment, journal, book, self, now, random, refusal: null, concurrent: 4 },
      reader: new StoreReader(environment),
      tasks: singleNodeTasks(),
      log: createLogger({ level: 'error', format: 'text', write: () => {} }),
      observer: orderObserver(this.metrics),
      attempt: async ({ domain: { id } }) => {
        this.begun.push(id);
        this.most = Math.max(this.most, ++this.#running);
        try {
          await attempt(id, book);
        } finally {
          this.#running--;
        }
        return {};
      },
      survey: async () => [],
      renewal: async (id) => {
        this.renewals.push(id);
        return 3600;
      },
      ...more,
    });
    acmeMetrics(this.metrics, { watched: this.orders.watched, isOff: () => false, now });
    this.orders.start();
  }

  async idle(): Promise<void> {
    await sleep(20);
    while (!this.orders.isIdle) await sleep(5);
  }
}

/** What obtain() gives, without a certificate in it. */
const obtained = (notBefore: number, days: number) => ({
  ...{ chain: 'chain', privateKey: 'key', names: ['example.net'], leaf: undefined as never },
  ...{ notBefore, notAfter: notBefore + days * DAY },
});

const issue = async (id: number, book: Book): Promise<void> => {
  await sleep(2);
  assert.ok(await book.succeed(id, obtained(Math.floor(Date.now() / 1000), 90), null));
};

function domainsOf(count: number, account: string): Domain[] {
  return Array.from({ length: count }, (_, i) => ({
    ...newDomain(`d${i}.${account}.test.`),
    accountId: Number.parseInt(account, 16),
  }));
}

const put = ({ environment, journal }: Store, all: readonly Domain[]): Promise<unknown> =>
  write(environment, journal, 'test', (draft) => {
    for (const domain of all) {
      draft.put(domains, domain);
      draft.put(proxies, { ...newProxy(domain), sslStatus: 'pending', orderRequestedAt: 1 });
    }
  });

test('many at once: four of an account at a time, accounts in turns, each once', () =>
  withStore(embedded, async (store) => {
    const node = new Node(store, 'a', issue, { concurrent: 8 });
    const [many, few] = [domainsOf(200, 'aa'), domainsOf(3, 'bb')];
    await put(store, many);
    await put(store, few);
    await node.idle();
    assert.ok(node.most >= 4 && node.most <= 8, `${node.most} at a time`);
    assert.is(new Set(node.begun).size, 203);
    assert.is(node.begun.length, 203);
    const last = Math.max(...few.map(({ id }) => node.begun.indexOf(id)));
    assert.ok(last < 40, `the few of one wait for the many of another: ${last}`);
    for (const { id } of [...many, ...few]) assert.is(store.reader.proxy(id)?.sslStatus, 'active');
    assert.match(node.metrics.expose(PROMETHEUS), /waypost_acme_orders_total\{result="issued"\} 203/);
    assert.match(node.metrics.expose(PROMETHEUS), /waypost_certificates\{status="active"\} 203/);
    assert.match(node.metrics.expose(PROMETHEUS), /waypost_certificate_nearest_expiry_days (89\.9|90)/);
    assert.is(new Set(node.renewals).size, 203, 'the directory is asked when to renew');
    await node.orders.stop();
  }));

test('orders of an account that hang leave room for those of others', () =>
  withStore(embedded, async (store) => {
    const [slow, other] = [domainsOf(20, 'aa'), domainsOf(3, 'bb')];
    const isSlow = (id: number): boolean => slow.some((domain) => domain.id === id);
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const node = new Node(store, 'a', async (id, book) => {
      if (isSlow(id)) await released;
      await issue(id, book);
    });
    await put(store, slow);
    await until(() => node.begun.length === 2, 'that the account has its share');
    await put(store, other);
    await until(
      () => other.every(({ id }) => store.reader.proxy(id)?.sslStatus === 'active'),
      'certificates of others',
    );
    assert.is(node.begun.filter(isSlow).length, 2);
    release();
    await node.idle();
    await node.orders.stop();
  }));

test('two nodes: each domain is ordered by one', () =>
  withStore(embedded, async (store) => {
    const nodes = ['a', 'b'].map((name) => new Node(store, name, issue));
    const all = domainsOf(60, 'aa');
    await put(store, all);
    for (const node of nodes) await node.idle();
    const begun = nodes.flatMap((node) => node.begun);
    assert.is(begun.length, 60);
    assert.is(new Set(begun).size, 60);
    assert.ok(
      nodes.every((node) => node.begun.length > 5),
      'both take part',
    );
    for (const node of nodes) await node.orders.stop();
  }));

test('a node that has died in an order: another goes on when its claim ends', () =>
  withStore(embedded, async (store) => {
    const [domain] = domainsOf(1, 'aa');
    const dead = new Node(store, 'a', () => new Promise(() => {}));
    await put(store, [domain]);
    while (dead.begun.length === 0) await sleep(2);
    const heir = new Node(store, 'b', issue);
    await heir.idle();
    assert.equal(heir.begun, []);
    heir.ahead = 181;
    await heir.orders.stop();
    const later = new Node(store, 'b', issue);
    later.ahead = 181;
    // What is due is looked at again when something changes, too.
    await write(store.environment, store.journal, 'test', (draft) =>
      draft.put(proxies, { ...draft.proxy(domain.id)!, updatedAt: 2 }),
    );
    await later.idle();
    assert.equal(later.begun, [domain.id]);
    await later.orders.stop();
  }));

test('a failure is retried later, also after a restart; a prohibition of the directory also delays manual orders', () =>
  withStore(embedded, async (store) => {
    const [domain] = domainsOf(1, 'aa');
    const limited = new OrderFailure('rate_limited', 'Too many.', { fault: 'limit', retryAfter: 7200 });
    let failure = new OrderFailure('caa', 'CAA forbids it.');
    const fail = async (): Promise<void> => {
      throw failure;
    };
    const node = new Node(store, 'a', fail);
    await put(store, [domain]);
    await node.idle();
    const order = store.reader.acmeOrder(domain.id)!;
    assert.is(order.failures, 1);
    assert.is(order.retryAt! - order.triedAt >= 60 && order.retryAt! - order.triedAt <= 62, true);
    assert.match(
      store.reader.proxy(domain.id)!.sslError!,
      /^CAA forbids it\. The next attempt is at 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC\.$/,
    );
    await node.orders.stop();
    failure = limited;
    const again = new Node(store, 'a', fail);
    await again.idle();
    assert.equal(again.begun, [], 'a restart does not hammer');
    again.ahead = 62;
    await write(store.environment, store.journal, 'test', (draft) =>
      draft.put(proxies, { ...draft.proxy(domain.id)!, orderRequestedAt: 1 }),
    );
    await again.idle();
    assert.is(again.begun.length, 1);
    const blocked = store.reader.acmeOrder(domain.id)!;
    assert.ok(blocked.blockedUntil! > again.ahead + Date.now() / 1000 + 7100);
    again.ahead += 3600;
    await write(store.environment, store.journal, 'test', (draft) =>
      draft.put(proxies, { ...draft.proxy(domain.id)!, orderRequestedAt: 2 }),
    );
    await again.idle();
    assert.is(again.begun.length, 1);
    await again.orders.stop();
  }));

test('a failing directory delays the orders of other domains, too', () =>
  withStore(embedded, async (store) => {
    const node = new Node(
      store,
      'a',
      async () => {
        throw new OrderFailure('unreachable', 'Gone.', { fault: 'directory' });
      },
      { concurrent: 1 },
    );
    await put(store, domainsOf(50, 'aa'));
    while (node.begun.length === 0) await sleep(2);
    await sleep(100);
    assert.ok(node.begun.length <= 2, `${node.begun.length} orders`);
    await node.orders.stop();
  }));

test('an earlier renewal time of the directory is followed', () =>
  withStore(embedded, async (store) => {
    const [domain] = domainsOf(1, 'aa');
    const began: number[] = [];
    const node: Node = new Node(
      store,
      'a',
      async (id, book) => {
        began.push(Date.now());
        await issue(id, book);
      },
      {
        async renewal(id) {
          if (began.length === 1) await node.book.renewAt(id, 'chain', Math.floor(Date.now() / 1000) - 5);
          return 3600;
        },
      },
    );
    await put(store, [domain]);
    while (began.length < 2) await sleep(5);
    await node.idle();
    assert.is(began.length, 2);
    assert.ok(store.reader.acmeOrder(domain.id)!.renewAt! > Date.now() / 1000 + 50 * DAY);
    await node.orders.stop();
  }));

test('without a directory nothing is ordered, which is logged once', () =>
  withStore(embedded, async (store) => {
    const node = new Node(store, 'a', issue, { refusal: 'There is no directory.' });
    const [domain] = domainsOf(1, 'aa');
    await put(store, [domain]);
    await node.idle();
    const { sequence } = { sequence: store.journal.head };
    assert.equal(node.begun, []);
    assert.is(store.reader.proxy(domain.id)?.sslError, 'There is no directory.');
    assert.is(store.reader.proxy(domain.id)?.sslStatus, 'error');
    await sleep(50);
    assert.is(store.journal.head, sequence);
    await node.orders.stop();
  }));

test('a domain is ordered again when a name is found that its certificate does not cover', () =>
  withStore(embedded, async (store) => {
    const [domain] = domainsOf(1, 'aa');
    let found: readonly string[] = [];
    const claims: (readonly string[])[] = [];
    const node: Node = new Node(
      store,
      'a',
      async (id, book) => {
        claims.push(found);
        const names = ['example.net', ...found];
        const more = { ...obtained(Math.floor(Date.now() / 1000), 90), names };
        assert.ok(await book.succeed(id, more, null));
      },
      { survey: async () => found },
    );
    await put(store, [domain]);
    await node.idle();
    assert.is(claims.length, 1);
    const touch = () =>
      write(store.environment, store.journal, 'test', (draft) =>
        draft.put(proxies, { ...draft.proxy(domain.id)!, updatedAt: claims.length + 1 }),
      );
    node.ahead = 11;
    await touch();
    await node.idle();
    assert.is(claims.length, 1, 'nothing is missing');
    found = ['www.shop.example.net'];
    await touch();
    await node.idle();
    assert.equal(claims, [[], ['www.shop.example.net']]);
    // The scan before the order is out of date, but the certificate covers its names.
    await touch();
    await node.idle();
    assert.is(claims.length, 2);
    await node.orders.stop();
  }));

test('scans of zones run one at a time, accounts in turns, and a slow one is not repeated at once', async () => {
  const scanned: number[] = [];
  let release = (): void => {};
  let now = 1000;
  const work: Promise<void>[] = [];
  const surveys: Surveys = new Surveys({
    survey: (id) => {
      scanned.push(id);
      return new Promise((done) => {
        release = () => done([`${id}.test`]);
      });
    },
    surveyed() {},
    now: () => now,
  });
  const begin = (): void =>
    surveys.begin(
      (each) => work.push(each),
      (id) => (id < 10 ? 1 : 2),
    );
  for (const id of [1, 2, 11]) surveys.put(id, id < 10 ? 1 : 2);
  for (let i = 0; i < 3; i++) {
    begin();
    begin();
    assert.is(scanned.length, i + 1, 'one at a time');
    if (i === 0) surveys.put(1, 1);
    release();
    await work[i];
  }
  assert.equal(scanned, [1, 11, 2]);
  assert.equal(surveys.uncoveredOf(11), ['11.test']);
  assert.not(surveys.isIdle, 'the first changed during its scan');
  now += 1e9;
  begin();
  release();
  await work[3];
  assert.equal(scanned, [1, 11, 2, 1]);
  surveys.forget(11);
  assert.equal(surveys.uncoveredOf(11), []);
  assert.ok(surveys.isIdle);
});

test('scans that end at once let the event loop do other work in between', async () => {
  let scanned = 0;
  let isTurn = false;
  const work: Promise<void>[] = [];
  const begin = (): void =>
    surveys.begin(
      (each) => work.push(each),
      () => 1,
    );
  const surveys: Surveys = new Surveys({
    survey: async () => {
      scanned++;
      return [];
    },
    surveyed: begin,
    now: () => 1000,
  });
  for (let id = 1; id <= 1000; id++) surveys.put(id, 1);
  setImmediate(() => {
    isTurn = scanned < 1000;
  });
  begin();
  await until(() => scanned === 1000, 'all scans');
  assert.ok(isTurn, 'another task has run before all scans were done');
  await Promise.all(work);
});

test('a further certificate is known without the first, and deleted when the proxy is off', () =>
  withStore(embedded, async (store) => {
    const [domain] = domainsOf(1, 'aa');
    const node = new Node(store, 'a', async () => {
      throw new OrderFailure('caa', 'CAA forbids it.');
    });
    const notBefore = Math.floor(Date.now() / 1000);
    const { chain, names, notAfter } = obtained(notBefore, 90);
    await write(store.environment, store.journal, 'test', (draft) => {
      draft.put(domains, domain);
      draft.put(proxies, { ...newProxy(domain), sslStatus: 'pending', orderRequestedAt: 1 });
      draft.put(furtherCertificates, {
        ...{ domainId: domain.id, slot: 1, chain, sealedKey: '', names, notBefore, notAfter, createdAt: notBefore },
        ...{ renewAt: notAfter, directory: null },
      });
    });
    await node.idle();
    const known = certificatesOf(situationOf(store.reader, domain.id));
    assert.equal(
      known.map(({ slot }) => slot),
      [1],
      'its names are not ordered again',
    );
    await write(store.environment, store.journal, 'test', (draft) =>
      draft.put(proxies, { ...draft.proxy(domain.id)!, enabled: false }),
    );
    await node.idle();
    assert.equal(store.reader.furtherCertificates(domain.id), []);
    await node.orders.stop();
  }));

test('orders that fail for some names are retried at once, then later each time', () =>
  withStore(embedded, async (store) => {
    const [domain] = domainsOf(1, 'aa');
    let i = 0;
    const node = new Node(store, 'a', async () => {
      throw new OrderFailure('refused', 'No.', { names: new Map([[`n${++i}.example.net`, 'No.']]) });
    });
    await put(store, [domain]);
    await node.idle();
    assert.is(node.begun.length, 2);
    const { failures, retryAt, triedAt } = store.reader.acmeOrder(domain.id)!;
    assert.is(failures, 2);
    assert.ok(retryAt! - triedAt >= 60, `${retryAt}, ${triedAt}`);
    await node.orders.stop();
  }));

test('a thousand domains are scheduled at the start, and due ones are ordered', () =>
  withStore(embedded, async (store) => {
    const all = domainsOf(1000, 'aa');
    const now = Math.floor(Date.now() / 1000);
    await write(store.environment, store.journal, 'test', (draft) => {
      for (const [i, domain] of all.entries()) {
        const notBefore = now - (i % 100 === 0 ? 70 : 10) * DAY;
        const row: AutomaticCertificate = {
          ...{ domainId: domain.id, chain: '', sealedKey: '', names: [], createdAt: notBefore },
          ...{ notBefore, notAfter: notBefore + 90 * DAY },
        };
        draft.put(domains, domain);
        draft.put(automaticCertificates, row);
        draft.put(proxies, {
          ...newProxy(domain),
          sslStatus: 'active',
          sslIssuedAt: notBefore,
          sslExpiresAt: row.notAfter,
        });
      }
    });
    const node = new Node(store, 'a', issue, { random: Math.random });
    await node.idle();
    assert.is(node.begun.length, 10);
    assert.is(node.orders.watched.size, 1000);
    assert.is(store.environment.rows.get(acmeOrders.number)!.getCount(), 10);
    await node.orders.stop();
  }));

test('incomplete external account settings, and invalid roots, end the start', () =>
  withStore(embedded, async ({ environment, journal, folder }) => {
    const begin = (settings: Partial<typeof SETTINGS>) => () =>
      createAcme({
        ...{ environment, journal, secrets: openSecrets(`${folder}/secret.key`), metrics: new Registry() },
        config: {
          ...{ acme: { ...SETTINGS, ...settings }, edge: { resolvers: [] } as never },
          ...{ nodeName: 'a', transfer: { notify: [] } as never },
        },
        zoneSettings: DEFAULTS,
        tasks: singleNodeTasks(),
        log: createLogger({ level: 'error', format: 'text', write: () => {} }),
        served: async () => {},
      });
    assert.throws(begin({ eabKid: 'kid-1' }), /acme\.eab_kid and acme\.eab_hmac_key belong together/);
    assert.throws(begin({ caFile: `${folder}/none.pem` }), /acme\.ca_file: .*none\.pem cannot be read/);
    assert.throws(begin({ caFile: `${folder}/secret.key` }), /contains no PEM certificate/);
    assert.not.throws(begin({}));
  }));

test('where no certificates are ordered, a domain without one is disabled, and no error', () => {
  const domain = { notAfter: null, isServed: true, issued: '', renewalAt: Number.POSITIVE_INFINITY };
  for (const [isOff, status] of [
    [true, 'disabled'],
    [false, 'error'],
  ] as const) {
    const metrics = new Registry();
    acmeMetrics(metrics, { watched: new Map([[1, { status: 'error', ...domain }]]), isOff: () => isOff, now: () => 0 });
    const text = metrics.expose(PROMETHEUS);
    assert.ok(text.includes(`waypost_certificates{status="${status}"} 1`), text);
    assert.not.ok(text.includes(isOff ? '"error"' : '"disabled"'));
  }
});

test.run();
