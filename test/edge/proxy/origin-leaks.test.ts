/** No response field reveals the origin: all kinds of fields, all spellings, and near misses. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Origin } from '../../../edge/origin/origin-address.ts';
import { OriginPlace } from '../../../edge/origin/spellings.ts';
import { fieldsWithoutOrigin, responseFields, responseTrailers } from '../../../edge/proxy/response-fields.ts';
import type { Site } from '../../../edge/sites/site.ts';
import { depth } from '../../support/depth.ts';
import fc from '../../support/fc.ts';
import { SEED } from '../../support/seed.ts';

const NAME: Origin = { host: 'origin.internal.test', port: 8080, protocol: 'http' };
const siteOf = (origin: Origin): Site => ({
  ...{ domainId: 'd1', domain: 'site.test', hasCertificate: true, hsts: '', documents: null },
  origin,
});
const VISITED = { scheme: 'https', authority: 'www.site.test' };
const PLACE = new OriginPlace(NAME, ['203.0.113.9', '2001:db8::9']);

const valuesOf = (fields: readonly string[], name: string): string[] =>
  fields.filter((_, i) => i % 2 === 1 && fields[i - 1] === name);
const seen = (name: string, value: string, identity = PLACE, visited = VISITED): string | null =>
  valuesOf(responseFields([name, value], siteOf(identity.origin), visited, 'waypost', identity), name)[0] ?? null;

/** The field, the origin's value, and the visitor's value (null: none). */
type Row = readonly [string, string, string | null];

const run = (rows: readonly Row[], identity = PLACE, visited = VISITED, title = ''): void => {
  for (const [name, value, expected] of rows)
    test(`${title}${name}: ${value}`, () => assert.is(seen(name, value, identity, visited), expected));
};

