/** The API contract: imports in progress. */
import * as assert from 'uvu/assert';
import { until } from '../../support/until.ts';
import { type Json, listOf } from '../daemon.ts';
import { Client, everywhere, refused, succeeded, type World, type Zone } from './world.ts';

const IMPORTS = '/api/v1/imports';
/** Enough for a staged import. */
const RECORDS = 6000;

const fileOf = (round: number): string =>
  Array.from({ length: RECORDS }, (_, i) => `n${i} 60 A 192.0.2.${(i + round) % 250}\n`).join('');

const read = async (client: Client, query = ''): Promise<Json[]> =>
  listOf(succeeded(await client.get(IMPORTS + query)).body.imports);

/** Imports until `look` returns true during one of them. */
async function duringImport(world: World, path: string, look: () => Promise<boolean>): Promise<void> {
  let round = 0;
  await until(async () => {
    let isOver = false;
    const imported = world.user.client.upload(path, fileOf(++round)).finally(() => {
      isOver = true;
    });
    let hasSeen = false;
    while (!isOver && !hasSeen) hasSeen = await look();
    succeeded(await imported);
    return hasSeen;
  }, 'an import in progress is listed');
}

await everywhere('contract, imports', (test) => {
  test('an import in progress is listed for its account and for administrators', async ({ world }) => {
    const zone = await world.zone();
    const stranger = await world.member();
    const limited = async ({ id }: Zone): Promise<Client> => {
      const { body } = succeeded(await world.user.client.post('/api/v1/tokens', { name: 'x', domains: [id] }));
      return new Client(world.daemon, String(body.token));
    };
    const other = await world.zone();
    const clients = {
      own: world.user.client,
      admin: world.admin,
      stranger: stranger.client,
      reached: await limited(zone),
      unreached: await limited(other),
    };
    const found: Record<string, Json[]> = {};
    await duringImport(world, zone.zonefile, async () => {
      const names = Object.keys(clients) as (keyof typeof clients)[];
      const before = await read(world.user.client);
      for (const name of names) found[name] = await read(clients[name]);
      const after = await read(world.user.client);
      return before.length === 1 && after.length === 1;
    });
    for (const name of ['own', 'admin', 'reached'])
      assert.equal(
        found[name].map(({ domain }) => domain),
        [zone.domain],
      );
    for (const name of ['stranger', 'unreached']) assert.equal(found[name], []);
    const [listed] = found.own;
    assert.equal([listed.account_id, listed.domain_id], [world.user.id, zone.id]);
    assert.match(String(listed.request_id), /^[0-9a-f]{16}$/);
    assert.ok(Number(listed.percent) >= 0 && Number(listed.percent) <= 100);
    assert.is(listed.position === null, String(listed.phase) !== 'queued');
    await until(async () => (await read(world.user.client)).length === 0, 'the import ends');
  });

  test('the records of an import are counted while they are written', async ({ world }) => {
    const zone = await world.zone();
    await duringImport(world, zone.zonefile, async () => {
      const [listed] = await read(world.user.client, `?domain=${zone.domain.toUpperCase()}`);
      if (String(listed?.phase) !== 'records') return false;
      const { done, total } = listed.records;
      assert.is(Number(total), RECORDS);
      assert.ok(Number(done) >= 0 && Number(done) <= RECORDS);
      return true;
    });
    assert.equal(await read(world.user.client, `?domain=${zone.domain}`), []);
  });

  test('an import that creates its domain is listed without an id', async ({ world }) => {
    let round = 0;
    await until(async () => {
      let isOver = false;
      const domain = `created${++round}.example.net`;
      const imported = world.user.client
        .upload(`/api/v1/domains/zonefile?domain=${domain}`, fileOf(1), {}, 'POST')
        .finally(() => {
          isOver = true;
        });
      let listed: Json | undefined;
      while (!isOver && listed === undefined) [listed] = await read(world.user.client, `?domain=${domain}`);
      succeeded(await imported);
      if (listed === undefined) return false;
      assert.equal([listed.domain, listed.domain_id], [domain, null]);
      return true;
    }, 'an import in progress is listed');
  });

  test('only administrators list imports of other accounts', async ({ world }) => {
    const { client } = await world.member();
    refused(await client.get(`${IMPORTS}?account=${world.user.id}`), '403 forbidden');
    assert.equal(await read(world.admin, `?account=${world.user.id}`), []);
    assert.is(succeeded(await client.get(IMPORTS)).body.node, (await world.nobody.get('/healthz')).body.node);
  });
});
