import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, type Daemon, type Json, listOf, startDaemon } from '../../daemon.ts';

interface Zone {
  readonly domain: string;
  add(name: string, type: string, content: string, more?: object): Promise<Answer>;
  put(id: Json | string, json: object): Promise<Answer>;
  list(query?: string): Promise<Json[]>;
  path: string;
}

let daemon: Daemon;
let zones = 0;

async function zone(name = `z${++zones}.example.net`): Promise<Zone> {
  const { body } = await daemon.call('POST', '/api/v1/domains', { json: { domain: name } });
  const path = `/api/v1/domains/${body.domain.id}/records`;
  return {
    path,
    domain: name,
    add: (owner, type, content, more = {}) =>
      daemon.call('POST', path, { json: { name: owner, type, content, ...more } }),
    put: (id, json) => daemon.call('PUT', `${path}/${id}`, { json }),
    list: async (query = '') => listOf((await daemon.call('GET', `${path}${query}`)).body.records),
  };
}

const test = suite('records');
test.before(async () => {
  daemon = await startDaemon();
});
test.after(() => daemon.stop());

const outcome = ({ status, body }: Answer): string => (status === 200 ? 'ok' : `${status} ${body.error.code}`);

/** Forms of owner names in a zone `<zone>`. */
const OWNERS: readonly (readonly [given: string, shown: string])[] = [
  ['www', 'www'],
  ['WWW2', 'www2'],
  ['@', '@'],
  ['', '@'],
  ['<zone>', '@'],
  ['<zone>.', '@'],
  ['a.<zone>', 'a'],
  ['b.<ZONE>.', 'b'],
  ['*', '*'],
  ['*.wild', '*.wild'],
  ['_dmarc', '_dmarc'],
  ['bücher', 'xn--bcher-kva'],
  ['_x.bücher', '_x.xn--bcher-kva'],
  ['a\\.b', 'a\\.b'],
  ['１', '1'],
];

test('accepts owner names in every form and returns the relative one', async () => {
  const { add, domain } = await zone();
  for (const [given, shown] of OWNERS) {
    const name = given.replace('<zone>', domain).replace('<ZONE>', domain.toUpperCase());
    const answer = await add(name, 'TXT', `"${given}"`);
    assert.is(outcome(answer), 'ok', `${name}: ${answer.text}`);
    assert.is(answer.body.record.name, shown as never);
  }
});

