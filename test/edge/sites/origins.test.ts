/** Which origin serves a name: against the reference, over worlds that change, and by example. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName, isWithin, type Name, nameId, parseName } from '../../../core/dns/wire/name.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { parseExemptions } from '../../../core/net/address/index.ts';
import { type Domain, domains, type ProxyConfig, proxies, records } from '../../../core/store/rows.ts';
import type { Origin } from '../../../edge/origin/origin-address.ts';
import { DEFAULTS, newDomain, newProxy } from '../../core/journal/fixture.ts';
import { recordOf } from '../../core/upkeep/alias/fixture.ts';
import { ourWorldDraft, type World } from '../../reference/generate.ts';
import { type ExpectedOrigin, expectedOrigin } from '../../reference/origins.ts';
import { putChanges, WorldRows } from '../../reference/rows.ts';
import { WorldSteps } from '../../reference/steps.ts';
import { depth } from '../../support/depth.ts';
import fc from '../../support/fc.ts';
import { Random } from '../../support/random.ts';
import { SEED } from '../../support/seed.ts';
import { type SitesRig, withSites } from './rig.ts';

const test = suite('edge/sites/origins');

const STEPS = depth({ quick: 60, moderate: 150, full: 1500 });
const WORLD_STEPS = 6;
const KEPT = { ...DEFAULTS, serial: 1, mname: 'ns.test.', rname: 'h.test.', ttl: 240 };
/** Half of the addresses in generated records. */
const PUBLIC = parseExemptions(['192.0.2.0/31', '2001:db8::/127']);

const isHost = (text: string): boolean => /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(text);

const hostOf = (name: Name): string => formatName(name).slice(0, -1);

function shown({ host, addresses, port, protocol }: Origin): ExpectedOrigin {
  assert.equal([port, protocol], [443, 'https']);
  if (addresses === undefined) return { kind: 'host', host };
  if (addresses.length === 0) return { kind: 'none' };
  assert.is(host, addresses[0]);
  return { kind: 'own', addresses: addresses.toSorted() };
}

function closestApex(world: World, name: Name): Name {
  const apexes = [...world.zones.values()].map(([{ name: apex }]) => apex).filter((apex) => isWithin(name, apex));
  return apexes.sort((a, b) => b.length - a.length)[0];
}

test(`${STEPS} steps: the origin is that of the reference, seed ${SEED}`, () =>
  withSites(async ({ environment, journal, sites }) => {
    const random = new Random(SEED);
    const kinds = new Map<string, number>();
    const drafts = fc.sample(ourWorldDraft, { numRuns: STEPS, seed: SEED }).filter(({ flags }) => flags !== undefined);
    for (const [w, draft] of drafts.entries()) {
      if (w * WORLD_STEPS >= STEPS && kinds.size === 4) break;
      const steps = new WorldSteps(draft, parseName(`w${w}.test.`), random);
      const rows = new WorldRows(() => KEPT);
      const hosts = new Map<string, Name>();
      for (let step = 0; step < WORLD_STEPS; step++) {
        const world = steps.next(false);
        await write(environment, journal, 'test', (d) => putChanges(d, rows.changeTo(world)));
        // Changes of other domains are not reported at once: see the test of time.
        sites.changed({ domainIds: [...rows.domains.values()].map(({ id }) => id), apexes: [] });
        for (const { name } of [...world.zones.values()].flat()) hosts.set(hostOf(name), name);
        for (const [host, name] of hosts) {
          const site = isHost(host) ? sites.siteOf(host) : undefined;
          if (site === undefined) continue;
          const expected = expectedOrigin(world, closestApex(world, name), name, PUBLIC);
          const label = `seed ${SEED}, world ${w}, step ${step}: ${host}`;
          assert.equal(shown(site.origin), expected, label);
          const isOwn =
            expected.kind === 'host' && world.proxies?.get(nameId(closestApex(world, name)))?.origin === expected.host;
          const kind = isOwn ? 'configured' : expected.kind;
          kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
        }
      }
      await write(environment, journal, 'test', (d) =>
        putChanges(d, rows.changeTo({ origin: parseName('.'), zones: new Map() })),
      );
    }
    assert.equal([...kinds.keys()].sort(), ['configured', 'host', 'none', 'own']);
  }, PUBLIC));

