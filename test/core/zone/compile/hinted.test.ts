/** Automatic hints of SVCB and HTTPS by example; test/reference/hints.ts is for generated zones. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseMaster } from '../../../../core/dns/wire/master/index.ts';
import { type Name, parseName } from '../../../../core/dns/wire/name.ts';
import { formatRdata, parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { type RRset, TYPE } from '../../../../core/dns/wire/types.ts';
import { AliasedZone, UNRESOLVED } from '../../../../core/zone/compile/aliased.ts';
import { HintedZone } from '../../../../core/zone/compile/hinted.ts';
import { MemoryZone } from '../../../../core/zone/compile/memory.ts';
import { ProxiedZone } from '../../../../core/zone/compile/proxied.ts';
import type { ZoneRRset } from '../../../../core/zone/compile/view.ts';

const APEX = parseName('z.test.');
const CLUSTER = { ipv4: ['198.51.100.2', '198.51.100.1'], ipv6: ['2001:db8:ed9e::1'] };
const target = (text: string): string => Buffer.from(parseName(text)).toString('latin1');
const set = (type: number, ...texts: string[]): RRset => ({
  type,
  ttl: 60,
  rdatas: texts.map((text) => parseRdata(type, text)),
});
const ALIASES: Readonly<Record<string, readonly RRset[]>> = {
  [target('cdn.example.')]: [set(TYPE.A, '192.0.2.81', '192.0.2.82'), set(TYPE.AAAA, '2001:db8::81')],
  [target('new.example.')]: UNRESOLVED,
};

/** `proxied`: whether the proxy is on. */
function view(lines: readonly string[], proxied = false): HintedZone {
  const file = ['$TTL 300', '@ SOA ns h 1 2 3 4 5', '@ NS ns.example.', ...lines].join('\n');
  const { records, errors } = parseMaster(Buffer.from(`${file}\n`), { origin: APEX });
  assert.equal(errors, []);
  const zone = new MemoryZone(APEX, records, [parseName('nested', APEX)]);
  const aliased = new AliasedZone(zone, (name) => ALIASES[Buffer.from(name).toString('latin1')] ?? []);
  return new HintedZone(proxied ? new ProxiedZone(aliased, CLUSTER) : aliased);
}

const contents = (zone: HintedZone, owner: string): string[] =>
  zone
    .rrsets(owner === '@' ? APEX : parseName(owner, APEX))
    .filter(({ type }) => type === TYPE.HTTPS)
    .flatMap(({ type, rdatas }) => rdatas.map((rdata) => formatRdata(type, rdata)));

const AUTO = 'ipv4hint=auto ipv6hint=auto';
const ADDRESSES = ['h A 192.0.2.2', 'h A 192.0.2.1', 'h AAAA 2001:db8::1'];
const BOTH = 'ipv4hint=192.0.2.1,192.0.2.2 ipv6hint=2001:db8::1';
const ONE = 'ipv4hint=192.0.2.1';
const OF_ALIAS = 'ipv4hint=192.0.2.81,192.0.2.82 ipv6hint=2001:db8::81';

