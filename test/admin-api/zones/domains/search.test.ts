/** Compares the names cached for searches with a plain list, during changes. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FoundDomains } from '../../../../admin-api/change/services.ts';
import { DomainSearch } from '../../../../admin-api/zones/domains/search.ts';
import { latin1 } from '../../../../core/dns/wire/latin1.ts';
import { type Name, parseName } from '../../../../core/dns/wire/name.ts';
import type { DomainListener } from '../../../../core/journal/journal.ts';
import { nameKey } from '../../../../core/store/keys.ts';
import type { Domain } from '../../../../core/store/rows.ts';
import fc from '../../../support/fc.ts';
import { type Daemon, listOf, startDaemon } from '../../daemon.ts';

const test = suite('domain search');

const apexOf = (domain: string): Name => parseName(`${domain}.`);
const keys = new Map<string, string>();

/** The key of a domain in the store, as text. */
function keyOf(domain: string): string {
  let key = keys.get(domain);
  if (key === undefined) {
    key = latin1(nameKey(apexOf(domain)));
    keys.set(domain, key);
  }
  return key;
}

const inOrder = (names: Iterable<string>): string[] => [...names].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

/** A store with the names of one account, and the journal that reports changes. */
class Names {
  readonly present = new Set<string>();
  readonly search: DomainSearch;
  readonly #ids = new Map<string, number>();
  readonly #names: string[] = [];
  listener: DomainListener = () => {};

  constructor(names: Iterable<string>) {
    for (const name of names) this.present.add(name);
    const reader = {
      apexKeysOf: (_account: number, after: string | null, limit: number) =>
        inOrder(this.present)
          .map((domain) => ({ key: keyOf(domain), id: this.#idOf(domain) }))
          .filter(({ key }) => after === null || key > after)
          .slice(0, limit),
    };
    this.search = new DomainSearch(reader, {
      onDomain: (listener) => {
        this.listener = listener;
      },
    });
  }

  change(domain: string, present: boolean): void {
    if (present) this.present.add(domain);
    else this.present.delete(domain);
    this.listener({ accountId: 1, apex: apexOf(domain), id: this.#idOf(domain) } as Domain, present);
  }

  #idOf(domain: string): number {
    let id = this.#ids.get(domain);
    if (id === undefined) {
      id = this.#names.push(domain) - 1;
      this.#ids.set(domain, id);
    }
    return id;
  }

  /** All pages one after another. */
  async all(part: string, limit: number, descending = false, isAlphabetical = false): Promise<string[]> {
    const found: string[] = [];
    for (let after: Name | null = null; ; ) {
      const counts = after === null;
      const page: FoundDomains = await this.search.find(1, {
        ...{ wanted: part, after, limit, descending, isAlphabetical, counts },
      });
      assert.ok(page.ids.length <= limit);
      if (counts) assert.is(page.total, this.expected(part).length);
      found.push(...page.ids.map((id) => this.#names[id]));
      if (page.last === null) return found;
      assert.equal(page.last, apexOf(found[found.length - 1]));
      after = page.last;
    }
  }

  expected(part: string): string[] {
    return inOrder([...this.present].filter((domain) => domain.includes(part)));
  }
}

const label = fc.string({ unit: fc.constantFrom('a', 'b', '-', '1'), minLength: 1, maxLength: 3 }).map((s) => `x${s}x`);
const name = fc.tuple(label, fc.constantFrom('com', 'net', 'co.uk', 'x')).map(([first, rest]) => `${first}.${rest}`);
const wanted = fc.oneof(fc.string({ unit: fc.constantFrom('a', 'b', '.', 'x'), minLength: 1, maxLength: 3 }), name);

test('finds the same names as a plain list, in pages, during changes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(name, { maxLength: 40 }),
      fc.array(fc.tuple(name, fc.boolean(), wanted, fc.integer({ min: 1, max: 7 })), { maxLength: 20 }),
      async (names, steps) => {
        const store = new Names(names);
        for (const [changed, present, text, limit] of steps) {
          store.change(changed, present);
          assert.equal(await store.all(text, limit), store.expected(text));
          assert.equal(await store.all(text, limit, true), store.expected(text).reverse());
          const read = store.expected(text).sort();
          assert.equal(await store.all(text, limit, false, true), read);
          assert.equal(await store.all(text, limit, true, true), read.reverse());
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('splits many names into many pieces', async () => {
  const store = new Names(Array.from({ length: 5000 }, (_, i) => `n${(i * 7919) % 5000}.example`));
  assert.is((await store.all('.example', 333)).length, 5000);
  for (let i = 0; i < 3000; i++) {
    store.change(`m${i}.example`, true);
    if (i % 3 === 0) store.change(`n${i}.example`, false);
  }
  assert.equal(await store.all('.example', 1000), store.expected('.example'));
  assert.equal(await store.all('m29', 10), store.expected('m29'));
  for (let i = 0; i < 5000; i++) store.change(`n${i}.example`, false);
  for (let i = 0; i < 3000; i++) store.change(`m${i}.example`, false);
  assert.equal(await store.all('e', 10), []);
  store.change('last.example', true);
  assert.equal(await store.all('e', 10), ['last.example']);
});

test('includes changes made while the names are read', async () => {
  const store = new Names(Array.from({ length: 5000 }, (_, i) => `n${i}.example`));
  const first = store.all('.example', 1000);
  store.change('aaa.example', true);
  store.change('n17.example', false);
  await first;
  assert.equal(await store.all('.example', 1000), store.expected('.example'));
});

let daemon: Daemon;
test.before(async () => {
  daemon = await startDaemon();
});
test.after(() => daemon.stop());

test('over the API, each account finds its own domains in any spelling', async () => {
  const { token } = await daemon.account('searcher', { plan: 'unlimited' });
  const create = (domain: string, by = token) =>
    daemon.call('POST', '/api/v1/domains', { token: by, json: { domain } });
  const find = async (q: string): Promise<unknown[]> => {
    const { body } = await daemon.call('GET', `/api/v1/domains?q=${encodeURIComponent(q)}`, { token });
    return listOf(body.domains).map((domain) => domain.domain);
  };
  await create('first.example.com');
  await create('b\u00fccher.example.net');
  await create('first-of-admin.example.org', daemon.adminToken);
  assert.equal(await find('FIRST'), ['first.example.com']);
  assert.equal(await find('b\u00fccher'), ['xn--bcher-kva.example.net']);
  for (const part of ['b\u00fcch', 'B\u00dcCHER.EX', 'cher\u3002ex', 'xn--bch', 'kva.ex'])
    assert.equal(await find(part), ['xn--bcher-kva.example.net'], part);
  assert.equal(await find('example'), ['first.example.com', 'xn--bcher-kva.example.net']);
  const { body: sorted } = await daemon.call('GET', '/api/v1/domains?sort=alphabetical&limit=1', { token });
  assert.equal(
    listOf(sorted.domains).map((domain) => domain.domain),
    ['xn--bcher-kva.example.net'],
  );
  const { body: next } = await daemon.call('GET', `/api/v1/domains?sort=alphabetical&cursor=${sorted.next_cursor}`, {
    token,
  });
  assert.equal(
    listOf(next.domains).map((domain) => domain.domain),
    ['first.example.com'],
  );
  const { body } = await create('second.example.com');
  assert.equal(await find('second'), ['second.example.com']);
  await daemon.call('DELETE', `/api/v1/domains/${body.domain.id}`, { token });
  assert.equal(await find('second'), []);
  assert.equal(await find('\n'), []);
});

test.run();
