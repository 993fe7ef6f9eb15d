/**
 * The reference itself against the examples of the RFCs, so that it is not only agreed with but
 * right.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName, nameId, parseName } from '../../core/dns/wire/name.ts';
import { CLASS_IN, RCODE, type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import { type Expected, resolve, type Zones } from './resolver.ts';

type Type = keyof typeof TYPE;
const CODES = Object.fromEntries(Object.entries(RCODE).map(([text, code]) => [code, text]));
const TYPES = Object.fromEntries(Object.entries(TYPE).map(([text, type]) => [type, text]));

/** `owner TYPE target`, a target only where the type has one; every zone gets an SOA and an NS. */
function world(zones: Record<string, readonly string[]>): Zones {
  const made = new Map<string, ResourceRecord[]>();
  for (const [apex, lines] of Object.entries(zones)) {
    const soa = [...parseName(`ns.${apex}`), ...parseName(`h.${apex}`), ...new Array(19).fill(0), 60];
    made.set(nameId(parseName(apex)), [
      { name: parseName(apex), type: TYPE.SOA, ttl: 300, rdata: Uint8Array.from(soa) },
      { name: parseName(apex), type: TYPE.NS, ttl: 300, rdata: parseName(`ns.${apex}`) },
      ...lines.map((line) => {
        const [owner, type, target] = line.split(' ');
        const before = type === 'MX' ? [0, 10] : type === 'SRV' ? [0, 0, 0, 0, 0, 0] : [];
        const rdata = target === undefined ? [1, 2, 3, 4] : [...before, ...parseName(target)];
        return { name: parseName(owner), type: TYPE[type as Type], ttl: 100, rdata: Uint8Array.from(rdata) };
      }),
    ]);
  }
  return made;
}

/**
 * `CODE aa | answer | authority | additional`, a record as `owner TYPE`, CNAME and DNAME with
 * `>target`.
 */
function show(expected: Expected): string {
  const section = (records: readonly ResourceRecord[]): string =>
    records
      .map((record) => {
        const alias = record.type === TYPE.CNAME || record.type === TYPE.DNAME;
        return `${formatName(record.name)} ${TYPES[record.type]}${alias ? `>${formatName(record.rdata)}` : ''}`;
      })
      .join(', ');
  const sections = [expected.answer, expected.authority, expected.additional].map(section);
  return `${CODES[expected.rcode]}${expected.aa ? ' aa' : ''} | ${sections.join(' | ')}`.replaceAll(/ +(?= |$)/g, '');
}

function check(zones: Zones, table: Record<string, string>): void {
  for (const [question, expected] of Object.entries(table)) {
    const [name, type] = question.split(' ');
    const got = resolve(zones, { name: parseName(name), type: TYPE[type as Type], class: CLASS_IN });
    assert.is(show(got), expected, question);
  }
}

test('wildcards: the example zone of RFC 4592 2.2.1', () => {
  const zones = world({
    'example.': [
      '*.example. TXT',
      '*.example. MX host1.example.',
      'sub.*.example. TXT',
      'host1.example. A',
      '_ssh._tcp.host1.example. SRV host1.example.',
      '_ssh._tcp.host2.example. SRV host1.example.',
      'subdel.example. NS ns.example.com.',
    ],
  });
  check(zones, {
    'host3.example. MX': 'NOERROR aa | host3.example. MX | | host1.example. A',
    'host3.example. A': 'NOERROR aa | | example. SOA |',
    'foo.bar.example. TXT': 'NOERROR aa | foo.bar.example. TXT | |',
    'host1.example. MX': 'NOERROR aa | | example. SOA |',
    'sub.*.example. MX': 'NOERROR aa | | example. SOA |',
    '*.example. TXT': 'NOERROR aa | *.example. TXT | |',
    '_telnet._tcp.host1.example. SRV': 'NXDOMAIN aa | | example. SOA |',
    'host.subdel.example. A': 'NOERROR | | subdel.example. NS |',
    'ghost.*.example. MX': 'NXDOMAIN aa | | example. SOA |',
    'host2.example. MX': 'NOERROR aa | | example. SOA |',
  });
});