async function setUp(
  { environment, journal }: SitesRig,
  apex: string,
  lines: readonly string[],
  proxy: Partial<ProxyConfig> | null = {},
): Promise<Domain> {
  const domain = newDomain(apex);
  await write(environment, journal, 'test', (draft) => {
    draft.put(domains, domain);
    if (proxy !== null) draft.put(proxies, { ...newProxy(domain), ...proxy });
    for (const line of lines) draft.put(records, recordOf(domain, line));
  });
  return domain;
}

const ZONE = [
  '@ A 1.1.1.1',
  'www CNAME @',
  'same A 1.1.1.1',
  'shop A 8.8.8.8',
  'shop A 8.8.4.4',
  'shop AAAA 2606:4700::1',
  'mixed A 8.8.8.8',
  'mixed A 10.0.0.1',
  'inside A 10.0.0.1',
  'far CNAME pages.example.net.',
  'long CNAME shop.site.com.',
  'lost CNAME gone.site.com.',
  'ring CNAME ring.site.com.',
  'local ALIAS db.localhost.',
  '*.any CNAME pages.example.net.',
  'deep DNAME any.site.com.',
  'via CNAME y.deep.site.com.',
];

const own = (...addresses: string[]): Origin => ({ host: addresses[0], addresses, port: 443, protocol: 'https' });
const nowhere: Origin = { host: 'site.com', addresses: [], port: 443, protocol: 'https' };
const pages: Origin = { host: 'pages.example.net', port: 443, protocol: 'https' };
const SHOP = ['2606:4700::1', '8.8.4.4', '8.8.8.8'];

test('without an origin each name has the servers of its own records', () =>
  withSites(async (rig) => {
    await setUp(rig, 'site.com.', ZONE);
    const expected: Record<string, Origin> = {
      '': own('1.1.1.1'),
      'www.': own('1.1.1.1'),
      'shop.': own(...SHOP),
      'mixed.': own('8.8.8.8'),
      'inside.': nowhere,
      'far.': pages,
      'long.': own(...SHOP),
      'lost.': nowhere,
      'ring.': nowhere,
      'local.': nowhere,
      'x.any.': pages,
      'via.': pages,
    };
    for (const [name, origin] of Object.entries(expected))
      assert.equal(rig.sites.siteOf(`${name}site.com`)?.origin, origin, name);
    assert.is(rig.sites.siteOf('site.com'), rig.sites.siteOf('www.site.com'), 'names with one origin share it');
  }));

test('the configured origin serves all names that do not lead elsewhere', () =>
  withSites(async (rig) => {
    await setUp(rig, 'site.com.', ZONE, { originHost: '9.9.9.9', originPort: 8080, originProtocol: 'http' });
    const main = { host: '9.9.9.9', port: 8080, protocol: 'http' };
    for (const name of ['', 'www.', 'same.', 'inside.', 'lost.', 'ring.', 'local.'])
      assert.equal(rig.sites.siteOf(`${name}site.com`)?.origin, main, name);
    assert.equal(rig.sites.siteOf('shop.site.com')?.origin, own(...SHOP));
    assert.equal(rig.sites.siteOf('far.site.com')?.origin, pages);
  }));

test('names that lead to the name of the origin, or where the apex leads, belong to it', () =>
  withSites(async (rig) => {
    const lines = [
      '@ ALIAS lb.example.net.',
      'a CNAME lb.example.net.',
      'b CNAME pages.example.net.',
      'c CNAME o.example.net.',
    ];
    await setUp(rig, 'site.com.', lines, { originHost: 'pages.example.net' });
    for (const name of ['', 'a.', 'b.']) assert.equal(rig.sites.siteOf(`${name}site.com`)?.origin, pages, name);
    assert.is(rig.sites.siteOf('c.site.com')?.origin.host, 'o.example.net');
  }));

test('names with the addresses that the name of the origin had belong to it', () =>
  withSites(async (rig) => {
    const origin = { originHost: 'pages.example.net', originAddresses: ['8.8.8.8', '2606:4700::1'] };
    await setUp(rig, 'site.com.', ['www A 8.8.8.8', 'six AAAA 2606:4700::1', 'shop A 8.8.4.4'], origin);
    for (const name of ['', 'www.', 'six.']) assert.equal(rig.sites.siteOf(`${name}site.com`)?.origin, pages, name);
    assert.equal(rig.sites.siteOf('shop.site.com')?.origin, own('8.8.4.4'));
  }));