run([
  // References.
  ['location', 'http://203.0.113.9:8080/a', 'https://www.site.test/a'],
  ['location', 'http://[2001:db8:0:0::9]:8080/a', 'https://www.site.test/a'],
  ['location', 'http://0xcb.0.113.9/a', 'https://www.site.test/a'],
  ['location', 'http://3405803785/a', 'https://www.site.test/a'],
  ['location', 'http://203.28937/a', 'https://www.site.test/a'],
  ['location', '/login?to=http%3A%2F%2Forigin.internal.test%3A8080%2Fa', '/login?to=https%3A%2F%2Fwww.site.test%2Fa'],
  ['location', '/l?to=http%253A%252F%252FORIGIN.internal.test%252Fa', '/l?to=https%253A%252F%252Fwww.site.test%252Fa'],
  ['location', '/login?to=http%3a%2f%2f203.0.113.9%3a8080', '/login?to=https%3a%2f%2fwww.site.test'],
  ['location', '/login?to=http://%5B2001:DB8::9%5D:8080/a', '/login?to=https://www.site.test/a'],
  ['location', '/?h=origin%2Einternal%2Etest&p=1', '/?h=www.site.test&p=1'],
  ['location', '/?h=%6frigin.internal.test', '/?h=www.site.test'],
  [
    'location',
    'https://login.test/?a=b&back=http://203.0.113.9/x',
    'https://login.test/?a=b&back=https://www.site.test/x',
  ],
  ['location', 'https://login.test/?u=http://0xcb007109/x', 'https://login.test/?u=https://www.site.test/x'],
  ['location', 'https://login.test/%41?a=%2F', 'https://login.test/%41?a=%2F'],
  ['content-location', '//[2001:db8::9]/a', '//www.site.test/a'],
  ['sourcemap', 'http://origin.internal.test:8080/a.map', 'https://www.site.test/a.map'],
  ['x-sourcemap', 'http://203.0.113.9/a.map', 'https://www.site.test/a.map'],
  [
    'link',
    '<http://203.0.113.9/a>; rel="a"; anchor="http://origin.internal.test/b"',
    '<https://www.site.test/a>; rel="a"; anchor="https://www.site.test/b"',
  ],
  ['refresh', '0; url=/a?b=//203.0.113.9:8080/c', '0; url=/a?b=//www.site.test/c'],
  ['reporting-endpoints', 'a="http://origin.internal.test:8080/r", b="/b"', 'a="https://www.site.test/r", b="/b"'],
  [
    'report-to',
    '{"endpoints":[{"url":"http:\\/\\/203.0.113.9\\/r"}]}',
    '{"endpoints":[{"url":"https:\\/\\/www.site.test\\/r"}]}',
  ],
  ['x-pingback', 'http://origin.internal.test/xmlrpc.php', 'https://www.site.test/xmlrpc.php'],
  ['hx-redirect', 'http://203.0.113.9/a', 'https://www.site.test/a'],
  // Policies.
  ['access-control-allow-origin', 'http://origin.internal.test:8080', 'https://www.site.test'],
  ['access-control-allow-origin', 'http://203.0.113.9:8080', 'https://www.site.test'],
  ['access-control-allow-origin', '*', '*'],
  ['timing-allow-origin', 'http://203.0.113.9', 'https://www.site.test'],
  [
    'content-security-policy',
    "img-src 'self' origin.internal.test:8080 https://cdn.test",
    "img-src 'self' www.site.test https://cdn.test",
  ],
  ['content-security-policy', 'connect-src ws://203.0.113.9:8080/a', 'connect-src wss://www.site.test/a'],
  ['x-frame-options', 'ALLOW-FROM http://origin.internal.test', 'ALLOW-FROM https://www.site.test'],
  ['www-authenticate', 'Basic realm="origin.internal.test"', 'Basic realm="www.site.test"'],
  [
    'content-type',
    'application/ld+json;profile="http://origin.internal.test/p"',
    'application/ld+json;profile="https://www.site.test/p"',
  ],
  ['content-disposition', 'attachment; filename="203.0.113.9.log"', 'attachment; filename="www.site.test.log"'],
  // Lists.
  ['via', '1.1 varnish (a, b), 1.1 origin.internal.test:8080 (nginx)', '1.1 varnish (a, b), 1.1 waypost'],
  ['via', '1.1 ip-203-0-113-9', '1.1 waypost'],
  ['server-timing', 'db;dur=1, app;desc="origin.internal.test, a";dur=2, x', 'db;dur=1, x'],
  ['server-timing', 'app;desc="203.0.113.9"', null],
  ['cache-status', 'origin.internal.test; hit, inner; fwd=miss', 'inner; fwd=miss'],
  ['proxy-status', '"203.0.113.9"; error=x', null],
  ['forwarded', 'for="[2001:db8::9]:8080", for=192.0.2.7', 'for=192.0.2.7'],
  ['forwarded', 'by=203.0.113.9', null],
  // Fields that name a machine.
  ['backend', 'origin.internal.test', null],
  ['host', 'origin.internal.test:8080', null],
  ['x-backend', '203.0.113.9:8080', null],
  ['x-upstream-addr', 'http://203.0.113.9:8080/', null],
  ['x-a', '203-0-113-9', null],
  ['x-a', '203_0_113_9', null],
  ['x-a', '203.000.113.009', null],
  ['x-a', '203%2e0%2e113%2e9', null],
  ['x-a', 'pool.203.0.113.9.nip.test', null],
  ['x-a', '9.113.0.203.in-addr.arpa', null],
  ['x-a', '3405803785', null],
  ['x-a', '0xCB007109', null],
  ['x-unique-id', 'C0000201:0001_CB007109:01BB_5F', null],
  ['x-a', '::ffff:203.0.113.9', null],
  ['x-a', '::ffff:cb00:7109', null],
  ['x-a', '2001:db8::9', null],
  ['x-a', '[2001:DB8::9]:8080', null],
  ['x-a', '2001:0db8:0000:0000:0000:0000:0000:0009', null],
  ['x-a', '2001:db8:0:0::0:9', null],
  ['x-a', '2001:db8::0.0.0.9', null],
  ['x-a', '2001%3Adb8%3A%3A9', null],
  ['x-a', '2001-db8--9.ipv6-literal.test', null],
  ['x-a', '20010db8000000000000000000000009', null],
  ['x-a', 'fe80::1, 2001:db8::9%eth0', null],
  ['x-a', 'a.origin.internal.test', null],
  ['x-a', 'x%20origin.internal.test', null],
  ['x-a.origin.internal.test', 'up', null],
  ['etag', '"203.0.113.9-7"', null],
  // Cookies.
  ['set-cookie', 'a=b; Domain=203.0.113.9; Path=/', 'a=b; Path=/'],
  [
    'set-cookie',
    'to=http%3A%2F%2Forigin.internal.test%3A8080%2Fa; Path=/',
    'to=https%3A%2F%2Fwww.site.test%2Fa; Path=/',
  ],
  ['set-cookie', 'SERVERID=203.0.113.9:8080; Path=/', null],
  ['set-cookie', 'route=origin.internal.test', null],
  ['set-cookie', 'BIGipServerpool=158400715.36895.0000; path=/', null],
  // Addresses of another machine: 8.8.4.4 is public, 10.1.1.100 is not.
  ['set-cookie', 'BIGipServerpool=67373064.20480.0000; path=/', null],
  ['set-cookie', 'BIGipServerpool=1677787402.36895.0000; path=/', 'BIGipServerpool=1677787402.36895.0000; path=/'],
  ['set-cookie', 'lb=rd5o00000000000000000000ffff08080404o80', null],
  ['set-cookie', 'lb=vi20010db8000000000000000000000009.20480', null],
  ['set-cookie', 'lb=vi20014860486000000000000000008888.20480', null],
  ['set-cookie', 'lb=vi20010db8000000000000000000000030.20480', 'lb=vi20010db8000000000000000000000030.20480'],
]);

