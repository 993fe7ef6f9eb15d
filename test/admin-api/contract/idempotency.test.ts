/** The API contract: Idempotency-Key. */
import * as assert from 'uvu/assert';
import type { Answer } from '../daemon.ts';
import { Client, everywhere, refused, succeeded } from './world.ts';

const key = (text: string): Record<string, string> => ({ 'idempotency-key': text });
const revisionOf = (answer: Answer): string | null => answer.headers.get('x-waypost-revision');

await everywhere('contract, idempotency', (test) => {
  test('POST with the same key and body returns the first response with its revision, also after a restart', async ({
    world,
  }) => {
    const { client } = world.user;
    const zone = await world.zone();
    const record = { name: 'a', type: 'A', content: '192.0.2.1' };
    const posts = [
      ['/api/v1/domains', { domain: 'again.example.net' }],
      ['/api/v1/tokens', { name: 'again' }],
      [zone.records, record],
      [`${zone.records}/batch`, { post: [{ ...record, name: 'b' }] }],
    ] as const;
    const first: Answer[] = [];
    for (const [i, [path, json]] of posts.entries()) {
      const answer = succeeded(await client.post(path, json, key(`once-${i}`)));
      assert.is(answer.headers.get('idempotent-replayed'), null);
      first.push(answer);
    }
    for (const restarted of [false, true]) {
      if (restarted) await world.daemon.restart();
      const head = world.daemon.writes();
      for (const [i, [path, json]] of posts.entries()) {
        const again = succeeded(await client.post(path, json, key(`once-${i}`)));
        assert.is(again.text, first[i].text);
        assert.is(revisionOf(again), revisionOf(first[i]));
        assert.is(again.headers.get('idempotent-replayed'), 'true');
      }
      assert.is(world.daemon.writes(), head, 'nothing was written');
    }
  });

  test('also for accounts, with a password in the body', async ({ world }) => {
    const json = { username: 'once', password: 'once secret' };
    const first = succeeded(await world.admin.post('/api/v1/accounts', json, key('account')));
    assert.is((await world.admin.post('/api/v1/accounts', json, key('account'))).text, first.text);
    refused(
      await world.admin.post('/api/v1/accounts', { ...json, password: 'other secret' }, key('account')),
      '422 idempotency_key_reused',
    );
  });

  test('another body, path or query is 422', async ({ world }) => {
    const { client } = world.user;
    const json = { domain: 'reused.example.net' };
    succeeded(await client.post('/api/v1/domains', json, key('reused')));
    const reused = '422 idempotency_key_reused';
    refused(await client.post('/api/v1/domains', { domain: 'reused2.example.net' }, key('reused')), reused);
    refused(await client.post('/api/v1/domains?_=1', json, key('reused')), reused);
    refused(await client.post('/api/v1/tokens', { name: 'x' }, key('reused')), reused);
    const body = `${JSON.stringify(json)} `;
    refused(
      await client.send('POST', '/api/v1/domains', {
        body,
        headers: { ...key('reused'), 'content-type': 'application/json' },
      }),
      reused,
    );
  });

  test('a rejected request can be retried with its key', async ({ world }) => {
    const zone = await world.zone();
    const json = { name: 'c', type: 'CNAME', content: 'x.example.org' };
    const blocking = await zone.add('c', 'A', '192.0.2.1');
    refused(await world.user.client.post(zone.records, json, key('retry')), '409 cname_conflict');
    succeeded(await world.user.client.delete(`${zone.records}/${blocking.id}`));
    const first = succeeded(await world.user.client.post(zone.records, json, key('retry')));
    assert.is((await world.user.client.post(zone.records, json, key('retry'))).text, first.text);
  });

  test('of concurrent duplicates, only one is executed', async ({ world }) => {
    const { client } = world.user;
    const zone = await world.zone();
    const before = world.daemon.writes();
    for (const [path, json] of [
      ['/api/v1/tokens', { name: 'at once' }],
      ['/api/v1/domains', { domain: 'at-once.example.net' }],
      [zone.records, { name: 'a', type: 'TXT', content: 'x' }],
      [`${zone.records}/batch`, { post: [{ name: 'b', type: 'TXT', content: 'x' }] }],
    ] as const) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => client.post(path, json, key(`at once ${path}`))),
      );
      for (const answer of answers) assert.is(succeeded(answer).text, answers[0].text);
      assert.is(new Set(answers.map(revisionOf)).size, 1);
    }
    assert.is(world.daemon.writes(), before + 4);
  });

  test('keys are separate for each account; tokens of one account with the same scopes share them', async ({
    world,
  }) => {
    const other = await world.member();
    const json = { name: 'shared key' };
    const first = succeeded(await world.user.client.post('/api/v1/tokens', json, key('shared')));
    const theirs = succeeded(await other.client.post('/api/v1/tokens', json, key('shared')));
    assert.is.not(theirs.body.token, first.body.token);
    const equal = await world.scoped(world.user.client, ['packages', 'account', 'proxy', 'dns']);
    assert.is((await equal.post('/api/v1/tokens', json, key('shared'))).text, first.text);
    const narrow = await world.scoped(world.user.client, ['account']);
    const answer = await narrow.post('/api/v1/tokens', json, key('shared'));
    refused(answer, '422 idempotency_key_reused');
    assert.not.ok(answer.text.includes('wp_'), 'a token that can do more');
  });

  test('the token in a replayed response works', async ({ world }) => {
    const json = { name: 'replayed', scopes: ['dns:read'] };
    await world.user.client.post('/api/v1/tokens', json, key('replayed'));
    const { body } = await world.user.client.post('/api/v1/tokens', json, key('replayed'));
    succeeded(await new Client(world.daemon, String(body.token)).get('/api/v1/domains'));
    const stored: string[] = [];
    for (const table of world.daemon.environment.rows.values())
      for (const { value } of table.getRange({})) stored.push(value.toString('latin1'));
    assert.not.ok(
      stored.some((value) => value.includes(String(body.token))),
      'in the open',
    );
  });

  test('a stored response survives the deletion of the object', async ({ world }) => {
    const { client } = world.user;
    const zone = await world.zone();
    const json = { name: 'a', type: 'A', content: '192.0.2.1' };
    const first = succeeded(await client.post(zone.records, json, key('deleted')));
    succeeded(await client.delete(`${zone.records}/${first.body.record.id}`));
    assert.is((await client.post(zone.records, json, key('deleted'))).text, first.text);
    succeeded(await client.delete(zone.path));
    assert.is((await client.post(zone.records, json, key('deleted'))).text, first.text);
    assert.is((await client.get(zone.path)).status, 404);
  });

  test('a token or role without the right gets no stored response', async ({ world }) => {
    const json = { name: 'guarded' };
    succeeded(await world.user.client.post('/api/v1/tokens', json, key('guarded')));
    const narrow = await world.scoped(world.user.client, ['account:read', 'dns']);
    refused(await narrow.post('/api/v1/tokens', json, key('guarded')), '403 insufficient_scope');
  });

  test('a key is 1 to 255 printable ASCII characters', async ({ world }) => {
    const post = (text: string) => world.user.client.post('/api/v1/tokens', { name: 'keyed' }, key(text));
    for (const text of ['x'.repeat(256), '""', 'ü', 'a\tb']) refused(await post(text), '400 invalid_idempotency_key');
    for (const text of ['x'.repeat(255), '8e03978e-40d5-43e8-bc93-6894a57f9324', '~', 'two words'])
      succeeded(await post(text));
    // The key in quotes, as a structured field, is the same key.
    assert.is((await post('"two words"')).text, (await post('two words')).text);
  });

  test('other methods ignore the key', async ({ world }) => {
    const zone = await world.zone();
    const { id } = await zone.add('a', 'A', '192.0.2.1');
    const path = `${zone.records}/${id}`;
    succeeded(await world.user.client.delete(path, key('delete')));
    refused(await world.user.client.delete(path, key('delete')), '404 no_such_record');
  });

  test('stores a response for 24 h', async ({ world }) => {
    const json = { name: 'a day' };
    const first = succeeded(await world.user.client.post('/api/v1/tokens', json, key('day')));
    const { now } = Date;
    const at = async (hours: number): Promise<Answer> => {
      const real = now();
      Date.now = () => real + hours * 3_600_000;
      try {
        return succeeded(await world.user.client.post('/api/v1/tokens', json, key('day')));
      } finally {
        Date.now = now;
      }
    };
    assert.is((await at(23.9)).text, first.text);
    assert.is.not((await at(24.1)).text, first.text);
  });
});
