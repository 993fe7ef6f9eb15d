/** Concurrent requests: after each response, the confirmed state is true. */
import * as assert from 'uvu/assert';
import { until } from '../../support/until.ts';
import { type Answer, listOf } from '../daemon.ts';
import { Client, everywhere, type Member, outcome, refused, succeeded } from './world.ts';

const ROUNDS = 5;

await everywhere('contract, races', (test) => {
  test('a deleted account leaves no domain', async ({ world }) => {
    for (let round = 0; round < ROUNDS; round++) {
      const member = await world.member({ plan: 'unlimited' });
      const names = Array.from({ length: 6 }, (_, i) => `d${i}.gone${round}.example`);
      const create = (domain: string) => member.client.post('/api/v1/domains', { domain });
      const [deleted, ...created] = await Promise.all([
        world.admin.delete(`/api/v1/accounts/${member.id}`),
        ...names.map(create),
      ]);
      if (deleted.status !== 200) refused(deleted, '409 has_domains');
      for (const [i, answer] of created.entries()) {
        if (deleted.status === 200) refused(answer, '401 invalid_token');
        // The name belongs to the client whose request succeeded, and to no other.
        const taken = (await world.admin.post('/api/v1/domains', { domain: names[i] })).status === 409;
        assert.is(taken, answer.status === 200, names[i]);
      }
    }
  });

  test('revoking access is not delayed by writes of its holders, and none of them commits afterwards', async ({
    world,
  }) => {
    const { admin } = world;
    const ends: readonly ((member: Member) => Promise<Answer>)[] = [
      ({ client, password }) =>
        client.put('/api/v1/account/password', { password, new_password: 'another secret', revoke_tokens: true }),
      ({ id }) => admin.patch(`/api/v1/accounts/${id}`, { password: 'another secret', revoke_tokens: true }),
      ({ id }) => admin.patch(`/api/v1/accounts/${id}`, { api_enabled: false }),
      ({ id }) => admin.delete(`/api/v1/accounts/${id}`),
    ];
    for (const end of ends) {
      const member = await world.member();
      const stolen = await world.scoped(member.client, ['account']);
      const tokens: Client[] = [];
      let isOver = false;
      const flood = async (): Promise<void> => {
        for (let i = 0; i < 50 && !isOver; i++) {
          const answer = await stolen.post('/api/v1/tokens', { name: 'thief' });
          if (answer.status !== 200)
            return void assert.match(outcome(answer), /^(401 invalid_token|403 api_disabled)$/);
          tokens.push(new Client(world.daemon, String(answer.body.token)));
        }
      };
      const flooding = Array.from({ length: 12 }, flood);
      await until(() => tokens.length >= 12);
      succeeded(await end(member));
      const before = tokens.length;
      for (const token of tokens.slice(0, before))
        assert.match(outcome(await token.get('/api/v1/account')), /^(401 invalid_token|403 api_disabled)$/);
      isOver = true;
      await Promise.all(flooding);
      for (const token of tokens)
        assert.match(outcome(await token.get('/api/v1/account')), /^(401 invalid_token|403 api_disabled)$/);
    }
  });

  test('a token or session that ends while its write waits writes nothing', async ({ world }) => {
    const member = await world.member({ plan: 'unlimited' });
    const other = await world.scoped(member.client, ['dns']);
    const { body } = succeeded(await member.client.get('/api/v1/tokens'));
    const id = listOf(body.tokens).at(-1)?.id;
    for (let round = 0; round < ROUNDS; round++) {
      const creations = Array.from({ length: 4 }, (_, i) =>
        other.post('/api/v1/domains', { domain: `late${round}-${i}.example` }),
      );
      const revoked = round === ROUNDS - 1 ? [member.client.delete(`/api/v1/tokens/${id}`)] : [];
      const [answers] = await Promise.all([Promise.all(creations), Promise.all(revoked)]);
      for (const answer of answers) assert.match(outcome(answer), /^(200|401 invalid_token)$/);
    }
    refused(await other.get('/api/v1/domains'), '401 invalid_token');
  });

  test('of a domain and its child, created by two accounts concurrently, only one is created', async ({ world }) => {
    const other = await world.member({ plan: 'unlimited' });
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await Promise.all([
        world.user.client.post('/api/v1/domains', { domain: `above${round}.example` }),
        other.client.post('/api/v1/domains', { domain: `a.b.above${round}.example` }),
      ]);
      assert.equal(answers.map(outcome).sort(), ['200', '409 zone_exists']);
    }
  });

  test('a login belongs to one account', async ({ world }) => {
    for (let round = 0; round < 3; round++) {
      const create = (username: string, email: string) =>
        world.admin.post('/api/v1/accounts', { username, email, password: 'long enough' });
      const names = await Promise.all([
        create(`Same${round}`, `a${round}@x.example`),
        create(`same${round}`, `b${round}@x.example`),
      ]);
      assert.equal(names.map(outcome).sort(), ['200', '409 username_taken']);
      const mails = await Promise.all([
        create(`c${round}`, `same${round}@x.example`),
        create(`d${round}`, `Same${round}@x.example`),
      ]);
      assert.equal(mails.map(outcome).sort(), ['200', '409 email_taken']);
    }
  });

  test('of records that exclude each other, only one is created', async ({ world }) => {
    const zone = await world.zone();
    for (let round = 0; round < ROUNDS; round++) {
      const batch = { post: [{ name: `r${round}`, type: 'TXT', content: 'x' }] };
      const answers = await Promise.all([
        zone.post(`r${round}`, 'CNAME', 'x.example.org'),
        zone.post(`R${round}`, 'CNAME', 'y.example.org'),
        world.user.client.post(`${zone.records}/batch`, batch),
      ]);
      assert.is(answers.filter(({ status }) => status === 200).length, 1);
      assert.is((await zone.list(`?name=r${round}`)).length, 1);
    }
  });

  test('a CNAME and a record that points to it', async ({ world }) => {
    const zone = await world.zone();
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await Promise.all([
        zone.post(`m${round}`, 'MX', `10 t${round}.${zone.domain}`),
        zone.post(`t${round}`, 'CNAME', 'x.example.org'),
      ]);
      assert.is(answers.filter(({ status }) => status === 200).length, 1, answers.map(outcome).join());
    }
  });

  test('a delegation and a record below it', async ({ world }) => {
    const zone = await world.zone();
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await Promise.all([
        zone.post(`d${round}`, 'NS', 'ns.example.org'),
        zone.post(`x.d${round}`, 'TXT', 'x'),
      ]);
      assert.is(answers.filter(({ status }) => status === 200).length, 1, answers.map(outcome).join());
    }
  });

  test('deleting a domain deletes every record', async ({ world }) => {
    for (let round = 0; round < ROUNDS; round++) {
      const zone = await world.zone();
      const writes = Array.from({ length: 6 }, (_, i): Promise<Answer> => zone.post(`r${i}`, 'A', '192.0.2.1'));
      const uploaded = world.user.client.upload(zone.zonefile, 'a A 192.0.2.1\n');
      const [deleted, ...others] = await Promise.all([world.user.client.delete(zone.path), uploaded, ...writes]);
      succeeded(deleted);
      for (const answer of others) if (answer.status !== 200) refused(answer, '404 no_such_domain');
      const { account } = (await world.user.client.get('/api/v1/account')).body;
      const domains = (await world.user.client.get('/api/v1/domains?limit=1000')).body.domains;
      const records = Object.values(domains).reduce((sum, domain) => sum + Number(domain.record_count), 0);
      assert.is(Number(account.dns_record_count), records);
    }
  });
});