// Near misses.
run(
  [
    ['x-a', 'notorigin.internal.test'],
    ['x-a', 'not-origin.internal.test'],
    ['x-a', 'origin.internal.testing'],
    ['x-a', 'internal.test'],
    ['x-a', '203.0.113.90'],
    ['x-a', '1203.0.113.9'],
    ['x-a', '203.0.1139'],
    ['x-a', 'acb007109'],
    ['x-a', 'cb00710900'],
    ['x-a', '13405803785'],
    ['x-a', '2001:db8::90'],
    ['x-a', '2001:db8::1:9'],
    ['x-a', '12001:db8::9'],
    ['x-a', '20:30:09 and 100%25'],
    ['location', 'https://notorigin.internal.test/'],
    ['location', 'https://static.origin.internal.test/'],
    ['location', 'https://origin.internal.test.other.test/'],
    ['location', 'http://203.0.113.91/'],
    ['content-security-policy', 'img-src notorigin.internal.test'],
    ['server-timing', 'db;desc="notorigin.internal.test"'],
    ['set-cookie', 'a=203.0.113.91; Domain=site.test'],
    ['content-type', 'multipart/mixed; boundary=origin.internal.test-1'],
    ['last-modified', 'Sun, 06 Nov 1994 08:49:37 GMT'],
    ['content-length', '3405803785'],
  ].map(([name, value]): Row => [name, value, value]),
);

// The origin's name equals the visitor's or is a parent of it, so it is public. The addresses stay
// hidden.
const APEX = new OriginPlace({ host: 'site.test', port: 8080, protocol: 'http' }, ['203.0.113.9']);
run(
  [
    ['x-a', 'www.site.test', 'www.site.test'],
    ['x-a', 'site.test', 'site.test'],
    ['content-security-policy', 'img-src site.test cdn.site.test', 'img-src site.test cdn.site.test'],
    ['set-cookie', 'a=b; Domain=site.test', 'a=b; Domain=site.test'],
    ['location', 'http://site.test:8080/a', 'https://www.site.test/a'],
    ['x-a', '203.0.113.9', null],
  ],
  APEX,
  VISITED,
  'a parent: ',
);
const OTHER = new OriginPlace({ ...NAME, hostHeader: 'inner.test:8443', serverName: 'sni.test' });

run(
  [
    ['location', 'https://inner.test:8443/a', 'https://www.site.test/a'],
    ['location', 'https://origin.internal.test/a', 'https://www.site.test/a'],
    ['x-a', 'sni.test', null],
    ['x-a', 'inner.test:8443', null],
    ['set-cookie', 'a=b; Domain=inner.test', 'a=b'],
  ],
  OTHER,
  VISITED,
  'names of Host and TLS: ',
);
const CHILD = new OriginPlace({ host: 'origin.www.site.test', port: 80, protocol: 'http' });
run(
  [
    ['x-a', 'www.site.test', 'www.site.test'],
    ['x-a', 'origin.www.site.test', null],
    ['content-security-policy', 'img-src origin.www.site.test www.site.test', 'img-src www.site.test www.site.test'],
  ],
  CHILD,
  VISITED,
  'a child: ',
);