/** The records of `www`. */
const CASES: Readonly<Record<string, readonly [zone: readonly string[], served: string]>> = {
  'addresses of the target': [[...ADDRESSES, `www HTTPS 1 h ${AUTO}`], `1 h.z.test. ${BOTH}`],
  'those of the owner for "."': [['www A 192.0.2.1', `www HTTPS 1 . alpn=h2 ${AUTO}`], `1 . alpn="h2" ${ONE}`],
  'those at the end of CNAMEs': [
    [...ADDRESSES, 'a CNAME b', 'b CNAME h', `www HTTPS 1 a ${AUTO}`],
    `1 a.z.test. ${BOTH}`,
  ],
  'those behind a DNAME': [['x.d A 192.0.2.1', 'e DNAME d', `www HTTPS 1 x.e ${AUTO}`], `1 x.e.z.test. ${ONE}`],
  'those of a wildcard': [['*.w A 192.0.2.1', `www HTTPS 1 x.w ${AUTO}`], `1 x.w.z.test. ${ONE}`],
  'those of an ALIAS': [['h ALIAS cdn.example.', `www HTTPS 1 h ${AUTO}`], `1 h.z.test. ${OF_ALIAS}`],
  'none while an ALIAS was never resolved': [['h ALIAS new.example.', `www HTTPS 1 h ${AUTO}`], '1 h.z.test.'],
  'none of a name in another zone': [[`www HTTPS 1 h.example. ${AUTO}`], '1 h.example.'],
  'none of a nested zone': [['h.nested A 192.0.2.1', `www HTTPS 1 h.nested ${AUTO}`], '1 h.nested.z.test.'],
  'none of glue': [['d NS h.d', 'h.d A 192.0.2.1', `www HTTPS 1 h.d ${AUTO}`], '1 h.d.z.test.'],
  'none of a loop': [['a CNAME b', 'b CNAME a', `www HTTPS 1 a ${AUTO}`], '1 a.z.test.'],
  'one family alone': [[...ADDRESSES, 'www HTTPS 1 h ipv6hint=auto'], '1 h.z.test. ipv6hint=2001:db8::1'],
  'absent hints are no longer mandatory': [
    ['h AAAA 2001:db8::1', `www HTTPS 1 h mandatory=ipv4hint,ipv6hint ${AUTO}`],
    '1 h.z.test. mandatory=ipv6hint ipv6hint=2001:db8::1',
  ],
  'without a mandatory key the list goes, too': [
    ['www HTTPS 1 h mandatory=ipv4hint ipv4hint=auto', 'h TXT x'],
    '1 h.z.test.',
  ],
  'records that become equal are one': [
    ['h A 192.0.2.1', 'www HTTPS 1 h ipv4hint=auto', `www HTTPS 1 h ${ONE}`],
    `1 h.z.test. ${ONE}`,
  ],
};
for (const [title, [zone, served]] of Object.entries(CASES))
  test(`automatic hints: ${title}`, () => assert.equal(contents(view(zone), 'www'), [served]));

test('automatic hints of proxied names are the addresses of the cluster', () => {
  const zone = [...ADDRESSES, '@ A 192.0.2.1', `@ HTTPS 1 . ${AUTO}`, `svc HTTPS 1 _s.h ${AUTO}`, '_s.h A 192.0.2.3'];
  const cluster = 'ipv4hint=198.51.100.1,198.51.100.2 ipv6hint=2001:db8:ed9e::1';
  assert.equal(contents(view(zone, true), '@'), [`1 . ${cluster}`]);
  assert.equal(contents(view(zone, true), 'svc'), ['1 _s.h.z.test. ipv4hint=192.0.2.3'], 'not proxied');
});

/** All A records are steered. */
class Steered extends MemoryZone {
  override rrsets(name: Name): readonly ZoneRRset[] {
    const steering = { table: Buffer.alloc(0), variants: [] };
    return super.rrsets(name).map((found) => (found.type === TYPE.A ? { ...found, steering } : found));
  }
}

test('a steered target has no automatic hints, since each client gets its own address', () => {
  const file = `h 60 A 192.0.2.1\nh 60 AAAA 2001:db8::1\nwww 60 HTTPS 1 h ${AUTO}\n`;
  const { records } = parseMaster(Buffer.from(file), { origin: APEX });
  const steered = new HintedZone(new Steered(APEX, records));
  assert.equal(contents(steered, 'www'), ['1 h.z.test. ipv6hint=2001:db8::1']);
});

test('a hint has at most 32 addresses', () => {
  const many = Array.from({ length: 40 }, (_, i) => `h A 192.0.2.${i}`);
  const [content] = contents(view([...many, `www HTTPS 1 h ${AUTO}`]), 'www');
  assert.is(content.split(',').length, 32);
});

test.run();
