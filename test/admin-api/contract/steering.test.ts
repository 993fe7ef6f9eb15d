/** The API contract: steering of record sets, versions, and what a client gets. */
import * as assert from 'uvu/assert';
import { listOf } from '../daemon.ts';
import { each, everywhere, outcome, refused, succeeded } from './world.ts';

const POOLS = [
  { name: 'eu', answers: [{ content: '192.0.2.1', weight: 3 }, { content: '192.0.2.2' }] },
  { name: 'lan', answers: [{ content: '10.0.0.1' }] },
];
const RULES = [{ match: { network: '10.0.0.0/8' }, pool: 'lan' }];

await everywhere('contract, steering', (test) => {
  test('PUT makes the records of the set its plain choice; GET returns what PUT accepts', async ({ world }) => {
    const zone = await world.zone();
    const { client } = zone;
    const at = `${zone.path}/steering/www/A`;
    refused(await client.get(at), '404 no_such_steering');
    await zone.add('www', 'A', '198.51.100.1');
    const set = succeeded(await client.put(at, { pools: POOLS, rules: RULES }));
    assert.is(set.headers.get('etag'), '"1"');
    const { body } = set;
    assert.equal([body.name, body.type, body.ttl, body.fallback], ['www', 'A', 60, ['eu', 'lan']]);
    assert.equal(body.rules[0].match, { country: [], continent: [], network: ['10.0.0.0/8'], region: [] });
    const records = async () => listOf(succeeded(await client.get(`${zone.records}?name=www`)).body.records);
    assert.equal(each(await records(), 'content').sort(), ['192.0.2.1', '192.0.2.2']);
    assert.equal(each(await records(), 'proxied'), ['false', 'false']);
    const { ok: _, ...read } = succeeded(await client.get(at)).body;
    const again = succeeded(await client.put(at, read));
    assert.is(again.body.revision, 2);
    assert.equal(each(listOf(succeeded(await client.get(`${zone.path}/steering`)).body.steering), 'name'), ['www']);
    succeeded(await client.delete(at));
    refused(await client.delete(at), '404 no_such_steering');
    assert.equal(each(await records(), 'content').sort(), ['192.0.2.1', '192.0.2.2'], 'the plain choice stays');
  });

  test('records of a steered set change with its steering alone, others as before', async ({ world }) => {
    const zone = await world.zone();
    const { client } = zone;
    succeeded(await client.put(`${zone.path}/steering/www/A`, { pools: POOLS }));
    const [record] = listOf(succeeded(await client.get(`${zone.records}?name=www`)).body.records);
    const path = `${zone.records}/${record.id}`;
    refused(await client.put(path, { name: 'www', type: 'A', content: '192.0.2.7' }), '409 steered');
    refused(await client.delete(path), '409 steered');
    refused(await zone.post('www', 'A', '192.0.2.7'), '409 steered');
    refused(await client.post(`${zone.records}/batch`, { delete: [record.id] }), '409 steered');
    refused(await zone.post('www', 'CNAME', 'x.example.org'), '409 cname_conflict');
    await zone.add('www', 'TXT', 'other');
    await zone.add('www', 'AAAA', '2001:db8::1');
    const file = succeeded(await client.get(zone.zonefile)).text;
    succeeded(await client.upload(zone.zonefile, file));
    refused(await client.upload(zone.zonefile, file.replace('192.0.2.1', '192.0.2.9')), '409 steered');
    refused(await client.upload(zone.zonefile, 'mail A 192.0.2.3\n'), '409 steered');
    succeeded(await client.delete(`${zone.path}/steering/www/A`));
    succeeded(await client.upload(zone.zonefile, 'mail A 192.0.2.3\n'));
  });

  test('a restore of the zone leaves steered sets as they are', async ({ world }) => {
    const zone = await world.zone();
    await zone.add('www', 'A', '198.51.100.1');
    const other = await zone.post('x', 'A', '198.51.100.1');
    const seq = other.headers.get('x-waypost-revision');
    succeeded(await zone.client.put(`${zone.path}/steering/www/A`, { pools: POOLS }));
    await zone.add('y', 'A', '198.51.100.1');
    succeeded(await zone.client.post(`${zone.path}/history/${seq}/restore`, {}));
    const { records } = succeeded(await zone.client.get(zone.records)).body;
    assert.equal(each(listOf(records), 'name').sort(), ['www', 'www', 'x']);
  });

  test('versions are kept, and restored as new ones, also after a deletion', async ({ world }) => {
    const zone = await world.zone();
    const { client } = zone;
    const at = `${zone.path}/steering/@/AAAA`;
    const pools = (content: string) => ({ pools: [{ name: 'p', answers: [{ content }] }] });
    for (let i = 1; i <= 25; i++) succeeded(await client.put(at, pools(`2001:db8::${i}`)));
    refused(await client.put(at, pools('2001:db8::99'), { 'if-match': '"1"' }), '412 changed');
    const versions = async () => listOf(succeeded(await client.get(`${at}/versions`)).body.versions);
    assert.equal(
      each(await versions(), 'revision').map(Number),
      Array.from({ length: 21 }, (_, i) => 25 - i),
    );
    assert.is(succeeded(await client.get(`${at}/versions/24`)).body.pools[0].answers[0].content, '2001:db8::24');
    refused(await client.get(`${at}/versions/1`), '404 no_such_version');
    succeeded(await client.delete(at));
    const restored = succeeded(await client.post(`${at}/versions/24/restore`, {}));
    assert.equal([restored.body.revision, restored.body.pools[0].answers[0].content], [26, '2001:db8::24']);
    assert.is(each(await versions(), 'is_current').filter((is) => is === 'true').length, 1);
  });

  test('POST …/steering/test: which answer a client would get, and why', async ({ world }) => {
    const zone = await world.zone();
    const { client } = zone;
    succeeded(await client.put(`${zone.path}/steering/www/A`, { pools: POOLS, rules: RULES }));
    const at = `${zone.path}/steering/test`;
    const ofLan = succeeded(await client.post(at, { client: '10.1.2.3' })).body;
    assert.equal([ofLan.client.address, listOf(ofLan.results).length], ['10.1.2.3', 1]);
    const [lan] = listOf(ofLan.results);
    assert.equal([lan.name, lan.pool, lan.rule, lan.answer, lan.scope], ['www', 'lan', 0, '10.0.0.1', null]);
    const ofSubnet = succeeded(await client.post(at, { client: '10.1.2.3', ecs: '198.51.100.0/24' })).body.results[0];
    assert.equal([ofSubnet.pool, ofSubnet.rule, ofSubnet.answer], ['eu', null, '192.0.2.1']);
    assert.equal(ofSubnet.answers, [
      { content: '192.0.2.1', share: 0.75 },
      { content: '192.0.2.2', share: 0.25 },
    ]);
    assert.type(ofSubnet.scope, 'number');
    const draft = {
      client: '10.1.2.3',
      name: 'new',
      type: 'CNAME',
      steering: { pools: [{ name: 'p', answers: [{ content: 'x.example.org' }] }] },
    };
    assert.is(succeeded(await client.post(at, draft)).body.results[0].answer, 'x.example.org.');
    refused(await client.post(at, { client: 'nobody' }), '422 invalid_address', '/client');
    refused(await client.post(at, { client: '192.0.2.1', ecs: '192.0.2.1/24' }), '422 invalid_prefix', '/ecs');
  });

  test('a document that cannot be served is refused with a pointer', async ({ world }) => {
    const zone = await world.zone();
    const { client } = zone;
    const at = `${zone.path}/steering/www/A`;
    const one = (content: string, more: object = {}) => [{ name: 'p', answers: [{ content }], ...more }];
    for (const [body, code, pointer] of [
      [{ pools: [] }, '422 validation', '/pools'],
      [{ pools: one('x') }, '422 invalid_content', '/pools/0/answers/0/content'],
      [{ pools: [...one('192.0.2.1'), ...one('192.0.2.2')] }, '422 invalid_steering', '/pools/1/name'],
      [{ pools: one('192.0.2.1'), rules: [{ match: {}, pool: 'q' }] }, '422 invalid_steering', '/rules/0/pool'],
      [{ pools: one('192.0.2.1'), fallback: ['q'] }, '422 invalid_steering', '/fallback/0'],
      [{ pools: one('192.0.2.1'), rules: [{ match: { country: 'Germany' }, pool: 'p' }] }, '422 validation', undefined],
      [
        { pools: one('192.0.2.1'), rules: [{ match: { country: '12' }, pool: 'p' }] },
        '422 invalid_steering',
        '/rules/0/match/country',
      ],
      [
        { pools: one('192.0.2.1'), rules: [{ match: { continent: ['XX'] }, pool: 'p' }] },
        '422 invalid_steering',
        '/rules/0/match/continent/0',
      ],
      [
        { pools: one('192.0.2.1'), rules: [{ match: { network: ['192.0.2.1/24'] }, pool: 'p' }] },
        '422 invalid_prefix',
        '/rules/0/match/network/0',
      ],
      [
        { pools: one('192.0.2.1', { health: { timeout: 20, interval: 10 } }) },
        '422 invalid_steering',
        '/pools/0/health/timeout',
      ],
      [
        {
          pools: one('192.0.2.1'),
          rules: [{ match: { region: Array.from({ length: 65 }, (_, i) => `r${i}`) }, pool: 'p' }],
        },
        '422 invalid_steering',
        '/rules',
      ],
      [
        { pools: [{ name: 'p', answers: [{ content: '192.0.2.1', weight: 0 }] }] },
        '422 invalid_steering',
        '/pools/0/answers',
      ],
    ] as const)
      refused(await client.put(at, body), code, pointer);
    refused(await client.put(`${zone.path}/steering/www/TXT`, { pools: one('x') }), '422 invalid_type');
    refused(await client.put(`${zone.path}/steering/@/CNAME`, { pools: one('x.example.org') }), '409 cname_at_apex');
    await zone.add('www', 'MX', '10 mail.example.org');
    refused(await client.put(`${zone.path}/steering/www/CNAME`, { pools: one('x.example.org') }), '409 cname_conflict');
  });

  test('an answer that checks may not reach is refused, unless nothing checks it', async ({ world }) => {
    const zone = await world.zone();
    const { client } = zone;
    const put = (type: string, content: string, health: object | null) =>
      client.put(`${zone.path}/steering/www/${type}`, { pools: [{ name: 'p', answers: [{ content }], health }] });
    for (const [type, content] of [
      ['A', '10.0.0.1'],
      ['A', '127.0.0.1'],
      ['A', '169.254.169.254'],
      ['AAAA', 'fd00::1'],
      ['AAAA', '::ffff:10.0.0.1'],
      ['CNAME', 'localhost.'],
    ] as const)
      refused(await put(type, content, {}), '422 private_origin', '/pools/0/answers/0/content');
    succeeded(await put('A', '192.0.2.1', {}));
    succeeded(await put('A', '10.0.0.1', null));
  });

  test('the versions of the sets that were deleted last are kept', async ({ world }) => {
    const zone = await world.zone();
    const { client } = zone;
    const versions = async (i: number) =>
      listOf(succeeded(await client.get(`${zone.path}/steering/d${i}/A/versions`)).body.versions).length;
    for (let i = 0; i < 102; i++) {
      succeeded(await client.put(`${zone.path}/steering/d${i}/A`, { pools: POOLS }));
      succeeded(await client.delete(`${zone.path}/steering/d${i}/A`));
    }
    const kept = await Promise.all(Array.from({ length: 102 }, (_, i) => versions(i)));
    assert.is(
      kept.reduce((sum, count) => sum + count, 0),
      100,
    );
    assert.is(kept[101], 1);
  });

  test('a domain has a bounded number of steered sets and checked answers', async ({ world }) => {
    const zone = await world.zone();
    const { client } = zone;
    const checked = {
      name: 'p',
      answers: Array.from({ length: 32 }, (_, i) => ({ content: `192.0.2.${i}` })),
      health: {},
    };
    const pools = [checked, { ...checked, name: 'q' }];
    for (let i = 0; i < 4; i++) succeeded(await client.put(`${zone.path}/steering/c${i}/A`, { pools }));
    refused(await client.put(`${zone.path}/steering/c4/A`, { pools }), '409 steering_limit');
    for (let i = 4; i < 100; i++) succeeded(await client.put(`${zone.path}/steering/c${i}/A`, { pools: POOLS }));
    refused(await client.put(`${zone.path}/steering/more/A`, { pools: POOLS }), '409 steering_limit');
    assert.is(outcome(await client.put(`${zone.path}/steering/c50/A`, { pools: POOLS })), '200');
  });
});
