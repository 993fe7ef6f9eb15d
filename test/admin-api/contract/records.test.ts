/**
 * The API contract: rules for all records. The contents of each type are tested in
 * records/records.test.ts.
 */
import * as assert from 'uvu/assert';
import { type Json, listOf } from '../daemon.ts';
import { each, everywhere, outcome, refused, succeeded } from './world.ts';

/** One record of each type: sent content, returned content, fields of `data`. */
const TYPES: readonly (readonly [type: string, content: string, canonical: string, fields: readonly string[]])[] = [
  ['A', '192.0.2.1', '192.0.2.1', ['address']],
  ['AAAA', '2001:DB8:0::1', '2001:db8::1', ['address']],
  ['CNAME', 'Target.example.org', 'target.example.org.', ['target']],
  ['ALIAS', 'target.example.org.', 'target.example.org.', ['target']],
  ['MX', '10 mail.example.com', '10 mail.example.com.', ['priority', 'target']],
  ['TXT', 'bare text', '"bare text"', ['text']],
  ['NS', 'ns.example.org', 'ns.example.org.', ['target']],
  ['SRV', '10 5 5060 sip.example.com', '10 5 5060 sip.example.com.', ['priority', 'weight', 'port', 'target']],
  ['CAA', '0 issue "ca.example"', '0 issue "ca.example"', ['flags', 'tag', 'value']],
  ['PTR', 'host.example.org', 'host.example.org.', ['target']],
  ['HTTPS', '1 . alpn=h2', '1 . alpn="h2"', []],
  ['SVCB', '1 svc.example.org. port=8443', '1 svc.example.org. port=8443', []],
  ['TLSA', `3 1 1 ${'ab'.repeat(32)}`, '', []],
  ['SSHFP', '4 2 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef', '', []],
  ['DS', '1 8 2 E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855', '', []],
  ['NAPTR', '100 10 "u" "E2U+sip" "!^.*$!sip:a@b!" .', '', []],
  ['DNAME', 'other.example.org', 'other.example.org.', ['target']],
  ['LOC', '52 22 23.000 N 4 53 32.000 E -2.00m 0.00m 10000m 10m', '', []],
  ['URI', '10 1 "https://example.org/"', '10 1 "https://example.org/"', ['priority', 'weight', 'target']],
  ['HINFO', 'PC Linux', '"PC" "Linux"', ['cpu', 'os']],
  ['RP', 'admin.example.org about.example.org', 'admin.example.org. about.example.org.', ['mailbox', 'text_name']],
  ['AFSDB', '1 afs.example.org', '1 afs.example.org.', ['subtype', 'target']],
  ['SMIMEA', `3 1 1 ${'ab'.repeat(32)}`, '', ['usage', 'selector', 'matching_type', 'certificate']],
  ['OPENPGPKEY', 'mQENBFRVStcB', 'mQENBFRVStcB', ['public_key']],
  ['CERT', 'PGP 0 0 mQENBFRV', '3 0 0 mQENBFRV', ['type', 'key_tag', 'algorithm', 'certificate']],
  ['KEY', '512 3 13 AQID', '512 3 13 AQID', ['flags', 'protocol', 'algorithm', 'public_key']],
  ['CSYNC', '66 3 A NS', '66 3 A NS', ['serial', 'flags', 'types']],
  ['IPSECKEY', '10 1 2 192.0.2.38 AQNR', '10 1 2 192.0.2.38 AQNR', ['precedence', 'gateway', 'public_key']],
  ['APL', '1:192.0.2.0/24', '1:192.0.2.0/24', ['prefixes']],
  ['EUI48', '00-00-5E-00-53-2A', '00-00-5e-00-53-2a', ['address']],
  ['TYPE65280', '\\# 2 abcd', '\\# 2 abcd', []],
];

