/** The API contract: rate limits. */
import * as assert from 'uvu/assert';
import { Client, everywhere, refused, succeeded } from './world.ts';

const WINDOW = 300;

await everywhere(
  'contract, rate limits',
  (test) => {
    test('token bucket per token: RateLimit and RateLimit-Policy on every response, 429 with Retry-After', async ({
      world,
    }) => {
      const { token } = await world.daemon.account('limited');
      const client = new Client(world.daemon, token);
      // Rejected requests count too, and have the headers.
      for (const [left, path] of [
        [3, '/api/v1/account'],
        [2, '/api/v1/domains/x'],
        [1, '/api/v1/accounts'],
        [0, '/api/v1/domains?limit=0'],
      ] as const) {
        const { headers } = await client.get(path);
        assert.is(headers.get('ratelimit-policy'), `"default";q=4;w=${WINDOW}`);
        assert.match(headers.get('ratelimit') ?? '', new RegExp(`^"default";r=${left};t=\\d+$`));
      }
      const answer = await client.get('/api/v1/account');
      refused(answer, '429 too_many_requests');
      assert.match(answer.headers.get('ratelimit') ?? '', /^"default";r=0;t=\d+$/);
      const wait = Number(answer.headers.get('retry-after'));
      assert.ok(wait >= 1 && wait <= WINDOW / 4, `${wait}`);
      refused(await client.post('/api/v1/domains', { domain: 'limited.example.net' }), '429 too_many_requests');
    });

    test('each token has its own limit', async ({ world }) => {
      const { token } = await world.daemon.account('unhurried');
      succeeded(await new Client(world.daemon, token).get('/api/v1/account'));
    });

    test('the token exchange has a limit per login and address', async ({ world }) => {
      const attempt = (login: string) =>
        world.nobody.post('/api/v1/auth/token', { login, password: 'wrong', name: 'x' });
      for (let left = 2; left >= 0; left--) {
        const answer = await attempt('somebody');
        refused(answer, '401 bad_credentials');
        assert.is(answer.headers.get('ratelimit-policy'), '"login";q=3;w=60');
        assert.match(answer.headers.get('ratelimit') ?? '', new RegExp(`^"login";r=${left};`));
      }
      refused(await attempt('somebody'), '429 too_many_requests');
      refused(await attempt('SomeBody'), '429 too_many_requests');
      refused(await attempt('another'), '401 bad_credentials');
    });
  },
  { WAYPOST_RATE_LIMIT: '4', WAYPOST_ADMIN_LOGIN_RATE_LIMIT: '3' },
);

await everywhere(
  'contract, rate limits of accounts',
  (test) => {
    test('an account has five times the rate of a token over all its tokens; an administrator has no such limit', async ({
      world,
    }) => {
      // Each token makes the next one, and then uses what is left of its own rate.
      const tokensOf = async (first: Client): Promise<Client[]> => {
        const clients = [first];
        while (clients.length < 6) clients.push(await world.scoped(clients[clients.length - 1], ['account']));
        for (const client of clients.slice(0, 5))
          for (let i = 0; i < 3; i++) succeeded(await client.get('/api/v1/account'));
        return clients;
      };
      const { client } = await world.member();
      const last = (await tokensOf(client))[5];
      const answer = await last.get('/api/v1/account');
      refused(answer, '429 too_many_requests');
      assert.is(answer.headers.get('ratelimit-policy'), `"account";q=20;w=${WINDOW}`);
      assert.match(answer.headers.get('ratelimit') ?? '', /^"account";r=0;t=\d+$/);
      assert.ok(Number(answer.headers.get('retry-after')) >= 1);
      const { token } = await world.daemon.account('operator', { role: 'admin' });
      succeeded(await (await tokensOf(new Client(world.daemon, token)))[5].get('/api/v1/account'));
    });
  },
  { WAYPOST_RATE_LIMIT: '4' },
);

await everywhere(
  'contract, rate limits by default',
  (test) => {
    test('the defaults are 1,200 requests in 5 minutes and 10 logins per minute', async ({ world }) => {
      assert.is(
        (await world.user.client.get('/api/v1/account')).headers.get('ratelimit-policy'),
        '"default";q=1200;w=300',
      );
      const login = await world.nobody.post('/api/v1/auth/token', { login: 'x', password: 'x', name: 'x' });
      assert.is(login.headers.get('ratelimit-policy'), '"login";q=10;w=60');
    });
  },
  { WAYPOST_RATE_LIMIT: '1200', WAYPOST_ADMIN_LOGIN_RATE_LIMIT: '10' },
);