const CONTENTS: readonly (readonly [type: string, content: string, canonical: string, data: object, more?: object])[] =
  [
    ['A', '192.0.2.1', '192.0.2.1', { address: '192.0.2.1' }],
    ['AAAA', '2001:DB8:0:0::1', '2001:db8::1', { address: '2001:db8::1' }],
    ['CNAME', 'target.example.org', 'target.example.org.', { target: 'target.example.org.' }],
    ['CNAME', 'bücher.example.', 'xn--bcher-kva.example.', { target: 'xn--bcher-kva.example.' }],
    ['MX', '10 mail.example.org', '10 mail.example.org.', { priority: 10, target: 'mail.example.org.' }],
    ['MX', 'mail.example.org', '20 mail.example.org.', { priority: 20, target: 'mail.example.org.' }, { priority: 20 }],
    ['MX', '5 mail.example.org', '5 mail.example.org.', { priority: 5, target: 'mail.example.org.' }, { priority: 5 }],
    ['MX', '0 .', '0 .', { priority: 0, target: '.' }],
    [
      'SRV',
      '10 5 5060 sip.example.org',
      '10 5 5060 sip.example.org.',
      { priority: 10, weight: 5, port: 5060, target: 'sip.example.org.' },
    ],
    [
      'SRV',
      '5 5060 sip.example.org',
      '1 5 5060 sip.example.org.',
      { priority: 1, weight: 5, port: 5060, target: 'sip.example.org.' },
      { priority: 1 },
    ],
    ['TXT', 'v=spf1 -all', '"v=spf1 -all"', { strings: ['v=spf1 -all'], text: 'v=spf1 -all' }],
    ['TXT', '"a" "b"', '"a" "b"', { strings: ['a', 'b'], text: 'ab' }],
    ['CAA', '0 issue "ca.example"', '0 issue "ca.example"', { flags: 0, tag: 'issue', value: 'ca.example' }],
    ['NS', 'ns.example.org', 'ns.example.org.', { target: 'ns.example.org.' }],
    ['PTR', 'host.example.org', 'host.example.org.', { target: 'host.example.org.' }],
    ['ALIAS', 'Bücher.Example', 'xn--bcher-kva.example.', { target: 'xn--bcher-kva.example.' }],
    ['MX', '10 bücher.example', '10 xn--bcher-kva.example.', { priority: 10, target: 'xn--bcher-kva.example.' }],
    ['TXT', 'bücher', '"b\\195\\188cher"', { strings: ['bücher'], text: 'bücher' }],
    // Some clients send a priority with every type.
    ['CNAME', 'target.example.org', 'target.example.org.', { target: 'target.example.org.' }, { priority: 0 }],
    [
      'HTTPS',
      '1 @ alpn=h2,h3 no-default-alpn port=8443 ipv4hint=192.0.2.1',
      '1 <zone>. alpn="h2,h3" no-default-alpn port=8443 ipv4hint=192.0.2.1',
      {
        priority: 1,
        target: '<zone>.',
        params: { alpn: ['h2', 'h3'], no_default_alpn: true, port: 8443, ipv4hint: ['192.0.2.1'] },
      },
      { priority: 5 },
    ],
    [
      'SVCB',
      '0 bücher.example',
      '0 xn--bcher-kva.example.',
      { priority: 0, target: 'xn--bcher-kva.example.', params: {} },
    ],
    [
      'NAPTR',
      '100 10 "s" "SIP+D2U" "" _sip._udp.bücher.example',
      '100 10 "s" "SIP+D2U" "" _sip._udp.xn--bcher-kva.example.',
      {
        order: 100,
        preference: 10,
        flags: 's',
        services: 'SIP+D2U',
        regexp: '',
        replacement: '_sip._udp.xn--bcher-kva.example.',
      },
    ],
    [
      'URI',
      '10 1 "https://a.example/"',
      '10 1 "https://a.example/"',
      { priority: 10, weight: 1, target: 'https://a.example/' },
    ],
    [
      'LOC',
      '52 22 23 N 4 53 32 E -2m',
      '52 22 23.000 N 4 53 32.000 E -2.00m 1.00m 10000.00m 10.00m',
      {
        latitude: (52 * 3600 + 22 * 60 + 23) / 3600,
        longitude: (4 * 3600 + 53 * 60 + 32) / 3600,
        altitude: -2,
        size: 1,
        horizontal_precision: 10_000,
        vertical_precision: 10,
      },
    ],
    ['TYPE65280', '\\# 2 abcd', '\\# 2 abcd', { rdata: 'abcd' }],
  ];

test('accepts contents in every form and returns the canonical one', async () => {
  const { add, domain } = await zone();
  for (const [i, [type, content, canonical, data, more]] of CONTENTS.entries()) {
    const answer = await add(`n${i}`, type, content, more);
    assert.is(outcome(answer), 'ok', `${type} ${content}: ${answer.text}`);
    assert.equal(
      [answer.body.record.content, answer.body.record.data],
      JSON.parse(JSON.stringify([canonical, data]).replaceAll('<zone>', domain)),
    );
    assert.is(answer.body.record.type, type as never);
  }
});