/** Conflicts, each after existing records: `<zone>` is the domain. */
const CONFLICTS: readonly (readonly [
  before: readonly (readonly [string, string, string])[],
  after: readonly [string, string, string],
  expected: string,
])[] = [
  [[], ['@', 'CNAME', 'x.example.org'], '409 cname_at_apex'],
  [[['a', 'TXT', 'x']], ['a', 'CNAME', 'x.example.org'], '409 cname_conflict'],
  [[['a', 'CNAME', 'x.example.org']], ['a', 'A', '192.0.2.1'], '409 cname_conflict'],
  [[['a', 'CNAME', 'x.example.org']], ['a', 'CNAME', 'y.example.org'], '409 cname_conflict'],
  [[], ['@', 'ALIAS', 'x.example.org'], '200'],
  [[], ['a', 'ALIAS', 'x.example.org'], '200'],
  [[['a', 'ALIAS', 'x.example.org']], ['a', 'A', '192.0.2.1'], '409 alias_conflict'],
  [[['a', 'AAAA', '2001:db8::1']], ['a', 'ALIAS', 'x.example.org'], '409 alias_conflict'],
  [[['a', 'ALIAS', 'x.example.org']], ['a', 'CNAME', 'y.example.org'], '409 cname_conflict'],
  [[['a', 'ALIAS', 'x.example.org']], ['a', 'TXT', 'x'], '200'],
  [[['a', 'A', '192.0.2.1']], ['A', 'A', '192.0.2.1'], '409 record_exists'],
  [[['a', 'MX', '10 x.example.org']], ['a', 'MX', '10 X.example.org.'], '409 record_exists'],
  [[['d', 'NS', 'ns.example.org']], ['x.d', 'A', '192.0.2.1'], '200'],
  [[['d', 'NS', 'ns.example.org']], ['x.d', 'TXT', 'x'], '409 occluded'],
  [[['x.d', 'TXT', 'x']], ['d', 'NS', 'ns.example.org'], '409 occluded'],
  [[['d', 'DNAME', 'x.example.org']], ['x.d', 'A', '192.0.2.1'], '409 occluded'],
  [[['d', 'DNAME', 'x.example.org']], ['d', 'DNAME', 'y.example.org'], '409 dname_conflict'],
  [[['c', 'CNAME', 'x.example.org']], ['@', 'MX', '1 c.<zone>'], '422 target_is_cname'],
  [[['c', 'CNAME', 'x.example.org']], ['n', 'NS', 'c.<zone>'], '422 target_is_cname'],
  [[['c', 'CNAME', 'x.example.org']], ['_s._tcp', 'SRV', '1 1 1 c.<zone>'], '422 target_is_cname'],
  [[['@', 'MX', '1 c.<zone>']], ['c', 'CNAME', 'x.example.org'], '409 cname_conflict'],
  [[], ['@', 'SOA', 'a. b. 1 2 3 4 5'], '422 soa_is_ours'],
  [[], ['@', 'NS', 'ns.example.org'], '422 apex_ns_is_ours'],
  [[], ['@', 'DNSKEY', '257 3 13 AQID'], '422 dnssec_is_ours'],
  [[], ['a', 'RRSIG', 'A 13 2 300 20261201000000 20261101000000 1 example.net. AQID'], '422 dnssec_is_ours'],
];