const LABEL = new OriginPlace({ host: 'localhost', port: 8080, protocol: 'http' }, ['127.0.0.1', '::1']);
run(
  [
    ['vary', 'localhost', 'localhost'],
    ['x-a', 'not on localhost', 'not on localhost'],
    ['x-a', 'localhost:8080', null],
    ['location', '/?a=http://localhost:8080/b', '/?a=https://www.site.test/b'],
    ['x-a', '[::1]:8080', null],
    ['x-a', '0:0:0:0:0:0:0:1', null],
    ['x-a', 'fe80::1', 'fe80::1'],
    ['x-a', '--1', '--1'],
  ],
  LABEL,
  VISITED,
  'a single label: ',
);

const IDN = new OriginPlace({ host: 'xn--bcher-kva.test', port: 80, protocol: 'http' });
run(
  [
    ['location', '/?a=http://b%C3%BCcher.test/', '/?a=https://www.site.test/'],
    ['x-a', Buffer.from('bücher.test').toString('latin1'), null],
    ['x-a', 'XN--BCHER-KVA.test', null],
  ],
  IDN,
  VISITED,
  'an international name: ',
);

test('the port of the visited site gets the encoding of the URL around it', () => {
  const visited = { scheme: 'https', authority: 'www.site.test:8443' };
  assert.is(
    seen('location', '/?a=http%3A%2F%2F203.0.113.9%2F', PLACE, visited),
    '/?a=https%3A%2F%2Fwww.site.test%3A8443%2F',
  );
});

test('stored fields and trailers contain no addresses either', () => {
  const fields = [
    'x-a',
    '203.0.113.9',
    'location',
    'http://203.0.113.9/',
    'date',
    'at origin.internal.test',
    'x-b',
    'b',
  ];
  const site = siteOf(NAME);
  assert.equal(fieldsWithoutOrigin(fields, site, VISITED, PLACE), ['location', 'https://www.site.test/', 'x-b', 'b']);
  assert.equal(responseTrailers(fields, site, VISITED, PLACE), ['x-b', 'b']);
});

test('an origin with given addresses: none of them is revealed, also before a connection', () => {
  const origin: Origin = { ...NAME, host: '203.0.113.9', addresses: ['203.0.113.9', '2001:db8::9'] };
  const fields = ['location', 'http://[2001:db8::9]/', 'x-backend', '203.0.113.9', 'x-b', 'b'];
  assert.equal(fieldsWithoutOrigin(fields, siteOf(origin), VISITED), [
    'location',
    'https://www.site.test/',
    'x-b',
    'b',
  ]);
  assert.equal(new OriginPlace(origin, ['203.0.113.8']).addresses, ['203.0.113.9', '2001:db8::9', '203.0.113.8']);
});

test('long malicious values take linear time', () => {
  const parts = [
    '203.0.113.9 ',
    '//',
    '//a',
    '%41',
    '%25',
    '2001:db8:',
    '::',
    '0',
    '9.',
    ':',
    '"',
    '\\"',
    '(',
    ',',
    'http:',
    'origin.internal.test',
    '@',
  ];
  for (const part of parts)
    for (const name of ['x-a', 'location', 'link', 'set-cookie', 'via', 'content-security-policy', 'server-timing'])
      responseFields(
        [name, `${part.repeat(60_000 / part.length)}203.0.113.9`],
        siteOf(NAME),
        VISITED,
        'waypost',
        PLACE,
      );
});

// Generated.

const percentEncoded = (text: string, mask: readonly boolean[]): string =>
  [...text]
    .map((character, i) =>
      mask[i % mask.length] ? `%${character.charCodeAt(0).toString(16).padStart(2, '0')}` : character,
    )
    .join('');
const upperCased = (text: string, mask: readonly boolean[]): string =>
  [...text].map((character, i) => (mask[i % mask.length] ? character.toUpperCase() : character)).join('');

/** A spelling of an IPv6 address with eight groups. Any run of zeros may be omitted. */
function ipv6Spelling(groups: readonly number[], length: number, padding: number): string {
  const texts = groups.map((part) => part.toString(16).padStart(padding, '0'));
  const runs: [number, number][] = [];
  for (let from = 0; from < 8; from++)
    for (let to = from + 1; to <= 8 && groups[to - 1] === 0; to++) runs.push([from, to]);
  if (runs.length === 0 || length === 0) return texts.join(':');
  const [from, to] = runs[length % runs.length];
  return `${texts.slice(0, from).join(':')}::${texts.slice(to).join(':')}`;
}