test('an apex without addresses is served by the origin', () =>
  withSites(async (rig) => {
    const domain = await setUp(rig, 'site.com.', ['@ MX 10 mail.example.net.'], { originHost: '9.9.9.9' });
    assert.is(rig.sites.siteOf('site.com')?.origin.host, '9.9.9.9');
    const { environment, journal } = rig;
    await write(environment, journal, 'test', (draft) => draft.put(proxies, newProxy(domain)));
    assert.is(rig.sites.siteOf('site.com'), undefined);
  }));

test('chains into other domains of the account: their stored records, or their origin', () =>
  withSites(async (rig) => {
    const lines = ['to-apex CNAME back.com.', 'to-shop CNAME shop.back.com.', 'to-name CNAME foreign.com.'];
    await setUp(rig, 'site.com.', lines);
    const origin = { originHost: '9.9.9.9', originPort: 8443 };
    await setUp(rig, 'back.com.', ['shop A 8.8.8.8'], origin);
    const { environment, journal } = rig;
    const foreign = { ...newDomain('foreign.com.'), accountId: newDomain('x.com.').id };
    await write(environment, journal, 'test', (draft) => {
      draft.put(domains, foreign);
      draft.put(records, recordOf(foreign, '@ A 8.8.8.8'));
    });
    assert.equal(rig.sites.siteOf('to-apex.site.com')?.origin, { host: '9.9.9.9', port: 8443, protocol: 'https' });
    assert.equal(rig.sites.siteOf('to-shop.site.com')?.origin, own('8.8.8.8'));
    assert.is(rig.sites.siteOf('to-name.site.com')?.origin.host, 'foreign.com', 'anyone can add a domain');
  }));

test('what depends on another domain is read again after a minute', () =>
  withSites(async (rig) => {
    await setUp(rig, 'site.com.', ['shop CNAME shop.back.com.', 'www A 1.1.1.1']);
    const back = await setUp(rig, 'back.com.', ['shop A 8.8.8.8'], null);
    const timers: (() => void)[] = [];
    const { setTimeout: original } = globalThis;
    const capture = (callback: () => void, ms: number): NodeJS.Timeout => {
      if (ms === 60_000) timers.push(callback);
      return original(callback, ms);
    };
    try {
      globalThis.setTimeout = capture as typeof setTimeout;
      assert.is(rig.sites.siteOf('www.site.com')?.origin.host, '1.1.1.1');
      assert.is(timers.length, 0, 'its own records are reported');
      for (let i = 0; i < 3; i++) assert.is(rig.sites.siteOf('shop.site.com')?.origin.host, '8.8.8.8');
      assert.is(timers.length, 1);
    } finally {
      globalThis.setTimeout = original;
    }
    const { environment, journal } = rig;
    await write(environment, journal, 'test', (draft) => {
      for (const row of draft.recordsOf(back.id, null)) draft.delete(records, row);
      draft.put(records, recordOf(back, 'shop A 8.8.4.4'));
    });
    // A read transaction of LMDB ends by a timer that began before this one. A commit may be
    // quicker.
    await sleep(2);
    timers[0]();
    assert.is(rig.sites.siteOf('shop.site.com')?.origin.host, '8.8.4.4');
  }));

test('sites stay the same objects, and a domain with many origins keeps few of them', () =>
  withSites(async (rig) => {
    const many = Array.from({ length: 600 }, (_, i) => `h${i} A 8.8.${i >> 8}.${i & 255}`);
    const domain = await setUp(rig, 'site.com.', ['@ A 1.1.1.1', 'www A 1.1.1.1', ...many]);
    const first = rig.sites.siteOf('www.site.com');
    for (let i = 0; i < many.length; i++)
      assert.is(rig.sites.siteOf(`h${i}.site.com`)?.origin.host, `8.8.${i >> 8}.${i & 255}`);
    assert.is(rig.sites.siteOf('www.site.com'), first);
    const { environment, journal } = rig;
    const kept = rig.sites.siteOf('h599.site.com');
    await write(environment, journal, 'test', (draft) => draft.put(records, recordOf(domain, 'new A 8.8.8.8')));
    assert.is(rig.sites.siteOf('h599.site.com'), kept, 'unchanged by the new record');
  }));

test.run();
