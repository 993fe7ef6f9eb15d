import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InvalidError } from '../../../../../core/base/errors.ts';
import { formatMaster, parseMaster } from '../../../../../core/dns/wire/master/index.ts';
import { parseName } from '../../../../../core/dns/wire/name.ts';
import {
  canonicalRdata,
  checkRdata,
  findDoubt,
  formatPortable,
  formatRdata,
  parseRdata,
  rdataToObject,
} from '../../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../../core/dns/wire/types.ts';
import { ORIGIN } from '../arbitrary.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const FOO_COM = '03666f6f076578616d706c6503636f6d00';
const FOO_ORG = '03666f6f076578616d706c65036f726700';

/** RFC 9460 appendix D.1 and D.2 (figures 2 to 10): content, wire form, our canonical form. */
const VECTORS: readonly (readonly [content: string, wire: string, canonical: string])[] = [
  ['0 foo.example.com.', `0000${FOO_COM}`, '0 foo.example.com.'],
  ['1 .', '000100', '1 .'],
  ['16 foo.example.com. port=53', `0010${FOO_COM}000300020035`, '16 foo.example.com. port=53'],
  ['1 foo.example.com. key667=hello', `0001${FOO_COM}029b000568656c6c6f`, '1 foo.example.com. key667="hello"'],
  [
    '1 foo.example.com. key667="hello\\210qoo"',
    `0001${FOO_COM}029b000968656c6c6fd2716f6f`,
    '1 foo.example.com. key667="hello\\210qoo"',
  ],
  [
    '1 foo.example.com. ipv6hint="2001:db8::1,2001:db8::53:1"',
    `0001${FOO_COM}0006002020010db800000000000000000000000120010db8000000000000000000530001`,
    '1 foo.example.com. ipv6hint=2001:db8::1,2001:db8::53:1',
  ],
  [
    '1 example.com. ipv6hint="2001:db8:122:344::192.0.2.33"',
    '0001076578616d706c6503636f6d000006001020010db80122034400000000c0000221',
    '1 example.com. ipv6hint=2001:db8:122:344::c000:221',
  ],
  [
    '16 foo.example.org. alpn=h2,h3-19 mandatory=ipv4hint,alpn ipv4hint=192.0.2.1',
    `0010${FOO_ORG}0000000400010004000100090268320568332d313900040004c0000201`,
    '16 foo.example.org. mandatory=alpn,ipv4hint alpn="h2,h3-19" ipv4hint=192.0.2.1',
  ],
  [
    '16 foo.example.org. alpn="f\\\\\\\\oo\\\\,bar,h2"',
    `0010${FOO_ORG}0001000c08665c6f6f2c626172026832`,
    '16 foo.example.org. alpn="f\\\\\\\\oo\\\\,bar,h2"',
  ],
  [
    '16 foo.example.org. alpn=f\\\\\\092oo\\092,bar,h2',
    `0010${FOO_ORG}0001000c08665c6f6f2c626172026832`,
    '16 foo.example.org. alpn="f\\\\\\\\oo\\\\,bar,h2"',
  ],
];

test('the test vectors of RFC 9460 appendix D', () => {
  for (const [content, wire, canonical] of VECTORS)
    for (const type of [TYPE.SVCB, TYPE.HTTPS]) {
      const rdata = parseRdata(type, content);
      assert.is(hex(rdata), wire, content);
      assert.is(formatRdata(type, rdata), canonical);
      assert.is(hex(parseRdata(type, canonical)), wire, canonical);
      const zone = `@ 300 IN ${type === TYPE.SVCB ? 'SVCB' : 'HTTPS'} ( ${content}\n )`;
      const { records, errors } = parseMaster(Buffer.from(zone), { origin: ORIGIN });
      assert.equal([errors, records.map((record) => hex(record.rdata))], [[], [wire]]);
    }
});

