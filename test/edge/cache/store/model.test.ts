/**
 * Generated operations on a cache with two threads, compared with a list of all responses that were
 * put. Each response found must be complete, in the list, and neither purged nor removed. While no
 * limit is reached, the latest one is found.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CachePurge, CacheStore } from '../../../../edge/cache/store/cache-store.ts';
import type { StoredResponse } from '../../../../edge/cache/stored-response.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';
import { bytesOf, cache, filler, KB, MB, response, store } from './support.ts';

const test = suite('edge/cache/store: model');

const DOMAINS = ['00000000000000a1', '00000000000000a2'];
const URLS = ['https://www.a.test/', 'https://www.a.test/n/1', 'http://www.a.test/n/2', 'https://b.a.test/n/1?q'];
const TAGS = ['red', 'green'];

interface Version {
  readonly given: StoredResponse;
  /** The step at which its request was sent. */
  readonly requested: number;
  isVoid: boolean;
  isReplaced: boolean;
}

const domain = fc.constantFrom(...DOMAINS);
const url = fc.constantFrom(...URLS);
const thread = fc.nat(1);
const selecting = fc.constantFrom<readonly string[]>([], ['accept', 'a'], ['accept', 'b'], ['x', '1', 'y', '2']);
const purge = fc.oneof(
  fc.record({ urls: fc.subarray(URLS, { minLength: 1 }), prefixes: fc.constant([]), tags: fc.constant([]) }),
  fc.record({
    urls: fc.constant([]),
    prefixes: fc.subarray(['www.a.test/', 'www.a.test/n', 'b.a.test/n/1'], { minLength: 1 }),
    tags: fc.constant([]),
  }),
  fc.record({ urls: fc.constant([]), prefixes: fc.constant([]), tags: fc.subarray(TAGS, { minLength: 1 }) }),
  fc.constant({ urls: [], prefixes: [], tags: [] }),
);
const size = fc.oneof(fc.nat(300), fc.nat(40 * KB), fc.integer({ min: 260 * KB, max: 700 * KB }));
const operation = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      domain,
      url,
      thread,
      selecting,
      size,
      tags: fc.subarray(TAGS),
      isLate: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      domain,
      url,
      thread,
      selecting,
      size,
      tags: fc.subarray(TAGS),
      isLate: fc.boolean(),
    }),
  },
  { weight: 12, arbitrary: fc.record({ do: fc.constant('lookup' as const), domain, url, thread }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('freshen' as const), domain, url, thread }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('encode' as const), domain, url, thread }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), domain, url, thread }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('purge' as const), domain, purge }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('flush' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);

