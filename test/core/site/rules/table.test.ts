/** Two hundred cases of rules: matches, orders and changes. Each also agrees with the reference. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  checkRules,
  type Rule,
  type RuleMatch,
  RuleSet,
  type RulesDocument,
} from '../../../../core/site/rules/index.ts';
import { interpret, type Outcome } from '../../../reference/rules.ts';
import { outcomeOf, requestOf } from './request.ts';

const test = suite('table of rules');
let cases = 0;

interface MatchRow {
  readonly match: RuleMatch;
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

/** Requests: see request.ts. */
const MATCHES: readonly MatchRow[] = [
  { match: {}, yes: ['/', 'POST /', '/ | from ::1'], no: [] },
  {
    match: { host: ['www.example.com'] },
    yes: ['https://www.example.com/', 'http://www.example.com/x'],
    no: ['https://example.com/', 'https://a.www.example.com/', 'https://wwwxexample.com/'],
  },
  {
    match: { host: ['*.example.com'] },
    yes: ['https://www.example.com/', 'https://a.b.example.com/'],
    no: ['https://example.com/', 'https://badexample.com/', 'https://example.com.evil.test/'],
  },
  { match: { host: ['WWW.Example.com'] }, yes: ['https://www.example.com/'], no: ['https://example.com/'] },
  {
    match: { path: { exact: ['/admin'] } },
    yes: ['/admin', '/admin?x=/', '/%61dmin', '/%61%64%6D%69%6E', '//admin', '/./admin', '/x/../admin', '/\\admin'],
    no: ['/admin/', '/Admin', '/administrator', '/x?/admin', '/%2561dmin', '/admin%00', '/admin;x'],
  },
  {
    match: { path: { prefix: ['/admin/', '/internal/'] } },
    yes: ['/admin/', '/admin/x?y', '/internal/a', '//admin//x', '/admin%2Fx', '/a/..//admin/b', '/%2e/admin/'],
    no: ['/admin', '/x/admin/', '/adminx/', '/?/admin/', '/admin/../x', '/admin/%2e%2e/x'],
  },
  {
    match: { path: { suffix: ['.php', '.cgi'] } },
    yes: ['/a.php', '/.cgi', '/a.php?b', '/a%2Ephp', '/a.%70hp'],
    no: ['/a.PHP', '/a.php/', '/a.phpx', '/?a.php'],
  },
  {
    match: { path: { suffix: ['.PHP'], ignore_case: true } },
    yes: ['/a.php', '/a.PHP', '/a.pHp'],
    no: ['/a.ph', '/a.php5'],
  },
  { match: { path: { contains: ['/.git', '/.env'] } }, yes: ['/.git', '/a/.environment'], no: ['/git', '/a.env', '/'] },
  {
    match: { path: { contains: ['one', 'two', 'three', 'four', 'five', 'six'] } },
    yes: ['/one', '/xsixx', '/fivefour'],
    no: ['/on', '/seven', '/tw/o'],
  },
  {
    match: { path: { glob: ['/shop/*/buy'] } },
    yes: ['/shop/a/buy', '/shop//a/buy'],
    no: ['/shop/a/b/buy', '/shop/buy', '/shop/a/buy/'],
  },
  { match: { path: { glob: ['/a/**/z'] } }, yes: ['/a/b/z', '/a/b/c/z'], no: ['/a/z', '/a/b/zz'] },
  { match: { path: { glob: ['/v?/x'] } }, yes: ['/v1/x', '/v2/x'], no: ['/v/x', '/v10/x'] },
  {
    match: { path: { regex: ['^/u/\\d+$'] } },
    yes: ['/u/1', '/u/12345?x', '/u/%31'],
    no: ['/u/', '/u/a', '/u/1/', '/x/u/1'],
  },
  {
    match: { path: { regex: ['\\.(jpe?g|png)$'] } },
    yes: ['/a.jpg', '/a.jpeg', '/b.png'],
    no: ['/a.gif', '/png', '/a.jpg/'],
  },
  { match: { path: { regex: ['(?i)^/login'] } }, yes: ['/LOGIN', '/loginx'], no: ['/x/login', '/log'] },
  {
    match: { path: { exact: ['/a'], prefix: ['/b/'], regex: ['c$'] } },
    yes: ['/a', '/b/x', '/xc'],
    no: ['/ab', '/b', '/cx'],
  },
  { match: { path: { exact: ['/a b'] } }, yes: ['/a%20b'], no: ['/a+b', '/a%2520b'] },
  { match: { method: ['POST', 'PUT'] }, yes: ['POST /', 'PUT /x'], no: ['GET /', 'DELETE /'] },
  {
    match: { client: ['192.0.2.0/24', '2001:db8::/32', '203.0.113.5'] },
    yes: ['/ | from 192.0.2.255', '/ | from 2001:db8:ffff::1', '/ | from 203.0.113.5'],
    no: ['/ | from 192.0.3.1', '/ | from 2001:db9::1', '/ | from 203.0.113.6', '/ | from ::1'],
  },
  { match: { client: ['0.0.0.0/0'] }, yes: ['/ | from 8.8.8.8'], no: ['/ | from 2001:db8::1'] },
  { match: { country: ['DE', 'AT'] }, yes: ['/ | in DE', '/ | in AT'], no: ['/ | in FR', '/'] },
  {
    match: { header: [{ name: 'User-Agent', contains: ['bot'], ignore_case: true }] },
    yes: ['/ | user-agent: Googlebot/2.1', '/ | user-agent: BOT', '/ | user-agent: x | user-agent: bot'],
    no: ['/', '/ | user-agent: Mozilla', '/ | x-user-agent: bot'],
  },
  { match: { header: [{ name: 'x-a' }] }, yes: ['/ | x-a: 1', '/ | x-a: '], no: ['/', '/ | x-b: 1'] },
  { match: { header: [{ name: 'x-a', absent: true }] }, yes: ['/', '/ | x-b: 1'], no: ['/ | x-a: 1'] },
  {
    match: {
      header: [
        { name: 'x-a', exact: ['1'] },
        { name: 'x-b', prefix: ['2'] },
      ],
    },
    yes: ['/ | x-a: 1 | x-b: 23'],
    no: ['/ | x-a: 1', '/ | x-a: 1 | x-b: 3', '/ | x-a: 11 | x-b: 2'],
  },
  {
    match: { header: [{ name: 'x-a', exact: ['1'], absent: true }] },
    yes: ['/', '/ | x-a: 2'],
    no: ['/ | x-a: 1', '/ | x-a: 2 | x-a: 1'],
  },
  {
    match: { cookie: [{ name: 'session' }] },
    yes: [
      '/ | cookie: session=1',
      '/ | cookie: a=b; session=',
      '/ | cookie: session',
      '/ | cookie: a=1 | cookie: session=2',
    ],
    no: ['/', '/ | cookie: xsession=1', '/ | cookie: a=session', '/ | cookie: session2=1', '/ | cookie: Session=1'],
  },
  {
    match: { cookie: [{ name: 'wp_*', prefix: ['in'] }] },
    yes: ['/ | cookie: wp_a=in', '/ | cookie: x=1;wp_=inside'],
    no: ['/ | cookie: wp=in', '/ | cookie: wp_a=out', '/ | cookie: a_wp_=in'],
  },
  { match: { cookie: [{ name: 'a', absent: true }] }, yes: ['/', '/ | cookie: b=1'], no: ['/ | cookie: b=1; a=2'] },
  {
    match: { query: [{ name: 'q', exact: ['a b'] }] },
    yes: ['/?q=a+b', '/?q=a%20b', '/?x&q=a+b', '/?%71=a%20b'],
    no: ['/?q=a', '/?xq=a+b', '/?q', '/', '/?Q=a+b'],
  },
  {
    match: { query: [{ name: 'debug' }] },
    yes: ['/?debug', '/?debug=0', '/?a=1&debug='],
    no: ['/', '/?debugx=1', '/?a=debug'],
  },
  { match: { query: [{ name: 'utm_*' }] }, yes: ['/?utm_source=x', '/?a&utm_=1'], no: ['/?utm=1', '/?a=utm_x'] },
  {
    match: { method: ['POST'], path: { exact: ['/login'] }, client: ['192.0.2.0/24'] },
    yes: ['POST /login | from 192.0.2.9'],
    no: ['GET /login | from 192.0.2.9', 'POST /logout | from 192.0.2.9', 'POST /login | from 198.51.100.1'],
  },
];