/** What else people write, and the canonical form. */
const GOOD: readonly (readonly [content: string, canonical: string])[] = [
  ['1 @ alpn=h2', '1 example.com. alpn="h2"'],
  ['1 Bücher.Example alpn=h2', '1 xn--bcher-kva.example. alpn="h2"'],
  ['0 .', '0 .'],
  // Recipients ignore them (2.4.2).
  ['0 svc.example. alpn=h2', '0 svc.example. alpn="h2"'],
  ['1 . no-default-alpn alpn=h2', '1 . alpn="h2" no-default-alpn'],
  ['1 . no-default-alpn="" alpn=h2', '1 . alpn="h2" no-default-alpn'],
  ['1 . ohttp= alpn=h2', '1 . alpn="h2" ohttp'],
  ['1 . port="0443"', '1 . port=443'],
  ['1 . ech=AEj+DQBE', '1 . ech=AEj+DQBE'],
  ['1 . ech="AA=="', '1 . ech=AA=='],
  ['1 . dohpath=/dns-query{?dns}', '1 . dohpath="/dns-query{?dns}"'],
  ['1 . dohpath="/ü{?x,dns}"', '1 . dohpath="/\\195\\188{?x,dns}"'],
  ['1 . key65534 key99=', '1 . key99 key65534'],
  ['1 . key667="a b;\\"(=,"', '1 . key667="a b;\\"(=,"'],
  // A known key by its number has the wire form as its value.
  ['1 . key3="\\000\\053"', '1 . port=53'],
  ['1 . key1=\\002h2', '1 . alpn="h2"'],
  ['1 . key01=\\002h2 key00667=x', '1 . alpn="h2" key667="x"'],
  ['1 . key2 key1=\\002h2', '1 . alpn="h2" no-default-alpn'],
  ['1 . mandatory=key667 key667', '1 . mandatory=key667 key667'],
  ['1 . mandatory=key3,alpn alpn=h2 port=1', '1 . mandatory=alpn,port alpn="h2" port=1'],
  [`1 . alpn=${'a'.repeat(255)},b`, `1 . alpn="${'a'.repeat(255)},b"`],
  [`\\# 7 ${'0001'}00${'0008'}0000`, '1 . ohttp'],
  ['1 . tls-supported-groups=29,23', '1 . tls-supported-groups=29,23'],
  // RFC 9953 section 3.
  ['1 dns.example.org. alpn=co docpath=n,s', '1 dns.example.org. alpn="co" docpath="n,s"'],
  ['1 . docpath', '1 . docpath'],
  ['1 . pvd', '1 . pvd'],
  ['1 . ipv6hint=auto alpn=h2 ipv4hint="auto"', '1 . alpn="h2" ipv4hint=auto ipv6hint=auto'],
  ['1 . oots=do53:100,dot:5,doq:5', '1 . oots="do53:100,dot:5,doq:5"'],
  // draft-johani-dnsop-svcb-oots-00 section 2.2.
  ['\\# 18 000100000c000b04646f35336403646f740a', '1 . oots="do53:100,dot:10"'],
];

test('for other servers late keys are written by their numbers, and read as the same', () => {
  for (const [content, portable] of [
    ['1 . alpn=h2 ohttp', '1 . alpn="h2" key8'],
    ['1 . mandatory=ohttp,port port=53 ohttp', '1 . mandatory=port,key8 port=53 key8'],
    ['1 . dohpath=/q{?dns}', '1 . key7="/q{?dns}"'],
    ['1 . alpn=h2 no-default-alpn port=1 ipv4hint=192.0.2.1 ech=AA== ipv6hint=2001:db8::1 key99', undefined],
  ] as const) {
    const rdata = parseRdata(TYPE.SVCB, content);
    const text = portable ?? formatRdata(TYPE.SVCB, rdata);
    assert.is(formatPortable(TYPE.SVCB, rdata), `SVCB\t${text}`);
    assert.equal(parseRdata(TYPE.SVCB, text), rdata);
    const file = [...formatMaster(parseName('p.'), [{ name: parseName('p.'), type: TYPE.SVCB, ttl: 60, rdata }])];
    assert.match(file.join(''), formatPortable(TYPE.SVCB, rdata));
  }
});

test('contents and their canonical form', () => {
  for (const [content, canonical] of GOOD) {
    const rdata = parseRdata(TYPE.HTTPS, content, ORIGIN);
    assert.is(formatRdata(TYPE.HTTPS, rdata), canonical, content);
    assert.is(hex(parseRdata(TYPE.HTTPS, canonical)), hex(rdata), canonical);
    checkRdata(TYPE.HTTPS, rdata);
  }
});

