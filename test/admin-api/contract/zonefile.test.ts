/** The API contract: zone files, and the state of a change. */
import * as assert from 'uvu/assert';
import { APEX, type Json, listOf } from '../daemon.ts';
import { each, everywhere, refused, succeeded, type Zone } from './world.ts';

const SOA = '@ 3600 SOA ns.own.example. me.own.example. 2030010101 7200 900 604800 60\n';

const shown = async (zone: Zone) =>
  (await zone.list()).map(({ name, type, content, ttl }) => `${name} ${ttl} ${type} ${content}`);
const sample = (name: string) => ({ name, type: 'A', content: '192.0.2.1' });
const flags = async (zone: Zone) =>
  (await zone.list()).map(({ name, type, proxied }: Json) => `${name} ${type} ${proxied}`);

await everywhere('contract, zonefile', (test) => {
  test('GET …/zonefile: an RFC 1035 zone file (text/dns), SOA and NS first', async ({ world }) => {
    const zone = await world.zone();
    await zone.add('www', 'A', '192.0.2.1', { ttl: 60 });
    const { headers, text } = succeeded(await world.user.client.get(zone.zonefile));
    assert.match(headers.get('content-type') ?? '', /^text\/dns(;|$)/);
    const lines = text.split('\n').filter((line) => /\s(SOA|NS|A)\s/.test(line));
    assert.equal(
      lines.map((line) => /\s(SOA|NS|A)\s/.exec(line)?.[1]),
      ['SOA', 'NS', 'NS', 'A'],
    );
    for (const name of APEX.nameservers) assert.match(text, `${name}.`);
  });

  test('PUT: replaces the records of the zone atomically, in one revision', async ({ world }) => {
    const zone = await world.zone();
    const old = await zone.add('old', 'A', '192.0.2.1');
    const head = world.daemon.writes();
    const answer = succeeded(
      await world.user.client.upload(zone.zonefile, '$TTL 60\nwww A 192.0.2.1\n    TXT "x"\nwww 90 A 192.0.2.2\n'),
    );
    assert.is(world.daemon.writes(), head + 1);
    assert.equal(Object.keys(answer.body), ['ok', 'domain', 'records', 'warnings']);
    assert.equal(each(listOf(answer.body.warnings), 'code'), ['mixed_ttl']);
    assert.equal([answer.body.records, answer.body.domain.record_count], [3, 3]);
    assert.equal(await shown(zone), ['www 60 A 192.0.2.1', 'www 60 A 192.0.2.2', 'www 60 TXT "x"']);
    refused(await world.user.client.delete(`${zone.records}/${old.id}`), '404 no_such_record');
    const { domain } = (await world.user.client.get(zone.path)).body;
    assert.equal(domain, answer.body.domain);
    assert.is(String(domain.revision), answer.headers.get('x-waypost-revision'));
  });

  test('a file with $GENERATE for more records than the plan allows is 409, before they are made', async ({
    world,
  }) => {
    const { client } = await world.member();
    const { domain } = succeeded(await client.post('/api/v1/domains', { domain: 'generated.example' })).body;
    const path = `/api/v1/domains/${domain.id}/zonefile`;
    const put = (file: string) => client.upload(path, file);
    const line = '$GENERATE 1-65535 a$ A 192.0.2.1\n';
    const head = world.daemon.writes();
    const answer = await put(line.repeat(2));
    refused(answer, '409 plan_limit');
    assert.is(
      answer.body.error.message,
      'The plan "free" allows 10000 records in a zone (quotas.free_zone_records); with this change there would be 65535. Delete records, or ask an administrator for a larger plan.',
    );
    refused(await put('$GENERATE 1-6000 a$ A 192.0.2.1\n$GENERATE 1-6000 b$ A 192.0.2.1\n'), '409 plan_limit');
    assert.is(world.daemon.writes(), head);
    const lines = Array.from({ length: 10_001 }, (_, i) => `c${i} A 192.0.2.1\n`);
    refused(await put(lines.join('')), '409 plan_limit');
    assert.is(world.daemon.writes(), head);
    succeeded(await put(lines.slice(1).join('')));
    refused(await client.post(`${path.replace('/zonefile', '')}/records`, sample('d')), '409 plan_limit');
    succeeded(await put('$GENERATE 1-10 a$ A 192.0.2.1\n'));
    succeeded(await client.post(`${path.replace('/zonefile', '')}/records`, sample('d')));
  });

  test('an export can be imported: only ids change', async ({ world }) => {
    const zone = await world.zone();
    for (const [name, type, content] of [
      ['@', 'MX', '10 mail.example.org'],
      ['@', 'TXT', 'v=spf1 -all; "quoted" \\back'],
      ['*', 'CNAME', 'www.'],
      ['bücher', 'ALIAS', 'x.example.org'],
      ['a\\.b', 'TXT', 'x'],
      ['_s._tcp', 'SRV', '1 2 3 x.example.org'],
      ['t', 'TYPE65280', '\\# 3 010203'],
    ])
      await zone.add(name, type, content, { ttl: 77 });
    const [before, text] = [await shown(zone), await zone.text()];
    succeeded(await world.user.client.upload(zone.zonefile, text));
    assert.equal(await shown(zone), before);
    const without = (file: string) => file.replace(/(SOA\s+\S+\s+\S+\s+\(?\s*)\d+/, '$1');
    assert.is(without(await zone.text()), without(text));
  });

  test('dry_run: compares the file with the zone, and changes nothing', async ({ world }) => {
    const zone = await world.zone();
    await zone.add('same', 'A', '192.0.2.1', { ttl: 60 });
    await zone.add('ttl', 'TXT', 'x', { ttl: 90 });
    await zone.add('gone', 'A', '192.0.2.9');
    const before = [await shown(zone), world.daemon.writes(), (await world.audit()).length];
    const preview = async (text: string, query = '') =>
      succeeded(await world.user.client.upload(`${zone.zonefile}?dry_run=true${query}`, text)).body;
    const file = '$TTL 60\nsame A 192.0.2.1\nTTL TXT x\nnew A 192.0.2.2\nnew 5 A 192.0.2.3\n';
    const body = await preview(file);
    assert.equal([body.records, body.domain.record_count], [4, 3]);
    assert.equal(each(listOf(body.warnings), 'code'), ['mixed_ttl', 'unusual_ttl']);
    const created = [
      { name: 'new', type: 'A', content: '192.0.2.2', ttl: 5 },
      { name: 'new', type: 'A', content: '192.0.2.3', ttl: 5 },
    ];
    assert.equal(body.preview, {
      created: { count: 2, records: created },
      changed: { count: 1, records: [{ name: 'ttl', type: 'TXT', content: '"x"', ttl: 60, ttl_before: 90 }] },
      deleted: { count: 1, records: [{ name: 'gone', type: 'A', content: '192.0.2.9', ttl: 300 }] },
      unchanged: 1,
      errors: [],
    });
    const [first] = created;
    assert.equal((await preview(file, '&limit=1')).preview.created, { count: 2, records: [first] });

    // Bad lines are listed next to what could be imported.
    const refusedLines = await preview('ok A 192.0.2.1\nbad A x\nwww NOPE x\n');
    assert.equal(each(listOf(refusedLines.preview.errors), 'line'), ['2', '3']);
    assert.equal([refusedLines.records, refusedLines.preview.created.count], [1, 1]);
    assert.equal(each(listOf((await preview(file, '&strict=true')).preview.errors), 'line'), ['5']);
    assert.equal([await shown(zone), world.daemon.writes(), (await world.audit()).length], before);
    const dry = `${zone.zonefile}?dry_run=true`;
    refused(await world.user.client.upload(`${dry}&limit=0`, file), '400 invalid_limit');
    refused(await world.user.client.upload(`${zone.zonefile}?dry_run=1`, file), '400 invalid_dry_run');
    refused(await world.user.client.upload(dry, file, { 'if-match': '"1"' }), '412 changed');
  });

  test('dry_run of a large file, in a thread', async ({ world }) => {
    const zone = await world.zone();
    await zone.add('h7', 'A', '192.0.2.7', { ttl: 60 });
    const lines = Array.from({ length: 3000 }, (_, i) => `h${i} 60 A 192.0.2.${i % 250}`);
    const { preview } = succeeded(
      await world.user.client.upload(`${zone.zonefile}?dry_run=true`, lines.join('\n')),
    ).body;
    assert.equal([preview.created.count, listOf(preview.created.records).length, preview.unchanged], [2999, 100, 1]);
  });

  test('reports every bad line, and changes nothing', async ({ world }) => {
    const zone = await world.zone();
    await zone.add('a', 'A', '192.0.2.1');
    const file =
      'ok A 192.0.2.1\nbad A x\n\nc CNAME x.example.org.\nc A 192.0.2.1\nwww NOPE x\n@ CNAME x.example.org.\n';
    const answer = await world.user.client.upload(zone.zonefile, file);
    refused(answer, '422 invalid_zonefile');
    assert.equal(each(listOf(answer.body.error.details), 'line'), ['2', '5', '6', '7']);
    assert.match(
      String(answer.body.error.message),
      /^Line 2: .* The file has 4 errors in total\. Nothing was changed\.$/,
    );
    assert.equal(await shown(zone), ['a 300 A 192.0.2.1']);
    for (const bad of [
      '$INCLUDE /etc/passwd\n',
      'a A 192.0.2.1 192.0.2.2\n',
      '$GENERATE 1-2 a$\n',
      '"',
      '( \n',
      '\u0000',
    ])
      refused(await world.user.client.upload(zone.zonefile, bad), '422 invalid_zonefile');
  });

  test('imports doubtful lines with warnings, which strict rejects', async ({ world }) => {
    const zone = await world.zone();
    const file =
      '$TTL 60\n$GENERATE 1-2 h$ A 192.0.2.$\nx.example.org. A 192.0.2.1\na.*.b A 192.0.2.3\nm DNAME example.org.\nx.m TXT x\n';
    const { warnings } = succeeded(await world.user.client.upload(zone.zonefile, file)).body;
    assert.equal(each(listOf(warnings), 'line'), ['3', '4', '6']);
    assert.equal(each(listOf(warnings), 'code'), ['name_outside', 'invalid_name', 'occluded']);
    assert.equal((await shown(zone)).sort(), [
      'a.*.b 60 A 192.0.2.3',
      'h1 60 A 192.0.2.1',
      'h2 60 A 192.0.2.2',
      'm 60 DNAME example.org.',
      'x.m 60 TXT "x"',
    ]);
    refused(await world.user.client.upload(`${zone.zonefile}?strict=true`, file), '422 invalid_zonefile');
    // Single records follow the rules of the API, but those that exist can be deleted.
    for (const record of await zone.list()) succeeded(await world.user.client.delete(`${zone.records}/${record.id}`));
    const json = { name: 'a.*.b', type: 'A', content: '192.0.2.3' };
    refused(await world.user.client.post(zone.records, json), '422 invalid_name');
  });

  test('an empty file empties the zone', async ({ world }) => {
    const zone = await world.zone();
    await zone.add('a', 'A', '192.0.2.1');
    assert.is(succeeded(await world.user.client.upload(zone.zonefile, '')).body.records, 0);
    assert.equal(await shown(zone), []);
  });

  test('accepts text/dns and text/plain', async ({ world }) => {
    const zone = await world.zone();
    for (const type of ['text/dns', 'text/plain; charset=utf-8', 'TEXT/DNS'])
      succeeded(await world.user.client.upload(zone.zonefile, 'a A 192.0.2.1\n', { 'content-type': type }));
    refused(
      await world.user.client.upload(zone.zonefile, '', { 'content-type': 'application/json' }),
      '415 unsupported_media_type',
    );
  });

  test('ignores SOA and apex NS of the file, unless ?apex=keep', async ({ world }) => {
    const zone = await world.zone();
    const file = `${SOA}@ NS ns.own.example.\n@ NS ns2.own.example.\nwww A 192.0.2.1\n`;
    const nameservers = async () => Object.values((await world.user.client.get(zone.path)).body.domain.nameservers);
    for (const query of ['', '?apex=service']) {
      succeeded(await world.user.client.upload(zone.zonefile + query, file));
      assert.equal(await nameservers(), APEX.nameservers);
      assert.not.match(await zone.text(), /own\.example/);
    }
    succeeded(await world.user.client.upload(`${zone.zonefile}?apex=keep`, file));
    assert.equal(await nameservers(), ['ns.own.example', 'ns2.own.example']);
    const text = await zone.text();
    assert.match(text, /SOA\s+ns\.own\.example\.\s+me\.own\.example\.\s+\(?\s*\d+\s+7200\s+900\s+604800\s+60/);
    assert.ok(Number(/SOA\s+\S+\s+\S+\s+\(?\s*(\d+)/.exec(text)?.[1]) >= 2_030_010_101);
    // The next file removes them; single writes cannot change them.
    for (const record of (await zone.list()).filter((entry) => String(entry.type) === 'NS'))
      refused(await world.user.client.delete(`${zone.records}/${record.id}`), '422 apex_ns_is_ours');
    refused(await world.user.client.upload(`${zone.zonefile}?apex=keep`, 'www A 192.0.2.1\n'), '422 invalid_zonefile');
    for (const apex of ['', 'KEEP', 'x'])
      refused(await world.user.client.upload(`${zone.zonefile}?apex=${apex}`, file), '400 invalid_apex');
    succeeded(await world.user.client.upload(zone.zonefile, 'www A 192.0.2.1\n'));
    assert.equal(await nameservers(), APEX.nameservers);
  });

  test('names that existed before an import keep proxied', async ({ world }) => {
    const zone = await world.zone();
    await zone.add('on', 'A', '192.0.2.1', { proxied: true });
    await zone.add('off', 'A', '192.0.2.1', { proxied: false });
    await zone.add('unsaid', 'A', '192.0.2.1');
    await zone.add('gone', 'A', '192.0.2.1', { proxied: true });
    succeeded(
      await world.user.client.upload(
        zone.zonefile,
        'on AAAA 2001:db8::1\non TXT x\noff A 192.0.2.9\nunsaid A 192.0.2.1\nnew A 192.0.2.1\n',
      ),
    );
    assert.equal(await flags(zone), ['new A null', 'off A false', 'on TXT null', 'on AAAA true', 'unsaid A null']);
    succeeded(await world.user.client.upload(zone.zonefile, await zone.text()));
    assert.equal(await flags(zone), ['new A null', 'off A false', 'on TXT null', 'on AAAA true', 'unsaid A null']);
  });

  const NEW = '/api/v1/domains/zonefile';

  test('POST /api/v1/domains/zonefile: creates the domain with its records, in one revision', async ({ world }) => {
    const { client } = world.user;
    const file = `${SOA}@ NS ns.own.example.\nwww A 192.0.2.1\nwww A 192.0.2.2\nd NS ns.example.\nx.d TXT hidden\n`;
    const create = (key: string) =>
      client.upload(`${NEW}?domain=Filled.example.&apex=keep`, file, { 'idempotency-key': key }, 'POST');
    const head = world.daemon.writes();
    const answer = succeeded(await create('a'));
    assert.is(world.daemon.writes(), head + 1);
    const { domain, records, warnings } = answer.body;
    assert.equal([domain.domain, domain.record_count, records], ['filled.example', 5, 5]);
    assert.equal(domain.nameservers, ['ns.own.example']);
    assert.equal(each(listOf(warnings), 'code'), ['occluded']);
    assert.is(String(domain.revision), answer.headers.get('x-waypost-revision'));
    const path = `/api/v1/domains/${domain.id}`;
    const stored = succeeded(await client.get(path)).body.domain;
    // The store has the time of the commit.
    assert.equal({ ...stored, updated_at: domain.updated_at }, domain);
    assert.is(listOf(succeeded(await client.get(`${path}/records`)).body.records).length, 5);
    assert.match((await client.get(`${path}/zonefile`)).text, /SOA\s+ns\.own\.example\./);
    const again = succeeded(await create('a'));
    assert.is(again.text, answer.text);
    assert.is(again.headers.get('idempotent-replayed'), 'true');
    refused(await create('b'), '409 zone_exists', '/domain');
    // Its records are like those of any domain.
    succeeded(await client.upload(`${path}/zonefile`, 'www A 192.0.2.1\n'));
    succeeded(await client.delete(path));
  });

  test('POST /api/v1/domains/zonefile: a bad name, file or account creates nothing', async ({ world }) => {
    const { client } = await world.member();
    const post = (query: string, file = 'www A 192.0.2.1\n', headers = {}) =>
      client.upload(`${NEW}${query}`, file, headers, 'POST');
    const head = world.daemon.writes();
    refused(await post(''), '422 invalid_domain', '/domain');
    refused(await post('?domain=b@d.example'), '422 invalid_domain', '/domain');
    refused(await post('?domain=new.example&account=1'), '403 forbidden');
    refused(await post('?domain=new.example&apex=no'), '400 invalid_apex');
    const bad = await post('?domain=new.example', 'www A 192.0.2.1\nwww A 1\nx CNAME\n');
    refused(bad, '422 invalid_zonefile');
    assert.equal(each(listOf(bad.body.error.details), 'line'), ['2', '3']);
    refused(await post('?domain=new.example&strict=true', 'd NS ns.example.\nd TXT x\n'), '422 invalid_zonefile');
    refused(
      await post('?domain=new.example', '', { 'content-type': 'application/json' }),
      '415 unsupported_media_type',
    );
    refused(await post('?domain=new.example', '$GENERATE 1-20000 a$ A 192.0.2.1\n'), '409 plan_limit');
    const lines = Array.from({ length: 10_001 }, (_, i) => `c${i} A 192.0.2.1\n`);
    refused(await post('?domain=new.example', lines.join('')), '409 plan_limit');
    assert.is(world.daemon.writes(), head);
    assert.is(succeeded(await client.get('/api/v1/domains')).body.total, 0);
    const skipped = succeeded(await post('?domain=new.example&bad_lines=skip', '$TTL 60\nwww A 192.0.2.1\nwww A 1\n'));
    assert.equal([skipped.body.records, each(listOf(skipped.body.warnings), 'code')], [1, ['left_out']]);
  });
});