function check(document: RulesDocument, text: string): Outcome {
  assert.equal(checkRules(document), []);
  const request = requestOf(text);
  const outcome = outcomeOf(new RuleSet(document), request);
  assert.equal(outcome, interpret(document, request));
  cases++;
  return outcome;
}

for (const { match, yes, no } of MATCHES)
  test(JSON.stringify(match), () => {
    const rule: Rule = { match, action: { type: 'deny' } };
    for (const text of yes) assert.is(check({ rules: [rule] }, text).stoppedBy, 0, `${text} matches`);
    for (const text of no) assert.is(check({ rules: [rule] }, text).stoppedBy, null, `${text} does not match`);
  });

const deny = { type: 'deny' } as const;
const allow = { type: 'allow' } as const;
const forwardTo = (copy_headers: string[]) => ({
  type: 'authenticate' as const,
  forward: { url: 'https://auth.example/', copy_headers },
});
const at = (path: string): RuleMatch => ({ path: { prefix: [path] } });
const set = (value: string): Rule => ({ action: { type: 'set_response_header', name: 'X-A', value } });

interface OrderRow {
  readonly rules: readonly Rule[];
  readonly request: string;
  readonly expected: Partial<Outcome>;
}

const ORDERS: readonly OrderRow[] = [
  { rules: [], request: '/', expected: { stoppedBy: null, matched: [] } },
  { rules: [{ action: allow }, { action: deny }], request: '/', expected: { stoppedBy: 0, matched: [0] } },
  { rules: [{ action: deny }, { action: allow }], request: '/', expected: { stoppedBy: 0 } },
  { rules: [{ match: at('/x'), action: allow }, { action: deny }], request: '/y', expected: { stoppedBy: 1 } },
  { rules: [{ enabled: false, action: deny }], request: '/', expected: { stoppedBy: null, matched: [] } },
  { rules: [{ dry_run: true, action: deny }], request: '/', expected: { stoppedBy: null, matched: [0] } },
  { rules: [{ dry_run: true, ...set('1') }], request: '/', expected: { responseHeaders: {}, matched: [0] } },
  { rules: [{ except: at('/x'), action: deny }], request: '/x', expected: { stoppedBy: null, matched: [] } },
  { rules: [{ except: at('/x'), action: deny }], request: '/y', expected: { stoppedBy: 0 } },
  { rules: [{ match: at('/a'), except: at('/a/b'), action: deny }], request: '/a/c', expected: { stoppedBy: 0 } },
  { rules: [{ match: at('/a'), except: at('/a/b'), action: deny }], request: '/a/b', expected: { stoppedBy: null } },
  { rules: [set('1'), set('2')], request: '/', expected: { responseHeaders: { 'x-a': '2' } } },
  {
    rules: [set('1'), { action: { type: 'remove_response_header', name: 'x-a' } }],
    request: '/',
    expected: { responseHeaders: { 'x-a': null } },
  },
  { rules: [set('1'), { action: allow }, set('2')], request: '/', expected: { responseHeaders: { 'x-a': '1' } } },
  {
    rules: [{ action: { type: 'set_request_header', name: 'X-A', value: '1' } }, set('2')],
    request: '/',
    expected: { requestHeaders: { 'x-a': '1' }, responseHeaders: { 'x-a': '2' } },
  },
  {
    rules: [{ action: { type: 'cache', ttl: 5 } }, { action: { type: 'bypass_cache' } }],
    request: '/',
    expected: { cache: 'bypass' },
  },
  {
    rules: [{ action: { type: 'bypass_cache' } }, { action: { type: 'cache', ttl: 5, override: true } }],
    request: '/',
    expected: { cache: { ttl: 5, override: true, max: -1 } },
  },
  {
    rules: [{ match: at('/a/'), action: { type: 'rewrite', path: '/b/{rest}' } }],
    request: '/a/c?d=1',
    expected: { target: '/b/c?d=1' },
  },
  {
    rules: [{ match: at('/a/'), action: { type: 'rewrite', path: '/b?c={rest}' } }],
    request: '/a/x?d=1',
    expected: { target: '/b?c=x' },
  },
  {
    // Conditions see the path of the visitor.
    rules: [
      { match: at('/a'), action: { type: 'rewrite', path: '/b' } },
      { match: at('/b'), action: deny },
    ],
    request: '/a',
    expected: { stoppedBy: null, target: '/b' },
  },
  {
    rules: [{ action: { type: 'rewrite', path: '/{host}{path}' } }],
    request: '/a',
    expected: { target: '/www.example.com/a' },
  },
  {
    rules: [{ action: { type: 'limit_upload', size: 9 } }, { action: { type: 'buffer_upload', size: 0 } }],
    request: 'POST /',
    expected: { uploads: { maxSize: 9, buffer: 0 } },
  },
  { rules: [{ action: { type: 'no_compression' } }], request: '/', expected: { isUncompressed: true } },
  {
    rules: [{ action: { type: 'origin', name: 'a' } }, { match: at('/x'), action: { type: 'origin', name: 'b' } }],
    request: '/x',
    expected: { origin: 'b' },
  },
  {
    rules: [{ action: { type: 'limit', requests: 1, period: 1 } }, { action: deny }],
    request: '/',
    expected: { stoppedBy: 1, matched: [0, 1] },
  },
  { rules: [{ action: { type: 'challenge' } }, set('1')], request: '/', expected: { responseHeaders: { 'x-a': '1' } } },
  {
    rules: [{ action: { type: 'maintenance' } }, set('1')],
    request: '/',
    expected: { stoppedBy: 0, responseHeaders: {} },
  },
];

