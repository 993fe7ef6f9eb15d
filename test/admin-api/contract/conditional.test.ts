/** The API contract: ETag and If-Match, on every write that the route list calls conditional. */
import * as assert from 'uvu/assert';
import { concrete, type Ids, writeDocuments } from './routes.ts';
import { sampleOf } from './sample.ts';
import { prepareZone } from './signed.ts';
import { type Client, everywhere, outcome, refused, succeeded, type World, type Zone } from './world.ts';

/** A new domain with the objects that its writes need. */
async function fresh(world: World): Promise<{ zone: Zone; ids: Ids }> {
  const zone = await world.zone();
  const record = await zone.add('www', 'A', '192.0.2.1');
  return { zone, ids: { domain_id: zone.id, record_id: String(record.id) } };
}

const match = (tag: string) => ({ 'if-match': tag });

await everywhere('contract, conditions', (test) => {
  test('the ETag of a domain and its records is the revision of the zone', async ({ world }) => {
    const { zone } = await fresh(world);
    for (let i = 0; i < 3; i++) {
      const { headers } = await zone.post(`r${i}`, 'A', '192.0.2.1');
      const tag = `"${headers.get('x-waypost-revision')}"`;
      for (const path of [zone.path, zone.records, zone.zonefile])
        assert.is((await world.user.client.get(path)).headers.get('etag'), tag, path);
      const { domain } = (await world.user.client.get(zone.path)).body;
      assert.is(`"${domain.revision}"`, tag);
    }
  });

  test('every write to the records of a domain, and its deletion, accepts If-Match', async ({ world }) => {
    const writes = world.daemon.api.routes.filter(
      ({ method, scope, path, changes }) =>
        method !== 'GET' && changes !== false && scope === 'dns' && path.includes('{domain_id}'),
    );
    assert.ok(writes.length >= 6);
    // The first ask others, and change nothing of the domain. A deleted domain does not change.
    const others = /\/(delegation\/check|transfer)$|\/domains\/deleted\//;
    for (const { method, path, conditional } of writes)
      assert.is(conditional === true, !others.test(path), `${method} ${path}`);
  });

  test('If-Match makes a write conditional: 412 without a change', async ({ world }) => {
    for (const route of world.daemon.api.routes) {
      if (route.conditional !== true || route.method === 'GET') continue;
      const { zone, ids } = await fresh(world);
      await prepareZone(world, zone, `${route.method} ${route.path}`);
      // The steering of a record set has a revision of its own, too: 3 here.
      const isSteering = route.path.includes('{type}');
      for (let i = 0; isSteering && i < 3; i++) Object.assign(ids, await writeDocuments(world.user.client, zone.path));
      const sample = sampleOf(route);
      const send = (client: Client, tag: string) =>
        client.send(route.method, concrete(route.path, ids), {
          ...sample,
          headers: { ...sample.headers, ...match(tag) },
        });
      // A document of the domain's sites has a revision of its own: 0 before it is set.
      const isDocument = isSteering || (route.path.includes('/proxy/') && !route.path.endsWith('/toggle'));
      const document = concrete(route.path.replace(/\/versions\/.*/, ''), ids);
      const current = async (): Promise<string> =>
        isDocument ? ((await world.user.client.get(document)).headers.get('etag') ?? '') : zone.etag();
      const etag = await current();
      const head = world.daemon.writes();
      const long = `"${'9'.repeat(30)}"`;
      for (const tag of [
        '"1"',
        isDocument ? '"7"' : '"0"',
        etag.slice(1, -1),
        `W/${etag}`,
        '"x"',
        '',
        long,
        '"1", "2"',
      ])
        refused(await send(world.user.client, tag), '412 changed');
      assert.equal([await current(), world.daemon.writes()], [etag, head]);
      assert.not.match(outcome(await send(world.user.client, `"1", ${etag}`)), /^412/, `${route.method} ${route.path}`);
    }
  });

  test('unchanged records are a 304, changed ones are sent', async ({ world }) => {
    const { zone } = await fresh(world);
    const { client } = world.user;
    const stranger = (await world.member()).client;
    const pages = ['', '?limit=1', '?type=A', '?name=www'];
    const read = async () => {
      const answers = [];
      for (const page of pages) answers.push(succeeded(await client.get(zone.records + page)));
      return answers;
    };
    for (let i = 0; i < 3; i++) {
      const before = await read();
      for (const [at, page] of pages.entries()) {
        const tag = before[at].headers.get('etag') ?? '';
        const again = await client.get(zone.records + page, { 'if-none-match': tag });
        assert.ok(again.status === 200 ? again.body.records !== undefined : again.status === 304 && again.text === '');
        // A client without read access gets no 304.
        const other = await world.nobody.get(zone.records + page, { 'if-none-match': tag });
        refused(other, '401 missing_token');
        refused(await stranger.get(zone.records + page, { 'if-none-match': tag }), '404 no_such_domain');
      }
      succeeded(await zone.post('www', 'A', `192.0.2.${10 + i}`, { ttl: 60 + i }));
      for (const [at, page] of pages.entries()) {
        const tag = before[at].headers.get('etag') ?? '';
        const { body } = succeeded(await client.get(zone.records + page, { 'if-none-match': tag }));
        assert.is(body.records[0].ttl, 60 + i, page);
      }
    }
  });

  test('"*" matches any revision', async ({ world }) => {
    const { zone } = await fresh(world);
    succeeded(await world.user.client.post(zone.records, { name: 'a', type: 'A', content: '192.0.2.1' }, match('*')));
  });

  test('of two writers with the same revision, only one succeeds', async ({ world }) => {
    const { zone } = await fresh(world);
    for (let round = 0; round < 5; round++) {
      const tag = await zone.etag();
      const answers = await Promise.all([
        world.user.client.post(zone.records, { name: `p${round}`, type: 'A', content: '192.0.2.1' }, match(tag)),
        world.user.client.upload(zone.zonefile, `z${round} A 192.0.2.1\n`, match(tag)),
        world.user.client.post(
          `${zone.records}/batch`,
          { post: [{ name: `b${round}`, type: 'A', content: '192.0.2.1' }] },
          match(tag),
        ),
      ]);
      assert.equal(answers.map(outcome).sort(), ['200', '412 changed', '412 changed']);
    }
  });

  test('a missing domain is 404, whatever If-Match has', async ({ world }) => {
    const { path } = (await fresh(world)).zone;
    succeeded(await world.user.client.delete(path));
    refused(await world.user.client.delete(path, match('"1"')), '404 no_such_domain');
  });
});