test('a wildcard that is only an empty non-terminal answers NODATA', () => {
  check(world({ 'example.': ['a.*.example. A'] }), {
    'x.example. A': 'NOERROR aa | | example. SOA |',
    'x.y.example. A': 'NOERROR aa | | example. SOA |',
    'x.*.example. A': 'NXDOMAIN aa | | example. SOA |',
  });
});

test('delegations: glue in, occluded names out, DS from the parent side', () => {
  const zones = world({
    'p.': [
      'd.p. NS ns.d.p.',
      'd.p. NS ns.e.p.',
      'd.p. NS ns.elsewhere.',
      'ns.d.p. A',
      'ns.d.p. AAAA',
      'ns.e.p. A',
      'e.p. NS ns.d.p.',
      'd.p. DS',
      'a.p. CNAME x.d.p.',
      'm.p. MX ns.d.p.',
    ],
  });
  const referral = 'd.p. NS, d.p. NS, d.p. NS | ns.d.p. A, ns.d.p. AAAA, ns.e.p. A';
  check(zones, {
    'd.p. A': `NOERROR | | ${referral}`,
    'ns.d.p. A': `NOERROR | | ${referral}`,
    'd.p. ANY': `NOERROR | | ${referral}`,
    'x.d.p. DS': `NOERROR | | ${referral}`,
    'd.p. DS': 'NOERROR aa | d.p. DS | |',
    'e.p. DS': 'NOERROR aa | | p. SOA |',
    'a.p. A': `NOERROR aa | a.p. CNAME>x.d.p. | ${referral}`,
    'm.p. MX': 'NOERROR aa | m.p. MX | |',
  });
});

test('nested zones: the closest answers, DS at its apex comes from the parent', () => {
  const zones = world({
    'p.': ['n.p. DS', 'n.p. A', 'x.n.p. A', 'o.p. CNAME x.n.p.', '*.p. TXT', 'y.k.p. A', 'm.p. MX x.n.p.'],
    'n.p.': ['x.n.p. AAAA'],
    'z.k.p.': [],
  });
  check(zones, {
    'x.n.p. A': 'NOERROR aa | | n.p. SOA |',
    'n.p. DS': 'NOERROR aa | n.p. DS | |',
    'n.p. A': 'NOERROR aa | | n.p. SOA |',
    'x.n.p. DS': 'NOERROR aa | | n.p. SOA |',
    'z.k.p. DS': 'NOERROR aa | | p. SOA |',
    'o.p. A': 'NOERROR aa | o.p. CNAME>x.n.p. | |',
    'm.p. MX': 'NOERROR aa | m.p. MX | |',
    'p. DS': 'NOERROR aa | | p. SOA |',
    'q. DS': 'REFUSED | | |',
  });
});

test('chains: RFC 6604 codes, loops and bounds', () => {
  const long = Array.from({ length: 20 }, (_, i) => `c${i}.p. CNAME c${i + 1}.p.`);
  const zones = world({
    'p.': [
      'a.p. CNAME b.p.',
      'b.p. CNAME a.p.',
      'gone.p. CNAME none.p.',
      'empty.p. CNAME p.',
      'out.p. CNAME x.q.',
      '*.w.p. CNAME y.w.p.',
      'deep.p. CNAME x.w.p.',
      'c20.p. A',
      ...long,
    ],
  });
  const links = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, i) => `c${from + i}.p. CNAME>c${from + i + 1}.p.`).join(', ');
  check(zones, {
    'a.p. A': 'NOERROR aa | a.p. CNAME>b.p., b.p. CNAME>a.p. | |',
    'a.p. CNAME': 'NOERROR aa | a.p. CNAME>b.p. | |',
    'a.p. ANY': 'NOERROR aa | a.p. CNAME>b.p. | |',
    'gone.p. A': 'NXDOMAIN aa | gone.p. CNAME>none.p. | p. SOA |',
    'empty.p. A': 'NOERROR aa | empty.p. CNAME>p. | p. SOA |',
    'out.p. A': 'NOERROR aa | out.p. CNAME>x.q. | |',
    'deep.p. A': 'NOERROR aa | deep.p. CNAME>x.w.p., x.w.p. CNAME>y.w.p., y.w.p. CNAME>y.w.p. | |',
    'x.w.p. A': 'NOERROR aa | x.w.p. CNAME>y.w.p., y.w.p. CNAME>y.w.p. | |',
    'y.w.p. A': 'NOERROR aa | y.w.p. CNAME>y.w.p. | |',
    'c4.p. A': `NOERROR aa | ${links(4, 20)}, c20.p. A | |`,
    'c3.p. A': `NOERROR aa | ${links(3, 19)} | |`,
  });
});