const BAD: readonly (readonly [record: object, code: string, pointer: string])[] = [
  [{ name: 7 }, 'validation', '/name'],
  [{ content: 1 }, 'validation', '/content'],
  [{ content: null }, 'validation', '/content'],
  [{ type: undefined }, 'validation', '/type'],
  [{ ttl: '300' }, 'validation', '/ttl'],
  [{ ttl: 30.5 }, 'validation', '/ttl'],
  [{ ttl: 0 }, 'invalid_ttl', '/ttl'],
  [{ ttl: 29 }, 'invalid_ttl', '/ttl'],
  [{ ttl: 604_801 }, 'invalid_ttl', '/ttl'],
  [{ ttl: -1 }, 'invalid_ttl', '/ttl'],
  [{ ttl: 1e300 }, 'invalid_ttl', '/ttl'],
  [{ type: 'MX', content: 'mail.example.org', priority: 70_000 }, 'validation', '/priority'],
  [{ type: 'MX', content: '10 mail.example.org', priority: 20 }, 'invalid_content', '/priority'],
  [{ type: 'NOPE' }, 'invalid_type', '/type'],
  [{ type: 'ANY' }, 'invalid_type', '/type'],
  [{ type: 'AXFR' }, 'invalid_type', '/type'],
  [{ type: 'OPT' }, 'invalid_type', '/type'],
  [{ type: 'TYPE0' }, 'invalid_type', '/type'],
  [{ type: 'ALIAS', content: 'a..example.org' }, 'invalid_name', '/content'],
  [{ type: 'HTTPS', content: '1 . port=1 port=2' }, 'invalid_content', '/content'],
  [{ type: 'SVCB', content: '1 . mandatory=alpn' }, 'invalid_content', '/content'],
  [{ type: 'LOC', content: '91 N 0 E 0' }, 'invalid_content', '/content'],
  [{ type: 'CAA', content: '0 issue "ca.example policy=ev"' }, 'invalid_content', '/content'],
  [{ type: 'SOA', content: 'a. b. 1 2 3 4 5' }, 'soa_is_ours', '/type'],
  [{ type: 'DNSKEY', content: '257 3 13 AQID' }, 'dnssec_is_ours', '/type'],
  [{ type: 'NSEC', content: 'b.example.org A' }, 'dnssec_is_ours', '/type'],
  [{ type: 'CDS', content: '0 0 0 00' }, 'dnssec_is_ours', '/type'],
  [{ type: 'TYPE46', content: '\\# 0' }, 'invalid_content', '/content'],
  [{ name: '@', type: 'NS', content: 'ns.example.org' }, 'apex_ns_is_ours', '/type'],
  [
    { name: '@', type: 'DS', content: '1 8 2 E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855' },
    'ds_at_apex',
    '/name',
  ],
  [{ name: '*', type: 'NS', content: 'ns.example.org' }, 'ns_at_wildcard', '/name'],
  [{ name: 'a.*.b' }, 'invalid_name', '/name'],
  [{ name: '*.*' }, 'invalid_name', '/name'],
  [{ name: 'a..b' }, 'invalid_name', '/name'],
  [{ name: 'other.example.org.' }, 'name_outside', '/name'],
  [{ name: 'a'.repeat(64) }, 'invalid_name', '/name'],
  [{ name: 'abcdefgh.'.repeat(30) }, 'invalid_name', '/name'],
  [{ name: 'a b' }, 'invalid_host', '/name'],
  [{ name: '-a' }, 'invalid_host', '/name'],
  [{ name: '\ud800' }, 'invalid_name', '/name'],
  [{ name: '\u0000' }, 'invalid_host', '/name'],
  [{ content: '192.0.2.01' }, 'invalid_content', '/content'],
  [{ content: '' }, 'invalid_content', '/content'],
  [{ content: '192.0.2.1 192.0.2.2' }, 'invalid_content', '/content'],
  [{ content: '\ud800' }, 'invalid_content', '/content'],
  [{ type: 'MX', content: 'mail.example.org' }, 'invalid_content', '/content'],
  [{ type: 'MX', content: '10 a_b-.example.org' }, 'invalid_host', '/content'],
  [{ type: 'MX', content: '10 192.0.2.1' }, 'invalid_host', '/content'],
  [{ type: 'CNAME', content: '192.0.2.1' }, 'invalid_host', '/content'],
  [{ type: 'ALIAS', content: '192.0.2.1.' }, 'invalid_host', '/content'],
  [{ type: 'ALIAS', content: '.' }, 'invalid_host', '/content'],
  [{ type: 'MX', content: '10 mail.example.net x' }, 'invalid_content', '/content'],
  [{ type: 'NS', content: '.' }, 'invalid_host', '/content'],
  [{ type: 'CNAME', content: 'a..b' }, 'invalid_name', '/content'],
];

test('rejects invalid records with a code and a pointer', async () => {
  const { path, list } = await zone();
  for (const [more, code, pointer] of BAD) {
    const answer = await daemon.call('POST', path, { json: { name: 'x', type: 'A', content: '192.0.2.1', ...more } });
    const expected = [422, code, pointer];
    const got = [answer.status, String(answer.body.error?.code), String(answer.body.error?.pointer)];
    assert.equal(got, expected, `${JSON.stringify(more)}: ${answer.text}`);
  }
  assert.is((await list()).length, 0);
});

type Step = readonly [name: string, type: string, content: string, outcome: string];