await everywhere('contract, records', (test) => {
  test('a record: id, name (relative), type, content, ttl, data (structured), proxied, created_at, updated_at', async ({
    world,
  }) => {
    const zone = await world.zone();
    const record = await zone.add('WWW', 'mx', '10 Mail.example.com', { ttl: 600 });
    const { id, created_at: created, updated_at: updated, ...rest } = record;
    assert.match(JSON.stringify(id), /^[1-9]\d*$/);
    assert.is(created, updated);
    const data = { priority: 10, target: 'mail.example.com.' };
    assert.equal(rest, {
      ...{ name: 'www', type: 'MX', content: '10 mail.example.com.', ttl: 600, data, proxied: null },
      comment: null,
    });
    assert.equal(await zone.list(), [record]);
  });

  test('types: the response for each type is canonical and can be sent back', async ({ world }) => {
    const zone = await world.zone();
    for (const [i, [type, content, canonical, fields]] of TYPES.entries()) {
      const record = await zone.add(`t${i}`, type, content);
      assert.is(record.type, type);
      if (canonical !== '') assert.is(record.content, canonical, type);
      for (const field of fields) assert.ok(field in record.data, `${type}: ${JSON.stringify(record.data)}`);
      const again = succeeded(await world.user.client.put(`${zone.records}/${record.id}`, record)).body.record;
      assert.equal({ ...again, updated_at: record.updated_at }, record);
      assert.equal(each(await zone.list(`?type=${type.toLowerCase()}`), 'id'), [String(record.id)]);
    }
  });

  test('name: relative, @, absolute inside the zone; Unicode as A-labels; * only as the whole first label; underscores', async ({
    world,
  }) => {
    const zone = await world.zone();
    for (const [given, shown] of [
      ['www', 'www'],
      ['WWW2', 'www2'],
      ['@', '@'],
      ['', '@'],
      [zone.domain, '@'],
      [`${zone.domain}.`, '@'],
      [`a.${zone.domain}`, 'a'],
      [`b.${zone.domain.toUpperCase()}.`, 'b'],
      ['*', '*'],
      ['*.wild', '*.wild'],
      ['_dmarc', '_dmarc'],
      ['_sip._tcp', '_sip._tcp'],
      ['bücher', 'xn--bcher-kva'],
      ['_x.bücher', '_x.xn--bcher-kva'],
    ])
      assert.is(
        (await zone.add(given, 'TXT', `"for ${given.length} ${shown} ${given === '' ? 'empty' : given.charCodeAt(0)}"`))
          .name,
        shown,
        given,
      );
    for (const [name, code] of [
      ['a.*.b', 'invalid_name'],
      ['*.*', 'invalid_name'],
      ['a..b', 'invalid_name'],
      ['other.example.org.', 'name_outside'],
      ['a'.repeat(64), 'invalid_name'],
      ['\ud800', 'invalid_name'],
    ])
      refused(await zone.post(name, 'TXT', 'x'), `422 ${code}`, '/name');
    refused(await zone.post('a b', 'A', '192.0.2.1'), '422 invalid_host', '/name');
  });

  test('a separate priority is used for MX and SRV', async ({ world }) => {
    const zone = await world.zone();
    assert.is((await zone.add('a', 'MX', 'mail.example.com', { priority: 10 })).content, '10 mail.example.com.');
    assert.is(
      (await zone.add('a', 'SRV', '5 5060 sip.example.com', { priority: 7 })).content,
      '7 5 5060 sip.example.com.',
    );
    assert.is((await zone.add('b', 'MX', '10 mail.example.com', { priority: 10 })).content, '10 mail.example.com.');
    assert.is((await zone.add('c', 'A', '192.0.2.1', { priority: 10 })).content, '192.0.2.1');
    assert.is((await zone.add('d', 'MX', '10 mail.example.com', { priority: null })).content, '10 mail.example.com.');
    refused(await zone.post('a', 'MX', '10 mail.example.com', { priority: 20 }), '422 invalid_content', '/priority');
    refused(await zone.post('a', 'MX', 'mail.example.com'), '422 invalid_content', '/content');
    for (const priority of [-1, 65_536, 1.5, '10'])
      refused(await zone.post('a', 'MX', 'x.example.com', { priority }), '422 validation', '/priority');
  });

  test('TXT quoted or bare: bare is one string, split at 255 bytes', async ({ world }) => {
    const zone = await world.zone();
    for (const [i, [given, canonical]] of [
      ['v=spf1 include:_spf.example.org -all', '"v=spf1 include:_spf.example.org -all"'],
      ['"one" "two"', '"one" "two"'],
      ['"a b"', '"a b"'],
      ['x'.repeat(300), `"${'x'.repeat(255)}" "${'x'.repeat(45)}"`],
      ['semi;colon', '"semi;colon"'],
    ].entries())
      assert.is((await zone.add(`t${i}`, 'TXT', given)).content, canonical);
    refused(await zone.post('t', 'TXT', '"open'), '422 invalid_content', '/content');
  });

  test('host names are absolute with or without a trailing dot; @ is the apex', async ({ world }) => {
    const zone = await world.zone();
    for (const [i, [content, canonical]] of [
      ['mail.example.com', 'mail.example.com.'],
      ['mail.example.com.', 'mail.example.com.'],
      ['@', `${zone.domain}.`],
      ['bücher.example.com', 'xn--bcher-kva.example.com.'],
    ].entries()) {
      assert.is((await zone.add(`c${i}`, 'CNAME', content)).content, canonical);
      assert.is((await zone.add(`m${i}`, 'MX', `10 ${content}`)).content, `10 ${canonical}`);
    }
  });

  test('ttl 30 to 604,800; default 300; 1 means automatic', async ({ world }) => {
    const zone = await world.zone();
    for (const [i, [ttl, stored]] of [
      [undefined, 300],
      [1, 300],
      [30, 30],
      [604_800, 604_800],
    ].entries())
      assert.is((await zone.add(`t${i}`, 'A', '192.0.2.1', { ttl })).ttl, stored);
    for (const ttl of [0, 2, 29, 604_801, -1, 1e300])
      refused(await zone.post('t', 'A', '192.0.2.9', { ttl }), '422 invalid_ttl', '/ttl');
    for (const ttl of ['300', 30.5, null, true])
      refused(await zone.post('t', 'A', '192.0.2.9', { ttl }), '422 validation', '/ttl');
  });

  test('all records of an RRset have one TTL: writing a record sets it for all', async ({ world }) => {
    const zone = await world.zone();
    const ttls = async () => each(await zone.list('?name=a&type=A'), 'ttl');
    const first = await zone.add('a', 'A', '192.0.2.1', { ttl: 600 });
    await zone.add('a', 'TXT', 'x', { ttl: 900 });
    await zone.add('a', 'A', '192.0.2.2', { ttl: 120 });
    assert.equal(await ttls(), ['120', '120']);
    succeeded(
      await world.user.client.put(`${zone.records}/${first.id}`, {
        name: 'a',
        type: 'A',
        content: '192.0.2.3',
        ttl: 60,
      }),
    );
    assert.equal(await ttls(), ['60', '60']);
    assert.equal(each(await zone.list('?type=TXT'), 'ttl'), ['900']);
  });

  test('web records of a name share proxied, and new ones adopt it; null resets it', async ({ world }) => {
    const zone = await world.zone();
    const flags = async () => (await zone.list('?name=a')).map((record: Json) => `${record.type} ${record.proxied}`);
    const first = await zone.add('a', 'A', '192.0.2.1', { proxied: false });
    // The response equals the stored records.
    assert.is((await zone.add('a', 'AAAA', '2001:db8::1')).proxied, false);
    await zone.add('a', 'TXT', 'x');
    assert.equal(await flags(), ['A false', 'TXT null', 'AAAA false']);
    await zone.add('a', 'A', '192.0.2.2', { proxied: true });
    assert.equal(await flags(), ['A true', 'A true', 'TXT null', 'AAAA true']);
    const body = { name: 'a', type: 'A', content: '192.0.2.1' };
    const put = (json: object) => world.user.client.put(`${zone.records}/${first.id}`, { ...body, ...json });
    assert.is(succeeded(await put({})).body.record.proxied, true);
    assert.is(succeeded(await put({ proxied: null })).body.record.proxied, null);
    assert.equal(await flags(), ['A null', 'A null', 'TXT null', 'AAAA null']);
    refused(await zone.post('b', 'TXT', 'x', { proxied: true }), '422 not_proxiable', '/proxied');
    refused(await zone.post('b', 'A', '192.0.2.1', { proxied: 1 }), '422 validation', '/proxied');
    succeeded(await zone.post('b', 'TXT', 'x', { proxied: null }));
    assert.is(succeeded(await put({ proxied: true })).body.record.proxied, true);
    assert.is(succeeded(await put({ name: 'c', type: 'TXT', content: 'x' })).body.record.proxied, null);
  });

  for (const [before, after, expected] of CONFLICTS)
    test(`${after.join(' ')} after ${before.map((record) => record.join(' ')).join(', ') || 'nothing'}: ${expected}`, async ({
      world,
    }) => {
      const zone = await world.zone();
      const filled = (text: string) => text.replace('<zone>', zone.domain);
      for (const [name, type, content] of before) await zone.add(name, type, filled(content));
      const [name, type, content] = after;
      const answer = await zone.post(name, type, filled(content));
      assert.is(outcome(answer), expected, answer.text);
      assert.is((await zone.list()).length, before.length + (expected === '200' ? 1 : 0));
    });

  test('filters name, type, content', async ({ world }) => {
    const zone = await world.zone();
    await zone.add('a', 'A', '192.0.2.1');
    await zone.add('b', 'A', '192.0.2.2');
    await zone.add('a', 'TXT', 'some text');
    await zone.add('@', 'MX', '10 mail.example.org');
    for (const [query, count] of [
      ['?name=a', 2],
      [`?name=A.${zone.domain}.`, 2],
      ['?name=@', 1],
      ['?name=a&type=txt', 1],
      ['?type=A', 2],
      ['?content=192.0.2.2', 1],
      ['?content=some%20text', 1],
      ['?content=%22some%20text%22', 1],
      ['?content=MAIL.example.org.', 1],
      ['?content=10%20mail.example.org', 1],
      ['?name=absent', 0],
      ['?type=A&content=nothing', 0],
    ] as const)
      assert.is((await zone.list(query)).length, count, query);
    refused(await world.user.client.get(`${zone.records}?type=NOPE`), '422 invalid_type');
    refused(await world.user.client.get(`${zone.records}?name=a..b`), '422 invalid_name');
    refused(await world.user.client.get(`${zone.records}?name=x.example.org.`), '422 name_outside');
  });

  test('PUT …/records/{record_id}: keeps the id and created_at', async ({ world }) => {
    const zone = await world.zone();
    const record = await zone.add('a', 'A', '192.0.2.1', { ttl: 600 });
    const path = `${zone.records}/${record.id}`;
    const moved = succeeded(await world.user.client.put(path, { name: 'b.c', type: 'TXT', content: 'x' })).body.record;
    assert.equal(
      [moved.id, moved.name, moved.type, moved.ttl, moved.created_at],
      [record.id, 'b.c', 'TXT', 600, record.created_at],
    );
    assert.equal(each(await zone.list(), 'id'), [String(record.id)]);
    for (const field of ['name', 'type', 'content'])
      refused(
        await world.user.client.put(path, { name: 'b', type: 'A', content: '192.0.2.1', [field]: undefined }),
        '422 validation',
        `/${field}`,
      );
    await zone.add('d', 'A', '192.0.2.1');
    refused(
      await world.user.client.put(path, { name: 'd', type: 'CNAME', content: 'x.example.org' }),
      '409 cname_conflict',
      '/name',
    );
    refused(
      await world.user.client.put(`${zone.records}/9007199254740991`, { name: 'd', type: 'A', content: '192.0.2.1' }),
      '404 no_such_record',
    );
  });

  test('comment: text that all records of a name and type share, until the last one is deleted', async ({ world }) => {
    const zone = await world.zone();
    const comments = async (query = '') =>
      listOf((await world.user.client.get(`${zone.records}${query}`)).body.records).map(({ comment }) => comment);
    const first = succeeded(await zone.post('a', 'A', '192.0.2.1', { comment: 'web "one"' })).body.record;
    assert.is(first.comment, 'web "one"');
    const { id } = await zone.add('a', 'A', '192.0.2.2');
    await zone.add('a', 'AAAA', '2001:db8::1');
    assert.equal(await comments(), ['web "one"', 'web "one"', null]);
    assert.equal(await comments('?q=WEB'), ['web "one"', 'web "one"']);
    const put = (more: object) =>
      world.user.client.put(`${zone.records}/${id}`, { name: 'a', type: 'A', content: '192.0.2.2', ...more });
    assert.is(succeeded(await put({ ttl: 600 })).body.record.comment, 'web "one"');
    assert.is(succeeded(await put({ comment: 'new' })).body.record.comment, 'new');
    assert.equal(await comments(), ['new', 'new', null]);
    succeeded(await world.user.client.delete(`${zone.records}/${first.id}`));
    assert.is(succeeded(await put({ name: 'b' })).body.record.comment, 'new');
    assert.equal(await comments(), [null, 'new']);
    const batch = { post: [{ name: 'c', type: 'TXT', content: '"x"', comment: 'text' }], delete: [id] };
    assert.is(
      listOf(succeeded(await world.user.client.post(`${zone.records}/batch`, batch)).body.created)[0].comment,
      'text',
    );
    await zone.add('b', 'A', '192.0.2.2');
    assert.equal(await comments(), [null, null, 'text']);
    succeeded(await zone.post('c', 'TXT', '"y"', { comment: null }));
    assert.equal(await comments('?name=c'), [null, null]);
    refused(await zone.post('d', 'A', '192.0.2.1', { comment: 'x'.repeat(1001) }), '422 validation');
  });

  test('DELETE …/records/{record_id} (given)', async ({ world }) => {
    const zone = await world.zone();
    const { id } = await zone.add('a', 'A', '192.0.2.1');
    assert.equal(Object.keys(succeeded(await world.user.client.delete(`${zone.records}/${id}`)).body), ['ok']);
    refused(await world.user.client.delete(`${zone.records}/${id}`), '404 no_such_record');
    assert.equal(await zone.list(), []);
  });

  test('the service maintains the SOA: the serial increases with every change', async ({ world }) => {
    const zone = await world.zone();
    const serial = async () => Number(/\sSOA\s+\S+\s+\S+\s+\(?\s*(\d+)/.exec(await zone.text())?.[1]);
    let last = await serial();
    for (let i = 0; i < 3; i++) {
      await zone.add(`a${i}`, 'A', '192.0.2.1');
      const now = await serial();
      assert.ok(now > last, `${now} after ${last}`);
      last = now;
    }
    assert.is(
      listOf((await world.user.client.get(zone.records)).body.records).some((record) => String(record.type) === 'SOA'),
      false,
    );
  });
});
