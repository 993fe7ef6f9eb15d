/** The document of origins: its check, which entry serves a request, and the states of checks. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parsePrefix } from '../../../../core/net/address/index.ts';
import { checkOrigins } from '../../../../core/site/pools/check.ts';
import { healthOf, type OriginsEntry, originKey } from '../../../../core/site/pools/document.ts';
import { afterCheck, type HealthState, UNKNOWN } from '../../../../core/site/pools/health-state.ts';
import { entriesFor, matchesPath } from '../../../../core/site/pools/match.ts';
import { cookieValue, stickyToken } from '../../../../core/site/pools/sticky.ts';

const OPTIONS = { exemptions: [], own: [parsePrefix('198.51.100.0/24')] };
const entry = (fields: Partial<OriginsEntry> = {}): OriginsEntry => ({
  pool: [{ origin: 'a.example.net' }],
  ...fields,
});
const faultsOf = (...origins: OriginsEntry[]): string[] =>
  checkOrigins({ origins }, OPTIONS).map(({ pointer, code }) => `${pointer} ${code}`);

test('a document that is right has no faults', () => {
  assert.equal(
    faultsOf(
      entry(),
      entry({ name: 'www', path: '/api/%20x' }),
      entry({ name: '*.dev', health: { path: '/up', interval: 5, timeout: 5 }, sticky: { by: 'cookie' } }),
      entry({ name: 'h', balance: 'least_connections', slow_start: 30, sticky: { by: 'header', header: 'X-Tenant' } }),
      entry({ name: 'c', sticky: { by: 'cookie_hash', cookie: 'session' } }),
      entry({ label: 'blue', host: 'internal.example:8080', server_name: 'internal.example' }),
      entry({ name: '@', pool: [{ origin: 'a.example.net' }, { origin: 'a.example.net', port: 80 }], version: '2' }),
    ),
    [],
  );
});

for (const [title, origins, faults] of [
  ['a URL', [entry({ pool: [{ origin: 'https://a.example.net' }] })], ['/origins/0/pool/0/origin invalid_origin']],
  [
    'a private address',
    [entry(), entry({ name: 'www', pool: [{ origin: 'b.example.net' }, { origin: '10.0.0.1' }] })],
    ['/origins/1/pool/1/origin private_origin'],
  ],
  ['a local name', [entry({ pool: [{ origin: 'x.local' }] })], ['/origins/0/pool/0/origin private_origin']],
  [
    'a port without a protocol',
    [entry({ pool: [{ origin: 'a.example.net', port: 8080 }] })],
    ['/origins/0/pool/0/protocol protocol_required'],
  ],
  [
    'the same origin twice',
    [entry({ pool: [{ origin: 'a.example.net' }, { origin: 'A.example.net', port: 443, protocol: 'https' }] })],
    ['/origins/0/pool/1 duplicate_origin'],
  ],
  [
    'a hash of nothing',
    [entry({ sticky: { by: 'header' } }), entry({ name: 'a', sticky: { by: 'cookie_hash' } })],
    ['/origins/0/sticky/header header_required', '/origins/1/sticky/cookie cookie_required'],
  ],
  ['no weight', [entry({ pool: [{ origin: 'a.example.net', weight: 0 }] })], ['/origins/0/pool no_weight']],
  ['the same name and path twice', [entry(), entry({ name: '*', path: '/' })], ['/origins/1 duplicate_entry']],
  ['the same label twice', [entry({ label: 'a' }), entry({ label: 'a' })], ['/origins/1/label duplicate_label']],
  ['an absolute name', [entry({ name: 'www.example.com.' })], ['/origins/0/name invalid_name']],
  ['a path with a query', [entry({ path: '/a?b' })], ['/origins/0/path invalid_path']],
  ['a relative path', [entry({ path: 'a' })], ['/origins/0/path invalid_path']],
  ['a check with a bad path', [entry({ health: { path: '/a b' } })], ['/origins/0/health/path invalid_path']],
  [
    'a timeout longer than the interval',
    [entry({ health: { interval: 5, timeout: 6 } })],
    ['/origins/0/health/timeout invalid_timeout'],
  ],
  ['a bad Host', [entry({ host: 'a b' })], ['/origins/0/host invalid_host']],
  ['a bad server name', [entry({ server_name: 'a:1' })], ['/origins/0/server_name invalid_server_name']],
  [
    'TLS settings without TLS',
    [entry({ pool: [{ origin: 'a.example.net', port: 80 }], server_name: 'b.example.net' })],
    ['/origins/0/server_name tls_required'],
  ],
  ['h2c over TLS', [entry({ version: 'h2c' })], ['/origins/0/version invalid_version']],
  ['a bad pin', [entry({ pins: ['abc'] })], ['/origins/0/pins/0 invalid_pin']],
  ['a bad authority', [entry({ ca: 'abc' })], ['/origins/0/ca invalid_certificate']],
] as const)
  test(`reports ${title}`, () => {
    assert.equal(faultsOf(...origins), faults);
  });

test('an address of the cluster is a loop', () => {
  const [fault] = checkOrigins(
    { origins: [entry({ pool: [{ origin: '8.8.8.8' }] })] },
    { exemptions: [], own: [parsePrefix('8.8.8.0/24')] },
  );
  assert.is(fault.code, 'origin_loop');
});

test('the longest match wins, the name before the path', () => {
  const all = [
    { name: '*', path: '/' },
    { name: '*', path: '/api' },
    { name: 'www', path: '/' },
    { name: '*.dev', path: '/' },
    { name: '*.x.dev', path: '/' },
    { label: 'rules' },
    { path: '/api/v2' },
  ];
  const found = (name: string, path: string) =>
    entriesFor(all, name).find((candidate) => matchesPath(candidate.path ?? '/', path));
  assert.is(found('@', '/'), all[0]);
  assert.is(found('@', '/api?x'), all[1]);
  assert.is(found('@', '/api/v2/'), all[6]);
  assert.is(found('@', '/apis'), all[0]);
  assert.is(found('www', '/api'), all[2]);
  assert.is(found('a.dev', '/'), all[3]);
  assert.is(found('a.x.dev', '/'), all[4]);
  assert.is(found('dev', '/'), all[0]);
});

test('a path matches whole segments', () => {
  for (const [prefix, path, expected] of [
    ['/', '*', true],
    ['/a', '/a', true],
    ['/a', '/a/b', true],
    ['/a', '/a?b', true],
    ['/a', '/ab', false],
    ['/a/', '/a/b', true],
    ['/a/', '/a', false],
  ] as const)
    assert.is(matchesPath(prefix, path), expected, `${prefix} ${path}`);
});

test('an origin is down after `fall` failures in a row, and up after `rise` successes', () => {
  const rule = { rise: 2, fall: 3 };
  const states = (results: string, from: HealthState = UNKNOWN): string => {
    let state = from;
    return [...results]
      .map((result) => {
        state = afterCheck(state, result === '+', rule);
        return state.isUp === null ? '?' : state.isUp ? 'u' : 'd';
      })
      .join('');
  };
  assert.is(states('+--+---'), 'uuuuuud');
  assert.is(states('--+'), '??u');
  assert.is(states('---+-++'), '??ddddu');
});

test('the value of a cookie is opaque, and depends on key, domain and origin', () => {
  const key = Buffer.alloc(32, 1);
  const token = stickyToken(key, '7', originKey({ origin: 'a.example.net' }));
  assert.match(token, /^[A-Za-z0-9_-]{16}$/);
  assert.is(token, stickyToken(key, '7', originKey({ origin: 'A.example.net', port: 443 })));
  assert.is.not(token, stickyToken(key, '8', originKey({ origin: 'a.example.net' })));
  assert.is.not(token, stickyToken(Buffer.alloc(32, 2), '7', originKey({ origin: 'a.example.net' })));
});

test('reads a cookie in any line', () => {
  assert.is(cookieValue(['cookie', 'a=1; b=2;  o=3 ; c=4'], 'o'), '3');
  assert.is(cookieValue(['x', 'o=1', 'cookie', 'xo=1; o=2'], 'o'), '2');
  assert.is(cookieValue(['cookie', 'xo=1; ox=2; a="o=5"'], 'o'), undefined);
});

test('defaults fill what is omitted', () => {
  assert.equal(healthOf(entry({ health: { interval: 30 } })), {
    ...{ path: '/', status: null, interval: 30, timeout: 5, rise: 2, fall: 3 },
  });
  assert.is(healthOf(entry()), null);
});

test.run();
