/** The search in all domains of an account: names, contents and comments, and where it goes on. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listOf, startDaemon } from '../../daemon.ts';

const test = suite('search in domains and records');

test('finds domains, and records by name, content and comment; not those of others', async () => {
  const daemon = await startDaemon();
  try {
    const owner = await daemon.account('owner');
    const stranger = await daemon.account('stranger');
    const create = async (token: string, domain: string, post: object[]): Promise<void> => {
      const { body } = await daemon.call('POST', '/api/v1/domains', { token, json: { domain } });
      const path = `/api/v1/domains/${body.domain.id}/records/batch`;
      assert.is((await daemon.call('POST', path, { token, json: { post } })).status, 200);
    };
    await create(owner.token, 'shop.example.net', [
      { name: 'www', type: 'A', content: '192.0.2.77' },
      { name: 'old', type: 'TXT', content: '"Needle in a text"' },
    ]);
    await create(owner.token, 'needle.example.net', [
      { name: 'mail', type: 'A', content: '192.0.2.1', comment: 'the needle moves in May' },
    ]);
    await create(stranger.token, 'other.example.net', [{ name: 'needle', type: 'A', content: '192.0.2.1' }]);
    const search = (query: string, token = owner.token) => daemon.call('GET', `/api/v1/search?${query}`, { token });
    const { body } = await search('q=NEEDLE');
    assert.equal(listOf(body.domains).map(({ domain }) => domain) as unknown, ['needle.example.net']);
    assert.equal(listOf(body.records).map(({ name, domain, comment }) => [`${name}.${domain}`, comment]) as unknown, [
      ['mail.needle.example.net', 'the needle moves in May'],
      ['old.shop.example.net', null],
    ]);
    assert.is(body.next as unknown, null);
    assert.equal(listOf((await search('q=192.0.2.77')).body.records).map(({ name }) => name) as unknown, ['www']);

    // A page ends where the next one begins.
    const first = (await search('q=needle&limit=1')).body;
    const second = (await search(`q=needle&limit=1&after=${first.next}`)).body;
    assert.equal([first.records[0].name, second.records[0].name] as unknown, ['mail', 'old']);
    assert.equal(second.domains as unknown, []);
    assert.is((await search('q=needle&after=AA')).status, 400);
    assert.equal(listOf((await search('q=')).body.records), []);
    assert.is((await search(`q=needle&account=${owner.id}`, stranger.token)).status, 403);
  } finally {
    await daemon.stop();
  }
});

test('a search of many records goes on with its cursor until all were read', async () => {
  const daemon = await startDaemon();
  try {
    const token = daemon.adminToken;
    const { body } = await daemon.call('POST', '/api/v1/domains', { token, json: { domain: 'many.example.net' } });
    const path = `/api/v1/domains/${body.domain.id}/records/batch`;
    const total = 7000;
    for (let i = 0; i < total; i += 1000) {
      const post = Array.from({ length: 1000 }, (_, n) => ({ name: `n${i + n}`, type: 'A', content: '192.0.2.1' }));
      assert.is((await daemon.call('POST', path, { token, json: { post } })).status, 200);
    }
    let cursor: string | null = '';
    let requests = 0;
    const names: string[] = [];
    while (cursor !== null) {
      const query: string = `q=n69&limit=100${cursor === '' ? '' : `&after=${cursor}`}`;
      const answer = (await daemon.call('GET', `/api/v1/search?${query}`, { token })).body;
      names.push(...listOf(answer.records).map(({ name }) => String(name)));
      cursor = answer.next as unknown as string | null;
      requests++;
    }
    // n69, n690 to n699, n6900 to n6999.
    assert.is(new Set(names).size, 111);
    assert.is(names.length, 111);
    assert.ok(requests > 1, `${requests} requests`);
  } finally {
    await daemon.stop();
  }
});

test.run();