/** Records created one after another in a new zone, with the results of the last ones. */
const SEQUENCES: readonly (readonly [title: string, ...steps: Step[]])[] = [
  [
    'the same twice',
    ['a', 'A', '192.0.2.1', 'ok'],
    ['A', 'A', '192.0.2.1', '409 record_exists'],
    ['a', 'A', '192.0.2.2', 'ok'],
  ],
  ['CNAME at the apex', ['@', 'CNAME', 'x.example.org', '409 cname_at_apex']],
  ['CNAME after others', ['a', 'TXT', 'x', 'ok'], ['a', 'CNAME', 'x.example.org', '409 cname_conflict']],
  ['others after CNAME', ['a', 'CNAME', 'x.example.org', 'ok'], ['a', 'A', '192.0.2.1', '409 cname_conflict']],
  ['two CNAMEs', ['a', 'CNAME', 'x.example.org', 'ok'], ['a', 'CNAME', 'y.example.org', '409 cname_conflict']],
  ['the same CNAME', ['a', 'CNAME', 'x.example.org', 'ok'], ['a', 'CNAME', 'x.example.org.', '409 record_exists']],
  ['wildcard CNAME', ['*', 'CNAME', 'x.example.org', 'ok'], ['a', 'A', '192.0.2.1', 'ok']],
  ['MX to a CNAME', ['c', 'CNAME', 'x.example.org', 'ok'], ['@', 'MX', '1 c.<zone>', '422 target_is_cname']],
  ['NS to a CNAME', ['c', 'CNAME', 'x.example.org', 'ok'], ['d', 'NS', 'c.<zone>', '422 target_is_cname']],
  [
    'SRV to a CNAME',
    ['c', 'CNAME', 'x.example.org', 'ok'],
    ['_s._tcp', 'SRV', '1 1 1 c.<zone>', '422 target_is_cname'],
  ],
  ['CNAME at a target', ['@', 'MX', '1 c.<zone>', 'ok'], ['c', 'CNAME', 'x.example.org', '409 cname_conflict']],
  ['CNAME at the target of a CNAME', ['a', 'CNAME', 'c.<zone>', 'ok'], ['c', 'CNAME', 'x.example.org', 'ok']],
  [
    'below a delegation',
    ['d', 'NS', 'ns.d.<zone>', 'ok'],
    ['ns.d', 'A', '192.0.2.1', 'ok'],
    ['ns.d', 'AAAA', '::1', 'ok'],
    ['x.d', 'TXT', 'x', '409 occluded'],
    ['a.b.d', 'CNAME', 'x.example.org', '409 occluded'],
    ['y.d', 'NS', 'ns.example.org', '409 occluded'],
  ],
  [
    'at a delegation',
    ['d', 'NS', 'ns.example.org', 'ok'],
    ['d', 'NS', 'ns2.example.org', 'ok'],
    ['d', 'DS', '1 8 2 E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855', 'ok'],
    ['d', 'A', '192.0.2.1', 'ok'],
    ['d', 'TXT', 'x', '409 occluded'],
    ['d', 'MX', '1 x.example.org', '409 occluded'],
  ],
  ['delegation over others', ['x.d', 'TXT', 'x', 'ok'], ['d', 'NS', 'ns.example.org', '409 occluded']],
  ['delegation at others', ['d', 'TXT', 'x', 'ok'], ['d', 'NS', 'ns.example.org', '409 occluded']],
  [
    'delegation over addresses',
    ['x.d', 'A', '192.0.2.1', 'ok'],
    ['d', 'A', '192.0.2.1', 'ok'],
    ['d', 'NS', 'x.d.<zone>', 'ok'],
  ],
  ['delegation next to it', ['dd', 'TXT', 'x', 'ok'], ['xd', 'TXT', 'x', 'ok'], ['d', 'NS', 'ns.example.org', 'ok']],
  [
    'DNAME hides',
    ['x.n', 'A', '192.0.2.1', 'ok'],
    ['n', 'DNAME', 'x.example.org', '409 occluded'],
    ['m', 'DNAME', 'x.example.org', 'ok'],
    ['y.m', 'A', '192.0.2.1', '409 occluded'],
    ['m', 'TXT', 'x', 'ok'],
  ],
  [
    'one DNAME',
    ['m', 'DNAME', 'x.example.org', 'ok'],
    ['m', 'DNAME', 'y.example.org', '409 dname_conflict'],
    ['m', 'CNAME', 'x.example.org', '409 cname_conflict'],
    ['m', 'NS', 'ns.example.org', '409 dname_conflict'],
  ],
  [
    'DNAME at the apex',
    ['@', 'DNAME', 'x.example.org', 'ok'],
    ['@', 'MX', '1 x.example.org', 'ok'],
    ['a', 'A', '192.0.2.1', '409 occluded'],
  ],
];