function fits({ domainId, key, tags }: StoredResponse, cachePurge: CachePurge): boolean {
  if (domainId !== cachePurge.domainId) return false;
  if (cachePurge.urls.length + cachePurge.prefixes.length + cachePurge.tags.length === 0) return true;
  const bare = key.replace(/^https?:\/\//, '');
  return (
    cachePurge.urls.includes(key) ||
    cachePurge.prefixes.some((prefix) => bare.startsWith(prefix)) ||
    tags.some((tag) => cachePurge.tags.includes(tag))
  );
}

/** The state of the test: the node, its threads, and all responses that were put. */
class World {
  readonly versions: Version[] = [];
  readonly folder = temporaryFolder('cache-model');
  node!: Awaited<ReturnType<typeof cache>>;
  stores: CacheStore[] = [];
  /** The mark of earlier requests, and the step at which they were sent. */
  late: { mark: number; at: number } = { mark: 0, at: 0 };
  step = 0;
  /** For each ended writer, what it reported. */
  readonly reports: boolean[][] = [];
  constructor(
    readonly memory: number,
    readonly disk: number,
  ) {}

  async open(): Promise<void> {
    this.node = await cache(this.folder, { memory: this.memory * 2, threads: 2, disk: this.disk });
    this.stores = [store(this.node), store(this.node)];
    this.late = { mark: this.stores[0].mark(), at: this.step };
  }

  async close(): Promise<void> {
    for (const opened of this.stores) await opened.flush();
    for (const opened of this.stores) await opened.close();
    for (const results of this.reports) assert.is(results.length, 1);
  }

  of(domainId: string, key: string): Version[] {
    return this.versions.filter(({ given }) => given.domainId === domainId && given.key === key);
  }

  recordPut(given: StoredResponse, isLate: boolean): void {
    const requested = isLate ? this.late.at : this.step;
    const others = this.of(given.domainId, given.key);
    const isVoid = this.gone.some(({ at, fits: matches }) => at >= requested && matches(given));
    if (!isVoid)
      for (const version of others)
        if (String(version.given.selecting) === String(given.selecting)) version.isReplaced = true;
    this.versions.push({ given, requested, isVoid, isReplaced: false });
  }

  /** Purges and removals. */
  readonly gone: { readonly at: number; fits(given: StoredResponse): boolean }[] = [];

  recordRemoval(matches: (given: StoredResponse) => boolean): void {
    this.gone.push({ at: this.step, fits: matches });
    for (const version of this.versions) if (matches(version.given)) version.isVoid = true;
  }

  async check(worker: number, domainId: string, key: string, isExact: boolean): Promise<void> {
    const variants = await this.stores[worker].lookup(domainId, key);
    const valid = this.of(domainId, key).filter(({ isVoid }) => !isVoid);
    for (const { response: actual } of variants) {
      const version = valid.find(
        ({ given }) =>
          given.responseTime === actual.responseTime && String(given.selecting) === String(actual.selecting),
      );
      assert.ok(version, `${key} ${actual.selecting} was never put, or is void`);
      const { body, ...head } = actual;
      const { body: expected, ...expectedHead } = version.given;
      assert.equal(head, expectedHead);
      assert.ok((await bytesOf(body))?.equals(expected.whole!), 'body');
    }
    if (!isExact) return;
    const last = valid.filter(({ isReplaced }) => !isReplaced);
    const times = (list: readonly { readonly responseTime: number }[]): number[] =>
      list.map(({ responseTime }) => responseTime).sort();
    assert.equal(times(variants.map((variant) => variant.response)), times(last.map(({ given }) => given)), key);
  }
}

async function live(
  world: World,
  operations: readonly (typeof operation extends fc.Arbitrary<infer T> ? T : never)[],
  isExact: boolean,
): Promise<void> {
  await world.open();
  for (const action of operations) {
    world.step++;
    if (action.do === 'put' || action.do === 'write') {
      const given = response(action.url, filler(action.size, world.step), {
        domainId: action.domain,
        selecting: action.selecting,
        tags: action.tags,
      });
      const to = world.stores[action.thread];
      const mark = action.isLate ? world.late.mark : to.mark();
      if (isExact) for (const each of world.stores) await each.flush();
      const results: boolean[] = [];
      if (action.do === 'put') to.put(given, mark);
      else {
        const { body, ...head } = given;
        const writer = to.write(head, action.size % 2 === 0 ? undefined : action.size, mark);
        for (let at = 0; at < action.size; at += 50_000) writer?.push(body.whole!.subarray(at, at + 50_000));
        writer?.end((isStored) => results.push(isStored));
        if (writer !== undefined) world.reports.push(results);
      }
      world.recordPut(given, action.isLate);
      if (isExact) for (const each of world.stores) await each.flush();
      if (isExact && action.do === 'write') assert.equal(results, [!world.versions.at(-1)!.isVoid]);
    } else if (action.do === 'lookup') await world.check(action.thread, action.domain, action.url, isExact);
    else if (action.do === 'flush') for (const each of world.stores) await each.flush();
    else if (action.do === 'remove') {
      world.stores[action.thread].remove(action.domain, action.url);
      world.recordRemoval((given) => given.domainId === action.domain && given.key === action.url);
    } else if (action.do === 'purge') {
      const cachePurge = { domainId: action.domain, ...action.purge };
      const done = world.node.purge(cachePurge);
      world.recordRemoval((given) => fits(given, cachePurge));
      await done;
      if (world.step % 3 === 0) world.late = { mark: world.stores[0].mark(), at: world.step + 0.5 };
    } else if (action.do === 'restart') {
      await world.close();
      await world.open();
      for (const each of world.stores) await each.flush();
    } else {
      const to = world.stores[action.thread];
      const [first] = await to.lookup(action.domain, action.url);
      if (first === undefined) continue;
      if (action.do === 'encode') to.attachEncoding(first, 'br', filler(50, world.step));
      else {
        const { body, ...head } = response(action.url, '', {
          domainId: action.domain,
          selecting: first.response.selecting,
          tags: first.response.tags,
        });
        const mark = to.mark();
        to.freshen(first, { ...head, body: first.response.body }, mark);
        const whole = world
          .of(action.domain, action.url)
          .find(({ given }) => given.responseTime === first.response.responseTime)!.given.body;
        world.recordPut({ ...head, body: whole }, false);
        void body;
      }
      if (isExact) for (const each of world.stores) await each.flush();
    }
  }
  for (const each of [0, 1])
    for (const domainId of DOMAINS) for (const key of URLS) await world.check(each, domainId, key, isExact);
  await world.close();
  removeFolder(world.folder);
}

for (const [name, memory, disk, isExact] of [
  ['with room for all', 64 * MB, 256 * MB, true],
  ['with room for little', 1 * MB, 2 * MB, false],
  ['with a disk that is overwritten several times', 1 * MB, 800 * KB, false],
  ['without a disk', 1 * MB, 0, false],
] as const)
  test(`${name}: each response found was put, and neither purged nor removed`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 60 }), async (operations) => {
        await live(new World(memory, disk), operations, isExact);
      }),
      { numRuns: depth({ quick: 20, moderate: 60, full: 600 }), includeErrorInReport: true },
    );
  });

test.run();