test('DNAME: RFC 6672, overflow and occlusion', () => {
  const longTarget = `${'l'.repeat(60)}.${'l'.repeat(60)}.${'l'.repeat(60)}.p.`;
  const zones = world({
    'p.': [
      'd.p. DNAME e.p.',
      'x.d.p. A',
      'x.e.p. A',
      `long.p. DNAME ${longTarget}`,
      'q.d.p. NS ns.p.',
      '*.v.p. DNAME e.p.',
    ],
  });
  const label = 'l'.repeat(63);
  check(zones, {
    'd.p. DNAME': 'NOERROR aa | d.p. DNAME>e.p. | |',
    'd.p. A': 'NOERROR aa | | p. SOA |',
    'x.d.p. A': 'NOERROR aa | d.p. DNAME>e.p., x.d.p. CNAME>x.e.p., x.e.p. A | |',
    'q.d.p. A': 'NXDOMAIN aa | d.p. DNAME>e.p., q.d.p. CNAME>q.e.p. | p. SOA |',
    'x.d.p. CNAME': 'NOERROR aa | d.p. DNAME>e.p., x.d.p. CNAME>x.e.p. | |',
    [`${label}.long.p. A`]: `NXDOMAIN aa | long.p. DNAME>${longTarget}, ${label}.long.p. CNAME>${label}.${longTarget} | p. SOA |`,
    [`${label}.longer.long.p. A`]: `YXDOMAIN aa | long.p. DNAME>${longTarget} | |`,
    'y.v.p. DNAME': 'NOERROR aa | y.v.p. DNAME>e.p. | |',
    'y.v.p. A': 'NOERROR aa | | p. SOA |',
  });
});

test('DNAME: one record may be used for several names of a chain, as BIND and Knot do', () => {
  const zones = world({
    'p.': ['ok.p. A', 'd.p. DNAME p.', 'a.p. CNAME ok.d.d.p.', 'e.p. DNAME f.p.', 'f.p. DNAME e.p.'],
  });
  check(zones, {
    'ok.d.d.p. A': 'NOERROR aa | d.p. DNAME>p., ok.d.d.p. CNAME>ok.d.p., ok.d.p. CNAME>ok.p., ok.p. A | |',
    'no.d.d.p. A': 'NXDOMAIN aa | d.p. DNAME>p., no.d.d.p. CNAME>no.d.p., no.d.p. CNAME>no.p. | p. SOA |',
    'a.p. A':
      'NOERROR aa | a.p. CNAME>ok.d.d.p., d.p. DNAME>p., ok.d.d.p. CNAME>ok.d.p., ok.d.p. CNAME>ok.p., ok.p. A | |',
    'x.e.p. A': 'NOERROR aa | e.p. DNAME>f.p., x.e.p. CNAME>x.f.p., f.p. DNAME>e.p., x.f.p. CNAME>x.e.p. | |',
  });
});

test('what is refused before any walk', () => {
  const zones = world({ 'p.': [] });
  const codes = { OPT: 'FORMERR', AXFR: 'REFUSED', IXFR: 'REFUSED' };
  for (const [type, code] of Object.entries(codes)) check(zones, { [`p. ${type}`]: `${code} | | |` });
  const edns = { version: 1, size: 1232, do: false };
  assert.is(resolve(zones, { name: parseName('p.'), type: 1, class: CLASS_IN, edns }).rcode, RCODE.BADVERS);
  assert.is(resolve(zones, { name: parseName('p.'), type: 1, class: 3 }).rcode, RCODE.REFUSED);
  assert.is(resolve(zones, { name: parseName('p.'), type: 200, class: CLASS_IN }).rcode, RCODE.NOTIMP);
});

test.run();
