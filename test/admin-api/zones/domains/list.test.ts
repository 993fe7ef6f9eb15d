/** Lists of domains and certificates read as many entries of the store as a page has. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Services } from '../../../../admin-api/change/services.ts';
import { listCertificates } from '../../../../admin-api/sites/proxy/certificate-list.ts';
import { noProxy } from '../../../../admin-api/sites/proxy/view.ts';
import { listDomains } from '../../../../admin-api/zones/domains/list.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { domainsInOrder, ORDER } from '../../../../core/store/domain-orders.ts';
import type { Binary, Environment } from '../../../../core/store/environment.ts';
import { type Account, accounts, domains, proxies, records } from '../../../../core/store/rows.ts';
import { StoreReader } from '../../../../core/store/store-reader.ts';
import {
  addressRecord,
  embedded,
  newAccount,
  newDomain,
  type Store,
  withStore,
} from '../../../core/journal/fixture.ts';

const DOMAINS = 400;
const LIMIT = 10;
const START = 1_700_000_000;
const ANY = { domains: undefined };

/** Counts the entries that are read. */
class CountingReader extends StoreReader {
  read = 0;

  static over(environment: Environment): CountingReader {
    let reader: CountingReader | undefined;
    const orders = new Proxy(environment.orders, {
      get(table, name) {
        if (name !== 'getRange') return Reflect.get(table, name);
        return function* (options: Parameters<Binary['getRange']>[0]) {
          for (const entry of table.getRange(options)) {
            reader!.read++;
            yield entry;
          }
        };
      },
    });
    reader = new CountingReader({ ...environment, orders });
    return reader;
  }

  override domain(...key: Parameters<StoreReader['domain']>) {
    this.read++;
    return super.domain(...key);
  }

  override zoneState(...key: Parameters<StoreReader['zoneState']>) {
    this.read++;
    return super.zoneState(...key);
  }
}

/** Every tenth domain has a proxy, and one of these a problem. */
async function fill({ environment, journal }: Store): Promise<Account> {
  const account = newAccount();
  const other = newAccount();
  await write(environment, journal, 'test', (draft) => {
    for (const each of [account, other]) draft.put(accounts, each);
    for (let i = 0; i < DOMAINS; i++) {
      const created = { createdAt: START + ((i * 7) % DOMAINS), accountId: i % 2 === 0 ? account.id : other.id };
      const domain = { ...newDomain(`d${i}.test.`), ...created };
      draft.put(domains, domain);
      for (let n = 0; n < i % 3; n++) draft.put(records, addressRecord(domain, `r${n}`));
      const sslError = i === DOMAINS / 2 ? 'why' : null;
      if (i % 10 === 0) draft.put(proxies, { ...noProxy(domain.id), enabled: true, sslError });
    }
  });
  return account;
}

const run = (work: (store: Store, account: Account) => Promise<void>) => () =>
  withStore(embedded, async (store) => work(store, await fill(store)));

test(
  'a page in any order reads as many entries as it has, also the last one',
  run(async ({ environment, reader: plain }, account) => {
    const reader = CountingReader.over(environment);
    const search = { find: () => Promise.reject(new Error('searched')), prepare: () => {} };
    const services = { environment: reader.environment, reader, search } as unknown as Services;
    for (const key of ['created_at', 'updated_at', 'record_count'] as const)
      for (const descending of [false, true]) {
        const values: number[] = [];
        let after: Buffer | null = null;
        do {
          reader.read = 0;
          const part = await listDomains(services, account, ANY, {
            page: { limit: LIMIT, after },
            sort: { key, descending },
            search: '',
          });
          assert.ok(reader.read <= LIMIT + 2, `${key}: ${reader.read} entries`);
          assert.is(part.total, DOMAINS / 2);
          for (const id of part.rows) {
            const { recordCount, updatedAt } = plain.zoneState(id);
            values.push(
              key === 'created_at' ? plain.domain(id)!.createdAt : key === 'updated_at' ? updatedAt : recordCount,
            );
          }
          after = part.last === null ? null : Buffer.from(part.last);
        } while (after !== null);
        assert.is(values.length, DOMAINS / 2);
        assert.equal(
          values,
          [...values].sort((a, b) => (descending ? b - a : a - b)),
          key,
        );
      }
  }),
);

test(
  'a list of one state has each of its domains once, in the order, and reads a bounded part at a time',
  run(async ({ environment }, account) => {
    const reader = CountingReader.over(environment);
    const search = { find: () => Promise.reject(new Error('searched')), prepare: () => {} };
    const services = { environment: reader.environment, reader, search } as unknown as Services;
    const isProxied = (id: number) => reader.proxy(id)?.enabled === true;
    const all = async (limit: number, descending: boolean, state?: 'proxied'): Promise<number[]> => {
      const ids: number[] = [];
      let after: Buffer | null = null;
      do {
        const part = await listDomains(services, account, ANY, {
          ...{ page: { limit, after }, sort: { key: 'created_at', descending }, search: '', state },
        });
        assert.ok(part.rows.length <= limit);
        ids.push(...part.rows);
        after = part.last === null ? null : Buffer.from(part.last);
      } while (after !== null);
      return ids;
    };
    for (const descending of [false, true])
      for (const limit of [1, 7, 1000])
        assert.equal(await all(limit, descending, 'proxied'), (await all(1000, descending)).filter(isProxied));
  }),
);

test(
  'certificates are found without reading the other domains, and so are those with a problem',
  run(async ({ environment }, account) => {
    const reader = CountingReader.over(environment);
    const problems = await listCertificates(reader, account, ANY, { limit: LIMIT, after: null }, true);
    assert.equal(
      problems.rows.map(({ domain, problem }) => [domain, problem]),
      [[`d${DOMAINS / 2}.test`, 'why']],
    );
    assert.ok(reader.read <= 2, `${reader.read} entries`);
    reader.read = 0;
    const all = await listCertificates(reader, account, ANY, { limit: 1000, after: null }, false);
    assert.is(all.rows.length, DOMAINS / 10);
    assert.ok(reader.read <= 2 * all.rows.length, `${reader.read} entries`);
  }),
);

test(
  'a domain leaves the orders when it is deleted, and its certificates when its proxy is turned off',
  run(async ({ environment, journal, reader }, account) => {
    const of = (order: (typeof ORDER)[keyof typeof ORDER]) =>
      domainsInOrder(environment, account.id, order, { after: null, limit: DOMAINS }).map(({ id }) => id);
    const [ill] = of(ORDER.problem);
    await write(environment, journal, 'test', (draft) => draft.put(proxies, { ...draft.proxy(ill)!, enabled: false }));
    assert.equal([of(ORDER.problem), of(ORDER.proxied).includes(ill)], [[], false]);
    const [plain] = of(ORDER.records);
    await write(environment, journal, 'test', (draft) => draft.delete(domains, draft.domain(plain)!));
    assert.is(reader.domain(plain), undefined);
    for (const order of [ORDER.created, ORDER.updated, ORDER.records]) assert.not.ok(of(order).includes(plain));
  }),
);

test.run();
