/**
 * Which names a proxied zone answers with the cluster's addresses: the rules by example, for the
 * compiler's view and for the reference alike.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatRelative, nameId, parseName } from '../../../../core/dns/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../../../core/dns/wire/types.ts';
import { MemoryZone } from '../../../../core/zone/compile/memory.ts';
import { ProxiedZone } from '../../../../core/zone/compile/proxied.ts';
import { answeredRecords, CLUSTER } from '../../../reference/proxy.ts';

const APEX = parseName('example.com.');
const name = (text: string) => parseName(text, APEX);
const NUMBERS: Readonly<Record<string, readonly number[]>> = { MX: [0, 10], SRV: [0, 0, 0, 0, 1, 187], HTTPS: [0, 1] };

/** `owner TYPE target`, a target only where the type has one. */
function record(line: string): ResourceRecord {
  const [owner, type, target] = line.split(' ');
  const rdata = target === undefined ? [10, 0, 0, 1] : [...(NUMBERS[type] ?? []), ...name(target)];
  return { name: name(owner), type: TYPE[type as keyof typeof TYPE], ttl: 60, rdata: Uint8Array.from(rdata) };
}

const SOA = [...name('ns'), ...name('h'), ...new Array(20).fill(1)];

/** What is answered from, as `owner type:ttl …`, by both. `flags` as `owner` or `!owner`. */
function answered(lines: readonly string[], flags: readonly string[] = [], cluster = CLUSTER): string[] {
  const soa = { name: APEX, type: TYPE.SOA, ttl: 60, rdata: Uint8Array.from(SOA) };
  const all = [soa, record('@ NS ns.elsewhere.net.'), ...lines.map(record)];
  const reported = new Map(flags.map((flag) => [nameId(name(flag.replace('!', ''))), !flag.startsWith('!')]));
  const flagged = all.map((entry) => ({ ...entry, proxied: reported.get(nameId(entry.name)) ?? null }));
  const zone = new MemoryZone(APEX, flagged);
  const view = new ProxiedZone(zone, cluster);
  const shown = [...zone.names()]
    .filter((owner) => view.rrsets(owner).length > 0)
    .map((owner) => {
      const sets = view.rrsets(owner).filter(({ type }) => type !== TYPE.SOA && type !== TYPE.NS);
      return `${formatRelative(owner, APEX)} ${sets.map(({ type, ttl, rdatas }) => `${type}:${ttl}x${rdatas.length}`).join(' ')}`;
    });
  if (cluster === CLUSTER) {
    const byReference = answeredRecords(all, { enabled: true, flags: reported });
    const owners = [...new Map(byReference.map((entry) => [nameId(entry.name), entry.name])).values()];
    const expected = owners.map((owner) => {
      const here = byReference.filter((entry) => nameId(entry.name) === nameId(owner));
      const types = [...new Set(here.map(({ type }) => type))].filter((type) => type !== TYPE.SOA && type !== TYPE.NS);
      const texts = types
        .sort((a, b) => a - b)
        .map((type) => {
          const set = here.filter((entry) => entry.type === type);
          return `${type}:${set[0].ttl}x${set.length}`;
        });
      return `${formatRelative(owner, APEX)} ${texts.join(' ')}`;
    });
    assert.equal([...shown].sort(), expected.sort(), 'the reference');
  }
  return shown;
}

/** Two IPv4 addresses and an IPv6 one. */
const EDGE = '1:300x2 28:300x1';
const OWN = '1:60x1';

const cases: Record<string, { zone: string[]; flags?: string[]; answers: string[] }> = {
  'names with A, AAAA, CNAME or ALIAS go through it': {
    zone: ['@ ALIAS www.shop.net.', 'www A', 'six AAAA', 'blog CNAME pages.net.', '*.user A', 'text TXT'],
    answers: [`@ ${EDGE}`, `www ${EDGE}`, `six ${EDGE}`, `blog ${EDGE}`, `*.user ${EDGE}`, 'text 16:60x1'],
  },
  'other types of a web name stay': {
    zone: ['@ A', '@ MX mail.google.net.', '@ TXT', '@ CAA'],
    answers: [`@ 1:300x2 15:60x1 16:60x1 28:300x1 257:60x1`],
  },
  'targets of MX, SRV and NS do not, wherever the records stand': {
    zone: ['@ MX mail', 'mail A', '_sip._tcp SRV sip', 'sip A', 'sub NS ns.sub', 'ns.sub A', 'sub A', 'www A'],
    answers: [
      '@ 15:60x1',
      `mail ${OWN}`,
      '_sip._tcp 33:60x1',
      `sip ${OWN}`,
      `ns.sub ${OWN}`,
      `sub ${EDGE}`,
      `www ${EDGE}`,
    ],
  },
  'targets of HTTPS do: it is browsers that it leads there': {
    zone: ['@ HTTPS www', 'www A'],
    answers: ['@ 65:60x1', `www ${EDGE}`],
  },
  'an apex that takes its own mail keeps its addresses': {
    zone: ['@ MX @', '@ A', 'www CNAME @'],
    answers: [`@ 1:60x1 15:60x1`, `www ${EDGE}`],
  },
  'names under an underscore do not': {
    zone: ['_x A', 'a._x A', '*._x CNAME a', 'x_ A', 'a A'],
    answers: [`_x ${OWN}`, `a._x ${OWN}`, '*._x 5:60x1', `x_ ${EDGE}`, `a ${EDGE}`],
  },
  'what a name says itself comes first': {
    zone: ['@ MX mail', 'mail A', '_x A', 'www A', 'blog CNAME pages.net.'],
    flags: ['mail', '_x', '!www', '!blog'],
    answers: ['@ 15:60x1', `mail ${EDGE}`, `_x ${EDGE}`, `www ${OWN}`, 'blog 5:60x1'],
  },
  'what an alias points at is no matter': {
    zone: ['www CNAME mail', '@ MX mail', 'mail A', 'grey CNAME www'],
    flags: ['!grey'],
    answers: [`www ${EDGE}`, '@ 15:60x1', `mail ${OWN}`, 'grey 5:60x1'],
  },
};

for (const [what, { zone, flags, answers }] of Object.entries(cases))
  test(what, () => {
    const got = answered(zone, flags).filter((line) => !/ $/.test(line));
    assert.equal(got.sort(), [...answers].sort());
  });

test('a cluster without IPv6 answers A alone, and its addresses follow the configuration', () => {
  assert.equal(answered(['www AAAA'], [], { ipv4: ['192.0.2.1'], ipv6: [] })[1], 'www 1:300x1');
  const zone = new MemoryZone(APEX, [record('www A')]);
  const first = (ipv4: string) => [
    ...new ProxiedZone(zone, { ipv4: [ipv4], ipv6: [] }).rrsets(name('www'))[0].rdatas[0],
  ];
  assert.equal(
    [first('192.0.2.1'), first('192.0.2.2')],
    [
      [192, 0, 2, 1],
      [192, 0, 2, 2],
    ],
  );
});

test('an underscore in the apex does not exclude names', () => {
  const apex = parseName('_odd.example.com.');
  const www = { ...record('www A'), name: parseName('www', apex) };
  const view = new ProxiedZone(new MemoryZone(apex, [www]), CLUSTER);
  assert.is(view.rrsets(www.name)[0].ttl, 300);
});

test.run();