const letters = fc.array(fc.boolean(), { minLength: 1, maxLength: 7 });
const byte = fc.integer({ min: 1, max: 255 });
const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
const label = fc.stringMatching(/^[a-z][a-z0-9]{2,8}$/);
const FIELDS = [
  ...['location', 'content-location', 'link', 'refresh', 'set-cookie', 'via', 'forwarded', 'server-timing'],
  ...['cache-status', 'proxy-status', 'reporting-endpoints', 'report-to', 'nel', 'sourcemap', 'backend', 'host'],
  ...['x-backend', 'x-anything', 'anything', 'etag', 'content-security-policy', 'access-control-allow-origin'],
  ...['timing-allow-origin', 'www-authenticate', 'content-disposition', 'warning', 'strict-transport-security'],
];
const before = fc.constantFrom(
  '',
  'http://',
  'https%3A%2F%2F',
  '"',
  'a=b; c="',
  '<//',
  '/?u=http://u:p@',
  ' ',
  'x=',
  '%20',
  '(',
  '1.1 ',
  '5; url=',
);
const after = fc.constantFrom('', ':8080', '%3A8080', '/', '/a?b', '"', '>; rel=a', ' (x)', ', y', ';z', '%2Fa');

test('generated: no field reveals the origin in any spelling', () => {
  fc.assert(
    fc.property(
      fc.tuple(label, label, byte, byte, byte, byte, fc.array(group, { minLength: 7, maxLength: 7 })),
      fc.record({ run: fc.nat(30), padding: fc.constantFrom(1, 4), kind: fc.nat(7), upper: letters, encoded: letters }),
      fc.record({ before, after, isEncoded: fc.boolean(), isTrailer: fc.boolean() }),
      fc.constantFrom(...FIELDS),
      ([name, parent, a, b, c, d, rest], spelling, around, field) => {
        // An ETag is not searched for names that contain an address (response-fields.ts).
        fc.pre(field !== 'etag' || spelling.kind !== 5);
        const host = `${name}.${parent}.test`;
        const groups = [0x2a02, ...rest];
        const ipv4 = [a, b, c, d].join('.');
        const ipv6 = ipv6Spelling(groups, 0, 1);
        const forms = [
          ...[host, ipv4, `[${ipv6Spelling(groups, spelling.run, spelling.padding)}]`],
          ...[ipv6Spelling(groups, spelling.run, spelling.padding), `::ffff:${ipv4}`, `ip-${a}-${b}-${c}-${d}`],
          ...[[a, b, c, d].map((part) => String(part).padStart(3, '0')).join('.'), `${host}.`],
        ];
        const cased = upperCased(forms[spelling.kind], spelling.upper);
        const spelled = around.isEncoded ? percentEncoded(cased, spelling.encoded) : cased;
        const value = around.before + spelled + around.after;
        const identity = new OriginPlace({ host, port: 8080, protocol: 'http' }, [ipv4, ipv6]);
        const site = siteOf(identity.origin);
        const fields = around.isTrailer
          ? responseTrailers([field, value], site, VISITED, identity)
          : responseFields([field, value], site, VISITED, 'waypost', identity);
        const text = decoded(fields.join('\n')).toLowerCase();
        for (const secret of [host, ipv4, `${a}-${b}-${c}-${d}`, decoded(spelled).toLowerCase()])
          assert.not(text.includes(secret), `${field}: ${value} became ${text}`);
      },
    ),
    { seed: SEED, numRuns: depth({ quick: 400, moderate: 1500, full: 20_000 }) },
  );
});

const decoded = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

test('generated: a value without the origin passes unchanged', () => {
  const words = fc.array(
    fc.constantFrom(
      'a',
      'origin',
      'internal',
      '.',
      '-',
      '203',
      '113',
      '9',
      '0',
      '/',
      ':',
      '%2F',
      ' ',
      'site.test',
      '2001:',
      'db8',
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(words, (parts) => {
      const value = parts.join('').trim();
      const plain = decoded(value);
      fc.pre(!/origin\.internal|203[-._:]0*[-._]?113|2001:db8|9[-.]113|\/\//.test(plain));
      assert.is(seen('x-a', value), value);
    }),
    { seed: SEED, numRuns: depth({ quick: 500, moderate: 2000, full: 20_000 }) },
  );
});

test.run();