for (const [title, ...steps] of SEQUENCES)
  test(`records together: ${title}`, async () => {
    const { add, domain } = await zone();
    for (const [name, type, content, expected] of steps) {
      const answer = await add(name, type, content.replace('<zone>', domain));
      assert.is(outcome(answer), expected, `${name} ${type} ${content}: ${answer.text}`);
    }
  });

test('a delegation above more names than one page has', async () => {
  const { add } = await zone();
  await Promise.all(Array.from({ length: 450 }, (_, i) => add(`h${i}.d`, 'A', '192.0.2.1')));
  assert.is(outcome(await add('zzz.d', 'TXT', 'x')), 'ok');
  assert.is(outcome(await add('d', 'NS', 'ns.example.org')), '409 occluded');
});

test('a nested domain of the same account owns its names', async () => {
  const { add, domain } = await zone();
  await zone(`sub.${domain}`);
  assert.is(outcome(await add('a.sub', 'TXT', 'x')), '409 occluded');
  assert.is(outcome(await add('sub', 'TXT', 'x')), '409 occluded');
  assert.is(outcome(await add('sub', 'NS', 'ns.example.org')), 'ok');
  assert.is(
    outcome(await add('sub', 'DS', '1 8 2 E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855')),
    'ok',
  );
});

test('an RRset has one TTL: writing a record sets it for all', async () => {
  const { add, put, list } = await zone();
  const first = (await add('a', 'A', '192.0.2.1', { ttl: 600 })).body.record;
  await add('a', 'TXT', 'x', { ttl: 900 });
  assert.is((await add('a', 'A', '192.0.2.2')).body.record.ttl, 300 as never);
  assert.equal(
    (await list('?name=a&type=A')).map((record) => Number(record.ttl)),
    [300, 300],
  );
  await put(first.id, { name: 'a', type: 'A', content: '192.0.2.1', ttl: 1 });
  await put(first.id, { name: 'a', type: 'A', content: '192.0.2.3', ttl: 120 });
  assert.equal(
    (await list('?name=a&type=A')).map((record) => Number(record.ttl)),
    [120, 120],
  );
  assert.equal(
    (await list('?name=a&type=TXT')).map((record) => Number(record.ttl)),
    [900],
  );
});

test('PUT keeps the id and the creation time', async () => {
  const { add, put, list, path } = await zone();
  const { record } = (await add('a', 'A', '192.0.2.1', { ttl: 600 })).body;
  const moved = await put(record.id, { name: 'b.c', type: 'TXT', content: 'x' });
  assert.is(outcome(moved), 'ok', moved.text);
  const { id, name, type, ttl, created_at: created } = moved.body.record;
  assert.equal([id, name, type, ttl, created], [record.id, 'b.c', 'TXT', 600, record.created_at] as never);
  assert.equal(
    (await list()).map((entry) => String(entry.name)),
    ['b.c'],
  );
  // A record does not conflict with itself, but with another one.
  assert.is(outcome(await put(record.id, { name: 'b.c', type: 'TXT', content: 'x' })), 'ok');
  const other = (await add('b.c', 'TXT', 'y')).body.record;
  assert.is(outcome(await put(other.id, { name: 'b.c', type: 'TXT', content: 'x' })), '409 record_exists');
  assert.is(
    outcome(await put(other.id, { name: 'b.c', type: 'CNAME', content: 'x.example.org' })),
    '409 cname_conflict',
  );
  assert.is(
    outcome(await put(String(Number.MAX_SAFE_INTEGER), { name: 'q', type: 'A', content: '192.0.2.1' })),
    '404 no_such_record',
  );
  assert.is((await daemon.call('DELETE', `${path}/${other.id}`)).status, 200);
  assert.is((await daemon.call('DELETE', `${path}/${other.id}`)).status, 404);
  assert.is(outcome(await put(record.id, { name: 'b.c', type: 'CNAME', content: 'x.example.org' })), 'ok');
});

test('limits the size of an RRset and the types of a name', async () => {
  const { add } = await zone();
  const text = (i: number) => `${i} ${'x'.repeat(12_000)}`;
  for (let i = 0; i < 3; i++) assert.is(outcome(await add('t', 'TXT', text(i))), 'ok');
  assert.is(outcome(await add('t', 'TXT', text(3))), '422 rrset_too_large');
  assert.is(outcome(await add('u', 'TXT', 'x'.repeat(49_000))), '422 rrset_too_large');
  // Concurrent requests run one at a time and do not conflict.
  const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => add('many', `TYPE${1000 + i}`, '\\# 0')));
  assert.ok(answers.every((answer) => answer.status === 200));
  assert.is(outcome(await add('many', 'A', '192.0.2.1')), '422 too_many_types');
});