for (const { rules, request, expected } of ORDERS)
  test(`${JSON.stringify(rules)} and ${request}`, () => {
    const outcome = check({ rules }, request);
    for (const [name, value] of Object.entries(expected)) assert.equal(outcome[name as keyof Outcome], value, name);
  });

interface FaultRow {
  readonly rule: Rule;
  readonly message: RegExp;
}

const FAULTS: readonly FaultRow[] = [
  { rule: { match: { host: [] }, action: deny }, message: /match\.host is empty/ },
  { rule: { match: { host: ['a b'] }, action: deny }, message: /match\.host\.0 "a b" is not a host name; write www/ },
  { rule: { match: { method: ['get'] }, action: deny }, message: /write it in capitals/ },
  { rule: { match: { path: {} }, action: deny }, message: /match\.path has no list; add exact/ },
  { rule: { match: { path: { exact: ['a'] } }, action: deny }, message: /must start with "\/"/ },
  { rule: { match: { path: { prefix: ['/a?b'] } }, action: deny }, message: /without the query; use query/ },
  {
    rule: { match: { client: ['10.0.0.0/8', '192.0.2.1/24'] }, action: deny },
    message: /match\.client\.1 "192\.0\.2\.1\/24" has bits set .+ write 192\.0\.2\.0\/24\.$/,
  },
  {
    rule: { match: { path: { glob: ['/*'], regex: ['^/a', '^/(b'] } }, action: deny },
    message: /: match\.path\.regex\.1 has a "\(" without "\)" \(character \d\)\.$/,
  },
  {
    rule: { except: { path: { glob: ['/*', 'a\\'] } }, action: deny },
    message: /: except\.path\.glob\.1 ends with a single backslash\.$/,
  },
  {
    rule: { match: { header: [{ name: 'a' }, { name: 'b', regex: ['b', '+'] }] }, action: deny },
    message: /: match\.header\.1\.regex\.1 has nothing before "\+" to repeat/,
  },
  // Of all patterns together.
  {
    rule: { match: { path: { regex: ['c', '(a|b)*a.{20}'] }, host: ['a.test'] }, action: deny },
    message: /: match\.path is too complex to match in one pass/,
  },
  { rule: { match: { header: [{ name: 'a b' }] }, action: deny }, message: /is not a header name/ },
  { rule: { match: { cookie: [{ name: 'a*b' }] }, action: deny }, message: /"\*" only at its end/ },
  { rule: { except: {}, action: deny }, message: /except is empty, so that the rule would never apply/ },
  { rule: { action: { type: 'deny', status: 200 } }, message: /status must be 400 to 499/ },
  { rule: { action: { type: 'respond', body: '', status: 302 } }, message: /status must be 200, or 400 to 599/ },
  { rule: { action: { type: 'respond', body: '', content_type: 'text' } }, message: /is not a media type/ },
  { rule: { action: { type: 'respond', body: '', content_type: 'a/b\r\nx: y' } }, message: /is not a media type/ },
  { rule: { action: { type: 'authenticate' } }, message: /action needs one of forward, jwt, oidc and certificate/ },
  { rule: { action: forwardTo(['Remote-User', 'remote-user']) }, message: /"remote-user" is there twice/ },
  { rule: { action: forwardTo(['Cookie']) }, message: /is the cookie of the visitor/ },
  { rule: { action: forwardTo(['Host']) }, message: /set by the edge itself/ },
  { rule: { action: forwardTo(['a b']) }, message: /"a b" is not a header name/ },
  { rule: { action: { type: 'redirect', location: '//evil.test' } }, message: /must be a path/ },
  { rule: { action: { type: 'redirect', location: 'https://{rest}/' } }, message: /needs a host/ },
  { rule: { action: { type: 'redirect', location: 'https://a.test{rest}' } }, message: /needs a host/ },
  { rule: { action: { type: 'redirect', location: '/{x}' } }, message: /unknown placeholder \{x\}/ },
  { rule: { action: { type: 'redirect', location: '/{1}' } }, message: /no match\.path\.regex/ },
  { rule: { action: { type: 'redirect', location: '/a\r\nx: y' } }, message: /visible ASCII/ },
  { rule: { action: { type: 'rewrite', path: 'a' } }, message: /must start with "\/"/ },
  { rule: { action: { type: 'buffer_upload', size: 10_485_761 } }, message: /must be at most 10485760 bytes/ },
  { rule: { action: { type: 'set_request_header', name: 'Host', value: 'a' } }, message: /set by the edge itself/ },
  {
    rule: { action: { type: 'set_response_header', name: 'X-A', value: '{client.adress}' } },
    message: /unknown placeholder \{client\.adress\}; known are .*\{client\.ip\}/,
  },
  {
    rule: { action: { type: 'set_request_header', name: 'X-A', value: '{1}' } },
    message: /has no match\.path\.regex/,
  },
  {
    rule: { action: { type: 'redirect', location: '/{client.ip}' } },
    message: /unknown placeholder \{client\.ip\}; known are \{scheme\}.*\{9\}\.$/,
  },
  { rule: { action: { type: 'set_response_header', name: 'Content-Length', value: '1' } }, message: /by the edge/ },
  { rule: { action: { type: 'set_response_header', name: 'X-A', value: 'a\nb' } }, message: /visible ASCII/ },
  { rule: { action: { type: 'limit', requests: 1, period: 1, by: 'x' } }, message: /address, network, header:NAME/ },
  { rule: { action: { type: 'cache' } }, message: /does nothing; add ttl, max_ttl or key/ },
  { rule: { action: { type: 'cache', ttl: 5, override: true, max_ttl: 5 } }, message: /max_ttl has no effect/ },
  { rule: { action: { type: 'cache', key: { headers: ['Cookie'] } } }, message: /secret of a visitor/ },
  { rule: { action: { type: 'basic_auth', users: [{ name: 'a', hash: 'x' }] } }, message: /not an argon2id hash/ },
  {
    rule: {
      action: {
        type: 'basic_auth',
        users: [{ name: 'a', hash: '$argon2id$v=19$m=65536,t=11,p=4$AAAAAAAAAAA$AAAAAAAAAAA' }],
      },
    },
    message: /costs more than m=65536/,
  },
  {
    rule: {
      action: {
        type: 'basic_auth',
        users: [{ name: 'a', hash: '$argon2id$v=19$m=65536,t=5,p=4$AAAAAAAAAAA$AAAAAAAAAAA' }],
      },
    },
    message: /costs more than m·t=262144; use m=65536,t=3/,
  },
  { rule: { action: { type: 'basic_auth', users: [{ name: 'a:b', hash: '' }] } }, message: /no colon/ },
];

for (const { rule, message } of FAULTS)
  test(`the fault of ${JSON.stringify(rule)}`, () => {
    const [fault] = checkRules({ rules: [{ action: allow }, { name: 'N', ...rule }] });
    assert.match(fault.message, message);
    assert.match(fault.message, /^Rule 2 \(N\): /);
    assert.match(fault.pointer, /^\/rules\/1\//);
    // Both name the same field.
    const field = fault.pointer.slice('/rules/1/'.length).replaceAll('/', '.');
    assert.ok(fault.message.startsWith(`Rule 2 (N): ${field} `), `${fault.pointer}: ${fault.message}`);
    cases++;
  });

test('there are two hundred cases', () => {
  assert.ok(cases >= 200, String(cases));
});

test.run();