const BAD: readonly (readonly [content: string, message: RegExp])[] = [
  // Appendix D.3, figures 11 to 16.
  ['1 foo.example.com. key123=abc key123=def', /key123 is a duplicate/],
  ['1 foo.example.com. mandatory', /mandatory must be names/],
  ['1 foo.example.com. alpn', /alpn must be protocols/],
  ['1 foo.example.com. port', /port must be a whole number/],
  ['1 foo.example.com. ipv4hint', /ipv4hint must be IPv4/],
  ['1 foo.example.com. ipv6hint', /ipv6hint must be IPv6/],
  ['1 foo.example.com. no-default-alpn=abc', /no-default-alpn must not have a value/],
  ['1 foo.example.com. mandatory=key123', /mandatory parameter key123 is missing/],
  ['1 foo.example.com. mandatory=mandatory', /mandatory must be names/],
  ['1 foo.example.com. mandatory=key123,key123 key123=abc', /mandatory must be names/],
  // Ours.
  ['', /priority is missing/],
  ['1', /target is missing/],
  ['65536 .', /0 to 65535/],
  ['1 . port=1 key3=\\000\\001', /port is a duplicate/],
  ['1 . mandatory=nope', /mandatory must be names/],
  ['1 . mandatory=port,key3 port=1', /mandatory must be names/],
  ['1 . mandatory=key0 port=1', /mandatory must be names/],
  ['1 . mandatory=port, port=1', /mandatory must be names/],
  ['1 . alpn=h2,', /alpn must be/],
  ['1 . alpn=,h2', /alpn must be/],
  ['1 . alpn="h2,,h3"', /alpn must be/],
  ['1 . alpn="h\\\\2"', /alpn must be/],
  ['1 . alpn="h2\\\\"', /alpn must be/],
  [`1 . alpn=${'a'.repeat(256)}`, /alpn must be/],
  ['1 . port=65536', /port must be/],
  ['1 . port=-1', /port must be/],
  ['1 . port=1,2', /port must be/],
  ['1 . port=" 1"', /port must be/],
  ['1 . ipv4hint=192.0.2.1,', /IPv4/],
  ['1 . ipv4hint=127.1', /IPv4/],
  ['1 . ipv4hint=auto,192.0.2.1', /or auto for those of the target/],
  ['1 . ipv4hint="192.0.2.1 ,192.0.2.2"', /IPv4/],
  ['1 . ipv6hint=192.0.2.1', /IPv6/],
  ['1 . ech=A', /Base64/],
  ['1 . ech=AA=', /Base64/],
  ['1 . ech=AEj_', /Base64/],
  ['1 . ohttp=1', /ohttp must not have a value/],
  ['1 . dohpath', /dohpath must be a path/],
  ['1 . tls-supported-groups', /must be numbers of TLS groups/],
  ['1 . tls-supported-groups=29,29', /must be numbers of TLS groups/],
  ['1 . tls-supported-groups=65536', /must be numbers of TLS groups/],
  ['1 . docpath=a,,b', /must be segments/],
  ['1 . pvd=1', /pvd must not have a value/],
  ['1 . oots=do53', /must be protocols/],
  ['1 . oots=do53:101', /must be protocols/],
  ['1 . oots=dot:1,dot:2', /must be protocols/],
  ['1 . dohpath=dns-query{?dns}', /dohpath must be a path/],
  ['1 . dohpath=/dns-query', /dohpath must be a path/],
  ['1 . dohpath=/dns-query{?dnssec}', /dohpath must be a path/],
  ['1 . dohpath="/\\255{?dns}"', /dohpath must be a path/],
  ['1 . key65536=x', /is unknown/],
  ['1 . ALPN=h2', /"ALPN" is unknown/],
  ['1 . foo=bar', /"foo" is unknown: write mandatory, alpn, .*, or keyN/],
  ['1 . =bar', /is unknown/],
  ['1 . "alpn=h2"', /the form key=value/],
  ['1 . alpn= "h2"', /alpn must be|the form key=value/],
  ['1 . alpn="h2"port=1', /the form key=value/],
  ['1 . alpn=h2"h3"', /the form key=value/],
  ['1 . alpn"h2"', /the form key=value/],
  ['1 . alpn="h2""h3"', /the form key=value/],
  ['1 . key0="\\000\\003\\000\\001" alpn=h2 port=1', /ascending/],
  ['1 . key667="\\300"', /escape/],
  [`1 . key667=${'a'.repeat(65_536)}`, /65535 bytes/],
  ['1 . alpn=h2 ; comment', /outside of quotes/],
  // Wire forms: not in order, twice, cut, `mandatory` without a list.
  [`\\# 13 000100${'00030002'}0035${'00010000'}`, /ascend|empty/],
  [`\\# 15 000100${'000300020035'.repeat(2)}`, /ascend/],
  ['\\# 5 0001000003', /missing/],
  ['\\# 8 0001000003000200', /missing/],
  ['\\# 7 00010000000000', /empty/],
  ['\\# 9 000100000000020003', /mandatory parameter port is missing/],
  ['\\# 9 000100000000020000', /mandatory keys/],
  ['\\# 4 0001c00c', /compression/],
];