test('lists in pages and with filters', async () => {
  const { add, list, path, domain } = await zone();
  await Promise.all(Array.from({ length: 30 }, (_, i) => add(`h${String(i).padStart(2, '0')}`, 'A', `192.0.2.${i}`)));
  await add('@', 'MX', '10 mail.example.org');
  await add('h00', 'TXT', 'some text');
  const names: string[] = [];
  let cursor = '';
  do {
    const { body } = await daemon.call('GET', `${path}?limit=7${cursor}`);
    names.push(...listOf(body.records).map((record) => `${record.name} ${record.type}`));
    cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
  } while (cursor !== '');
  assert.is(names.length, 32);
  assert.is(new Set(names).size, 32);
  assert.is((await list('?name=h00')).length, 2);
  assert.is((await list('?name=h00&type=txt')).length, 1);
  assert.is((await list(`?name=H01.${domain}.`)).length, 1);
  assert.is((await list('?type=MX')).length, 1);
  assert.is((await list('?content=192.0.2.17')).length, 1);
  assert.is((await list('?content=some%20text')).length, 1);
  assert.is((await list('?content=%22some%20text%22')).length, 1);
  assert.is((await list('?content=mail.example.org')).length, 1);
  assert.is((await list('?content=10%20MAIL.example.org.')).length, 1);
  assert.is((await list('?content=nothing')).length, 0);
  assert.is((await list('?name=absent')).length, 0);
  for (const [query, status] of [
    ['?type=NOPE', 422],
    ['?name=a..b', 422],
    ['?limit=5000', 400],
    ['?cursor=AAAAAAAAAAA', 400],
  ] as const)
    assert.is((await daemon.call('GET', path + query)).status, status, query);
});

test('If-Match makes a write conditional', async () => {
  const { add, path } = await zone();
  await add('a', 'A', '192.0.2.1');
  const etag = (await daemon.call('GET', path)).headers.get('etag') ?? '';
  const json = { name: 'b', type: 'A', content: '192.0.2.1' };
  assert.is((await daemon.call('POST', path, { json, headers: { 'if-match': '"1"' } })).status, 412);
  // Of two writers with the same revision, one succeeds.
  const both = await Promise.all(
    ['c', 'd'].map((name) => daemon.call('POST', path, { json: { ...json, name }, headers: { 'if-match': etag } })),
  );
  assert.equal(both.map((answer) => answer.status).sort(), [200, 412]);
  assert.is((await daemon.call('POST', path, { json, headers: { 'if-match': '*' } })).status, 200);
});

test('of concurrent conflicting records, only one is created', async () => {
  const { add, list } = await zone();
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all([
      add(`r${round}`, 'CNAME', 'x.example.org'),
      add(`r${round}`, 'A', '192.0.2.1'),
      add(`r${round}`, 'CNAME', 'y.example.org'),
    ]);
    assert.is(answers.filter((answer) => answer.status === 200).length, 1);
    assert.is((await list(`?name=r${round}`)).length, 1);
  }
});

test('rejects fields outside the schema, including prototypes', async () => {
  const { path } = await zone();
  const send = (more: string) =>
    daemon.call('POST', path, {
      body: `{"name":"p","type":"A","type":"A","content":"192.0.2.1"${more}}`,
      headers: { 'content-type': 'application/json' },
    });
  for (const name of ['__proto__', 'constructor', 'toString']) {
    const { status, body } = await send(`,"${name}":{"ttl":1}`);
    assert.equal([status, body.error.code, body.error.pointer], [422, 'unknown_field', `/${name}`] as never);
  }
  const { body } = await send(',"id":"0"');
  assert.equal([body.record.ttl, body.record.name], [300, 'p'] as never);
});

test('a record can be read, modified and sent back', async () => {
  const { path, add } = await zone();
  const { body } = await add('p', 'MX', '10 mail.example.org');
  const again = await daemon.call('PUT', `${path}/${body.record.id}`, { json: { ...body.record, ttl: 77 } });
  assert.equal([again.status, again.body.record.ttl], [200, 77] as never);
  const batch = await daemon.call('POST', `${path}/batch`, { json: { put: [{ ...again.body.record, ttl: 78 }] } });
  assert.is(batch.status, 200, batch.text);
});

test.run();
