/** The API contract: the batch. */
import * as assert from 'uvu/assert';
import { listOf } from '../daemon.ts';
import { each, everywhere, refused, succeeded, type Zone } from './world.ts';

const send = (zone: Zone, json: object) => zone.client.post(`${zone.records}/batch`, json);
const shown = async (zone: Zone) =>
  (await zone.list('?limit=1000')).map((row) => `${row.name} ${row.type} ${row.content}`);

await everywhere('contract, batch', (test) => {
  test('POST …/records/batch: {delete: [ids], put: [...], post: [...]}, one revision', async ({ world }) => {
    const zone = await world.zone();
    const [a, b] = [await zone.add('a', 'A', '192.0.2.1'), await zone.add('b', 'A', '192.0.2.1')];
    const head = world.daemon.writes();
    const answer = succeeded(
      await send(zone, {
        delete: [a.id],
        put: [{ id: b.id, name: 'c', type: 'A', content: '192.0.2.2' }],
        post: [
          { name: 'd', type: 'TXT', content: 'x', ttl: 60 },
          { name: 'd', type: 'TXT', content: 'y', ttl: 90 },
        ],
      }),
    );
    assert.is(world.daemon.writes(), head + 1);
    assert.equal(Object.keys(answer.body), ['ok', 'deleted', 'updated', 'created']);
    assert.equal(answer.body.deleted, [a.id]);
    assert.equal(each(listOf(answer.body.updated), 'id'), [String(b.id)]);
    // The final rows: an RRset has one TTL.
    assert.equal(each(listOf(answer.body.created), 'ttl'), ['90', '90']);
    assert.equal(await shown(zone), ['c A 192.0.2.2', 'd TXT "x"', 'd TXT "y"']);
    const listed = await zone.list();
    for (const record of [...listOf(answer.body.updated), ...listOf(answer.body.created)])
      assert.equal(
        listed.find((row) => String(row.id) === String(record.id)),
        record,
      );
  });

  test('an empty batch', async ({ world }) => {
    const zone = await world.zone();
    for (const json of [{}, { delete: [] }, { put: [], post: [], delete: [] }])
      assert.equal(succeeded(await send(zone, json)).body, { ok: true, deleted: [], updated: [], created: [] });
  });

  test('all or nothing, with every error in details, each with a pointer into the batch', async ({ world }) => {
    const zone = await world.zone();
    const a = await zone.add('a', 'A', '192.0.2.1');
    const before = [await shown(zone), world.daemon.writes()];
    const answer = await send(zone, {
      delete: [Number.MAX_SAFE_INTEGER, a.id, a.id],
      put: [{ id: Number.MAX_SAFE_INTEGER - 1, name: 'a', type: 'A', content: '192.0.2.1' }],
      post: [
        { name: 'ok', type: 'A', content: '192.0.2.1' },
        { name: 'a..b', type: 'A', content: '192.0.2.1' },
        { name: 'c', type: 'A', content: 'x' },
        { name: 'd', type: 'A', content: '192.0.2.1', ttl: 29 },
        { name: '@', type: 'CNAME', content: 'x.example.org' },
      ],
    });
    refused(answer, '404 no_such_record', '/delete/0');
    assert.equal(each(listOf(answer.body.error.details), 'pointer'), [
      '/delete/0',
      '/delete/2',
      '/put/0/id',
      '/post/1/name',
      '/post/2/content',
      '/post/3/ttl',
      '/post/4/type',
    ]);
    assert.equal([await shown(zone), world.daemon.writes()], before);
  });

  test('dry_run: what would change, and every fault of every entry; nothing is written', async ({ world }) => {
    const zone = await world.zone();
    const [a, b] = [await zone.add('a', 'A', '192.0.2.1'), await zone.add('b', 'A', '192.0.2.1')];
    const before = [await shown(zone), world.daemon.writes(), (await world.audit()).length];
    const preview = async (json: object) => {
      const { body } = succeeded(await zone.client.post(`${zone.records}/batch?dry_run=true`, json));
      assert.equal([body.deleted, body.updated, body.created], [[], [], []]);
      return body.preview;
    };
    const good = await preview({
      delete: [a.id],
      put: [{ id: b.id, name: 'b', type: 'A', content: '192.0.2.2', ttl: 60 }],
      post: [
        { name: 'b', type: 'A', content: '192.0.2.3', ttl: 90 },
        { name: 'bücher', type: 'MX', content: '10 mail.' },
      ],
    });
    assert.equal(good.faults, []);
    assert.equal(good.deleted, [a]);
    assert.equal([good.updated[0].id, good.updated[0].content, good.updated[0].ttl], [b.id, '192.0.2.2', 90]);
    assert.equal(good.created[1], {
      name: 'xn--bcher-kva',
      type: 'MX',
      content: '10 mail.',
      ttl: 300,
      data: { priority: 10, target: 'mail.' },
      proxied: null,
      comment: null,
    });
    const bad = await preview({
      delete: [Number.MAX_SAFE_INTEGER, a.id, a.id],
      put: [{ id: b.id, name: 'b..c', type: 'A', content: '', ttl: 29 }],
      post: [
        { name: 'ok', type: 'A', content: '192.0.2.1' },
        { name: 'c..d', type: 'TXT', content: 'x', ttl: 1_000_000, proxied: true },
        { name: 'e', type: 'NOPE', content: '' },
        { name: '@', type: 'CNAME', content: 'x.example.org' },
      ],
    });
    assert.equal(each(listOf(bad.faults), 'pointer'), [
      '/delete/0',
      '/delete/2',
      '/put/0/name',
      '/put/0/ttl',
      '/put/0/content',
      '/post/1/name',
      '/post/1/ttl',
      '/post/1/proxied',
      '/post/2/type',
      '/post/3/type',
    ]);
    assert.equal([bad.faults[0].code, bad.faults[9].code], ['no_such_record', 'cname_at_apex']);
    assert.match(String(bad.faults[3].message), /30 to 604800/);
    assert.equal([each(listOf(bad.created), 'name'), each(listOf(bad.deleted), 'name')], [['ok'], ['a']]);
    assert.equal([await shown(zone), world.daemon.writes(), (await world.audit()).length], before);

    // A dry run does not use up an Idempotency-Key.
    const post = { post: [{ name: 'c', type: 'A', content: '192.0.2.1' }] };
    const key = { 'idempotency-key': `dry ${zone.id}` };
    succeeded(await zone.client.post(`${zone.records}/batch?dry_run=true`, post, key));
    assert.is(succeeded(await zone.client.post(`${zone.records}/batch`, post, key)).body.created[0].name, 'c');
    refused(await zone.client.post(`${zone.records}/batch?dry_run=yes`, {}), '400 invalid_dry_run');
    const { client: stranger } = await world.member();
    refused(await stranger.post(`${zone.records}/batch?dry_run=true`, post), '404 no_such_domain');
    refused(await stranger.upload(`${zone.zonefile}?dry_run=true`, 'a A 192.0.2.1\n'), '404 no_such_domain');
    const reader = await world.scoped(zone.client, ['dns:read']);
    refused(await reader.post(`${zone.records}/batch?dry_run=true`, post), '403 insufficient_scope');
    const match = { 'if-match': '"1"' };
    refused(await zone.client.post(`${zone.records}/batch?dry_run=true`, {}, match), '412 changed');
  });

  test('dry_run: at most 1000 faults, and the number of the others', async ({ world }) => {
    const zone = await world.zone();
    const post = Array.from({ length: 1002 }, () => ({ name: 'a', type: 'A', content: 'x' }));
    const { preview } = succeeded(await zone.client.post(`${zone.records}/batch?dry_run=true`, { post })).body;
    assert.equal([listOf(preview.faults).length, preview.faults_omitted], [1000, 2]);
  });

  test('the first error sets status and code', async ({ world }) => {
    const zone = await world.zone();
    await zone.add('c', 'TXT', 'x');
    const good = { name: 'a', type: 'A', content: '192.0.2.1' };
    for (const [json, expected, pointer] of [
      [{ post: [good, { ...good, type: 'NOPE' }] }, '422 invalid_type', '/post/1/type'],
      [{ post: [good, good] }, '409 record_exists', '/post/1/content'],
      [{ post: [good, { name: 'c', type: 'CNAME', content: 'x.example.org' }] }, '409 cname_conflict', '/post/1/name'],
      [{ post: [good, { name: 'b', type: 'A' }] }, '422 validation', '/post/1/content'],
      [{ post: {} }, '422 validation', '/post'],
      [{ delete: ['7'] }, '422 validation', '/delete/0'],
      [{ delete: 'x' }, '422 validation', '/delete'],
      [{ put: [good] }, '422 validation', '/put/0/id'],
      [{ post: [null] }, '422 validation', '/post/0'],
    ] as const)
      refused(await send(zone, json), expected, pointer);
    assert.equal(await shown(zone), ['c TXT "x"']);
  });

  test('the order within a batch does not matter: deletions make room', async ({ world }) => {
    const zone = await world.zone();
    const a = await zone.add('a', 'A', '192.0.2.1');
    const b = await zone.add('b', 'TXT', 'x');
    succeeded(
      await send(zone, {
        post: [{ name: 'a', type: 'CNAME', content: 'x.example.org' }],
        put: [{ id: b.id, name: 'c', type: 'TXT', content: 'x' }],
        delete: [a.id],
      }),
    );
    assert.equal(await shown(zone), ['a CNAME x.example.org.', 'c TXT "x"']);
  });

  test('a batch can swap the contents of two names', async ({ world }) => {
    const zone = await world.zone();
    const a = await zone.add('a', 'CNAME', 'x.example.org');
    const b = await zone.add('b', 'A', '192.0.2.1');
    const put = [
      { id: a.id, name: 'a', type: 'A', content: '192.0.2.1' },
      { id: b.id, name: 'b', type: 'CNAME', content: 'x.example.org' },
    ];
    succeeded(await send(zone, { put }));
    assert.equal(await shown(zone), ['a A 192.0.2.1', 'b CNAME x.example.org.']);
    // The records also swap their ids.
    const both = await zone.list();
    succeeded(await send(zone, { put: both.map((row, i) => ({ ...both[1 - i], id: row.id })) }));
    assert.equal(await shown(zone), ['a A 192.0.2.1', 'b CNAME x.example.org.']);
    assert.equal(each(await zone.list(), 'id'), [String(b.id), String(a.id)]);
  });

  test('a batch cannot contain a record twice', async ({ world }) => {
    const zone = await world.zone();
    const { id } = await zone.add('a', 'A', '192.0.2.1');
    const put = { id, name: 'a', type: 'A', content: '192.0.2.2' };
    for (const json of [{ delete: [id, id] }, { delete: [id], put: [put] }, { put: [put, put] }])
      refused(await send(zone, json), '422 named_twice');
    assert.equal(await shown(zone), ['a A 192.0.2.1']);
  });

  test('up to 10,000 changes', async ({ world }) => {
    const zone = await world.zone();
    const post = Array.from({ length: 9_999 }, (_, i) => ({ name: `r${i}`, type: 'A', content: '192.0.2.1' }));
    const gone = await zone.add('gone', 'A', '192.0.2.1');
    const absent = { name: 'x', type: 'A', content: '192.0.2.1' };
    refused(await send(zone, { delete: [gone.id], post: [...post, absent] }), '422 batch_too_large');
    refused(await send(zone, { post: [...post, absent, absent] }), '422 validation', '/post');
    assert.equal(await shown(zone), ['gone A 192.0.2.1']);
    const { body } = succeeded(await send(zone, { delete: [gone.id], post }));
    assert.is(listOf(body.created).length, 9_999);
    assert.is((await zone.client.get(zone.path)).body.domain.record_count, 9_999);
  });

  test('the items of a list that is too long are not checked', async ({ world }) => {
    const zone = await world.zone();
    const answer = await send(zone, { post: Array.from({ length: 200_000 }, () => ({})) });
    refused(answer, '422 validation', '/post');
    assert.is(answer.body.error.details, undefined);
    assert.match(String(answer.body.error.message), /200000 items; the maximum is 10000/);
  });
});