/** What other servers load and an RFC forbids: the doubt, and the canonical form. */
const DOUBTFUL: readonly (readonly [content: string, doubt: RegExp, canonical?: string])[] = [
  ['1 . no-default-alpn', /no-default-alpn requires alpn/],
  ['1 . ech', /parameter ech must be Base64/, '1 . key5'],
  ['1 . key1="h2"', /parameter alpn must be/],
  ['1 . key3="a"', /parameter port must be/],
  ['1 . key4="abc"', /parameter ipv4hint must be/],
  ['1 . key4', /parameter ipv4hint must be/],
  ['1 . key7="/x"', /parameter dohpath must be/],
  ['1 . key8="x"', /parameter ohttp must not have a value/],
  ['1 . key9="a"', /parameter tls-supported-groups must be/],
  ['1 . key12="\\003dot\\101"', /parameter oots must be/, '1 . key12="\\003dote"'],
  ['1 . key65535="x"', /key65535 is reserved as the invalid key/],
  ['1 . mandatory=key65535 key65535', /key65535 is reserved/],
  ['\\# 10 00010000030003003500', /parameter port/, '1 . key3="\\0005\\000"'],
  ['\\# 8 0001000001000100', /parameter alpn/, '1 . key1="\\000"'],
  ['\\# 8 00010000020001ff', /no-default-alpn requires alpn/, '1 . key2="\\255"'],
];

test('contents that cause a warning', () => {
  for (const [content, doubt, canonical = content] of DOUBTFUL) {
    const rdata = parseRdata(TYPE.SVCB, content);
    assert.match(findDoubt(TYPE.SVCB, rdata) ?? '', doubt, content);
    assert.is(formatRdata(TYPE.SVCB, rdata), canonical);
    assert.equal(parseRdata(TYPE.SVCB, canonical), rdata);
    assert.equal(canonicalRdata(TYPE.SVCB, rdata), rdata);
    assert.not.ok('rdata' in rdataToObject(TYPE.SVCB, rdata));
  }
  for (const [content] of GOOD) assert.is(findDoubt(TYPE.SVCB, parseRdata(TYPE.SVCB, content, ORIGIN)), undefined);
});

test('contents that no record can hold, the failure cases of appendix D.3 among them', () => {
  for (const [content, message] of BAD)
    assert.throws(
      () => parseRdata(TYPE.SVCB, content, ORIGIN),
      (error: unknown) => {
        const right =
          error instanceof InvalidError &&
          error.pointer === '/content' &&
          error.message.length < 500 &&
          message.test(error.message);
        if (!right) console.error(content.slice(0, 60), error);
        return right;
      },
      content.slice(0, 60),
    );
});

test('the structured form', () => {
  const content =
    '1 svc.example. mandatory=alpn,no-default-alpn alpn="h2,f\\\\\\\\o\\\\,o" no-default-alpn port=8443 ipv4hint=192.0.2.1,192.0.2.2 ech=AEj+DQBE ipv6hint=2001:db8::1 dohpath=/q{?dns} ohttp key667="\\000a" key99';
  assert.equal(rdataToObject(TYPE.HTTPS, parseRdata(TYPE.HTTPS, content)), {
    priority: 1,
    target: 'svc.example.',
    params: {
      mandatory: ['alpn', 'no-default-alpn'],
      alpn: ['h2', 'f\\o,o'],
      no_default_alpn: true,
      port: 8443,
      ipv4hint: ['192.0.2.1', '192.0.2.2'],
      ech: 'AEj+DQBE',
      ipv6hint: ['2001:db8::1'],
      dohpath: '/q{?dns}',
      ohttp: true,
      key99: '',
      key667: '0061',
    },
  });
  assert.equal(rdataToObject(TYPE.SVCB, parseRdata(TYPE.SVCB, '1 . ipv4hint=auto')), {
    priority: 1,
    target: '.',
    params: { ipv4hint: 'auto' },
  });
  assert.equal(rdataToObject(TYPE.SVCB, parseRdata(TYPE.SVCB, '0 .')), { priority: 0, target: '.', params: {} });
});

test.run();
