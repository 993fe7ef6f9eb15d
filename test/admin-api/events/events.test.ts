/** GET /api/v1/events: who receives what, resuming, limits, and the end of a stream. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { write } from '../../../core/journal/draft/draft.ts';
import { sessions, tokens } from '../../../core/store/rows.ts';
import { StoreReader } from '../../../core/store/store-reader.ts';
import { newId } from '../../support/ids.ts';
import { until } from '../../support/until.ts';
import { type Daemon, startDaemon } from '../daemon.ts';
import { testedTransports } from '../transports.ts';
import { EVENTS, type EventClient, openEvents } from './client.ts';

interface Member {
  readonly id: number;
  readonly token: string;
}

const tokenId = (token: string): number => Number(token.slice(3, 19));

function everywhere(transport: 'uws' | 'node'): void {
  const test = suite<{ daemon: Daemon; alice: Member; bob: Member }>(`events over ${transport}`);
  const open: EventClient[] = [];

  test.before(async (context) => {
    const daemon = await startDaemon(transport);
    const [alice, bob] = [await daemon.account('alice'), await daemon.account('bob')];
    Object.assign(context, { daemon, alice, bob });
  });
  test.after(({ daemon }) => daemon.stop());
  test.after.each(() => {
    for (const client of open.splice(0)) client.close();
  });

  const listen = async (...args: Parameters<typeof openEvents>): Promise<EventClient> => {
    const client = await openEvents(...args);
    open.push(client);
    return client;
  };
  let names = 0;
  const newDomain = async (daemon: Daemon, token: string): Promise<number> => {
    const { body } = await daemon.call('POST', '/api/v1/domains', {
      token,
      json: { domain: `events${++names}.example.net` },
    });
    return Number(body.domain.id);
  };
  const addRecord = async (daemon: Daemon, token: string, domain: number, name: string): Promise<number> => {
    const json = { name, type: 'A', content: '192.0.2.1' };
    const answer = await daemon.call('POST', `/api/v1/domains/${domain}/records`, { token, json });
    assert.is(answer.status, 200, answer.text);
    return Number(answer.headers.get('x-waypost-revision'));
  };
  const newToken = async (daemon: Daemon, token: string, scopes?: readonly string[]): Promise<string> =>
    String((await daemon.call('POST', '/api/v1/tokens', { token, json: { name: 'x', scopes } })).body.token);

  test('a change is sent to its owner and to administrators, not to others', async ({ daemon, alice, bob }) => {
    const [own, other, admin] = [
      await listen(daemon, alice.token),
      await listen(daemon, bob.token),
      await listen(daemon, daemon.adminToken),
    ];
    const domain = await newDomain(daemon, alice.token);
    const seq = await addRecord(daemon, alice.token, domain, 'www');
    for (const client of [own, admin]) {
      await client.has(`records ${domain}`);
      assert.equal(client.changes, [`domain ${domain}`, `records ${domain}`]);
      const { seq: sent, id } = client.events[1];
      assert.equal([sent, id], [seq, String(seq)]);
    }
    const foreign = await newDomain(daemon, bob.token);
    await other.has(`domain ${foreign}`);
    assert.equal(other.changes, [`domain ${foreign}`]);
    await admin.has(`domain ${foreign}`);
    assert.equal(own.changes, [`domain ${domain}`, `records ${domain}`]);
  });

  test('a token that is restricted to a domain receives its changes only', async ({ daemon, alice }) => {
    const [chosen, other] = [await newDomain(daemon, alice.token), await newDomain(daemon, alice.token)];
    const json = { name: 'restricted', domains: [chosen] };
    const { body } = await daemon.call('POST', '/api/v1/tokens', { token: alice.token, json });
    const client = await listen(daemon, String(body.token));
    await newToken(daemon, alice.token);
    await addRecord(daemon, alice.token, other, 'www');
    await daemon.call('DELETE', `/api/v1/domains/${other}`, { token: alice.token });
    await addRecord(daemon, alice.token, chosen, 'www');
    await client.has(`records ${chosen}`);
    assert.equal(client.changes, [`records ${chosen}`]);
  });

  test('the deletion of a domain is one event, for its owner only, also afterwards', async ({ daemon, alice, bob }) => {
    const domain = await newDomain(daemon, alice.token);
    const [own, other] = [await listen(daemon, alice.token), await listen(daemon, bob.token)];
    const start = own.lastId;
    await addRecord(daemon, alice.token, domain, 'www');
    assert.is((await daemon.call('DELETE', `/api/v1/domains/${domain}`, { token: alice.token })).status, 200);
    await own.has(`domain ${domain}`);
    const again = await listen(daemon, alice.token, { lastEventId: start });
    await again.has(`domain ${domain}`);
    for (const client of [own, again]) assert.equal(client.changes, [`records ${domain}`, `domain ${domain}`]);
    const theirs = await listen(daemon, bob.token, { lastEventId: start });
    const marker = await newDomain(daemon, bob.token);
    for (const client of [other, theirs]) {
      await client.has(`domain ${marker}`);
      assert.equal(client.changes, [`domain ${marker}`]);
    }
  });

  test('?account= is for administrators', async ({ daemon, alice, bob }) => {
    const client = await listen(daemon, daemon.adminToken, { query: `?account=${alice.id}` });
    const foreign = await newDomain(daemon, bob.token);
    const domain = await newDomain(daemon, alice.token);
    await client.has(`domain ${domain}`);
    assert.not(client.changes.includes(`domain ${foreign}`));
    for (const [id, status, code] of [
      [alice.id, 403, 'forbidden'],
      [Number.MAX_SAFE_INTEGER, 403, 'forbidden'],
    ] as const) {
      const answer = await daemon.call('GET', `${EVENTS}?account=${id}`, { token: bob.token });
      assert.equal([answer.status, String(answer.body.error.code)], [status, code]);
    }
    const unknown = await daemon.call('GET', `${EVENTS}?account=${Number.MAX_SAFE_INTEGER}`);
    assert.equal([unknown.status, String(unknown.body.error.code)], [404, 'no_such_account']);
  });

  test('an administrator without the scope "account" receives the own account only', async ({ daemon, alice }) => {
    const client = await listen(daemon, await newToken(daemon, daemon.adminToken, ['dns', 'proxy']));
    await newDomain(daemon, alice.token);
    const own = await newDomain(daemon, daemon.adminToken);
    await client.has(`domain ${own}`);
    assert.equal(client.changes, [`domain ${own}`]);
  });

  test('a token receives the kinds of its scopes', async ({ daemon, alice }) => {
    const [all, dns] = [
      await listen(daemon, alice.token),
      await listen(daemon, await newToken(daemon, alice.token, ['dns:read'])),
    ];
    const created = await newToken(daemon, alice.token);
    const domain = await newDomain(daemon, alice.token);
    const json = { origin: '1.1.1.1' };
    await daemon.call('PUT', `/api/v1/domains/${domain}/proxy`, { token: alice.token, json });
    await all.has(`proxy ${domain}`);
    assert.ok(all.changes.includes(`token ${tokenId(created)}`));
    await addRecord(daemon, alice.token, domain, 'www');
    await dns.has(`records ${domain}`);
    assert.not(
      dns.changes.some((change) => /^(token|proxy)/.test(change)),
      String(dns.changes),
    );
    const narrow = await newToken(daemon, alice.token, ['packages']);
    const answer = await daemon.call('GET', EVENTS, { token: narrow });
    assert.equal([answer.status, String(answer.body.error.code)], [403, 'insufficient_scope']);
  });

  test('a batch and an import are one event for each kind', async ({ daemon, alice }) => {
    const domain = await newDomain(daemon, alice.token);
    const client = await listen(daemon, alice.token);
    const post = Array.from({ length: 300 }, (_, i) => ({ name: `r${i}`, type: 'A', content: '192.0.2.1' }));
    const path = `/api/v1/domains/${domain}`;
    await daemon.call('POST', `${path}/records/batch`, { token: alice.token, json: { post } });
    await client.has(`records ${domain}`);
    assert.equal(client.changes, [`records ${domain}`]);
    // The row of the domain is replaced, because it has the apex of the file.
    const soa = '@ 300 SOA ns1.other.example. host.other.example. 1 3600 600 86400 60';
    const body = `${soa}\n@ 300 NS ns1.other.example.\nnew 300 A 192.0.2.3\n`;
    const headers = { 'content-type': 'text/dns' };
    const answer = await daemon.call('PUT', `${path}/zonefile?apex=keep`, { token: alice.token, body, headers });
    assert.is(answer.status, 200, answer.text);
    await until(() => client.events.length === 3, 'the events of the import');
    assert.equal(client.changes.slice(1).sort(), [`domain ${domain}`, `records ${domain}`]);
    await daemon.call('PUT', `${path}/dnssec`, { token: alice.token, json: { enabled: true } });
    await client.has(`dnssec ${domain}`);
    await daemon.call('PATCH', `/api/v1/accounts/${alice.id}`, { json: { plan: 'pro' } });
    await client.has(`account ${alice.id}`);
  });

  test('resumes by Last-Event-ID, also after a restart', async ({ daemon, alice }) => {
    const first = await listen(daemon, alice.token);
    const domain = await newDomain(daemon, alice.token);
    await first.has(`domain ${domain}`);
    const { lastId } = first;
    const missed: number[] = [];
    for (const name of ['a', 'b']) missed.push(await addRecord(daemon, alice.token, domain, name));
    await daemon.restart();
    await first.ended();
    missed.push(await addRecord(daemon, alice.token, domain, 'c'));
    const second = await listen(daemon, alice.token, { lastEventId: lastId });
    await until(() => second.events.length === missed.length, 'the missed events');
    assert.equal(
      second.events.map(({ event, seq }) => [event, seq]),
      missed.map((seq) => ['change', seq]),
    );
    const third = await listen(daemon, alice.token, { lastEventId: second.lastId });
    assert.equal(third.lastId, second.lastId);
    const fourth = await listen(daemon, alice.token, { query: `?after=${lastId}` });
    await until(() => fourth.events.length === missed.length, 'the missed events again');
    const fifth = await listen(daemon, alice.token, { query: `?after=${lastId}`, lastEventId: second.lastId });
    assert.is(fifth.lastId, second.lastId, 'a browser connects again with the header');
  });

  test('sends reload if the id is too old, ahead, or not an id', async ({ daemon, alice }) => {
    const row = { accountId: 1, name: 'x', hash: '', scopes: [], createdAt: 0, expiresAt: null };
    // More than the journal keeps.
    await Promise.all(
      Array.from({ length: 1100 }, () =>
        write(daemon.environment, daemon.journal, 'test', (draft) => draft.put(tokens, { ...row, id: newId() })),
      ),
    );
    for (const lastEventId of ['0', '1', '999999999999', '1e3', 'x', '-1']) {
      const client = await listen(daemon, alice.token, { lastEventId });
      await until(() => client.events.length > 0, `an event after ${lastEventId}`);
      assert.equal(
        client.events.map(({ event, seq }) => [event, seq]),
        [['reload', daemon.journal.head]],
        lastEventId,
      );
      client.close();
    }
  });

  test('ends when the token is revoked or API access is turned off', async ({ daemon, alice, bob }) => {
    const revoked = await newToken(daemon, alice.token);
    const [ends, stays] = [await listen(daemon, revoked), await listen(daemon, alice.token)];
    await daemon.call('DELETE', `/api/v1/tokens/${tokenId(revoked)}`, { token: alice.token });
    await ends.ended();
    assert.not(ends.changes.includes(`token ${tokenId(revoked)}`), 'nothing is sent after the revocation');
    await stays.has(`token ${tokenId(revoked)}`);
    const off = await listen(daemon, bob.token);
    const setAccess = (isEnabled: boolean) =>
      daemon.call('PATCH', `/api/v1/accounts/${bob.id}`, { json: { api_enabled: isEnabled } });
    await setAccess(false);
    await off.ended();
    await setAccess(true);
    assert.not(stays.isEnded);
  });

  test('a session receives all kinds, and its stream ends with it', async ({ daemon }) => {
    const dave = await daemon.account('dave');
    const signIn = async (): Promise<string> => {
      const json = { login: 'dave', password: 'dave secret' };
      const { headers } = await daemon.call('POST', '/api/v1/session', { token: null, json });
      return String(headers.get('set-cookie')).split(';')[0];
    };
    const [cookie, other] = [await signIn(), await signIn()];
    const [ends, stays] = [await listen(daemon, cookie), await listen(daemon, other)];
    const domain = await newDomain(daemon, dave.token);
    await ends.has(`domain ${domain}`);
    const created = await newToken(daemon, dave.token);
    await ends.has(`token ${tokenId(created)}`);
    const get = await daemon.call('GET', '/api/v1/session', { token: null, headers: { cookie } });
    const headers = { cookie, 'x-waypost-csrf': String(get.body.csrf_token) };
    const answer = await daemon.call('DELETE', '/api/v1/session', { token: null, headers });
    assert.is(answer.status, 200, answer.text);
    await ends.ended();
    await until(() => stays.changes.some((change) => change.startsWith('session ')), 'the event of the session');
    assert.not(
      ends.changes.some((change) => change.startsWith('session ')),
      'nothing is sent after the end',
    );
    for (const secret of [cookie, 'waypost_session=x'])
      assert.is((await daemon.call('GET', EVENTS, { token: null, headers: { cookie: secret } })).status, 401);
  });

  test('a stream does not prolong its session', async ({ daemon }) => {
    const { id } = await daemon.account('erin');
    const json = { login: 'erin', password: 'erin secret' };
    const { headers } = await daemon.call('POST', '/api/v1/session', { token: null, json });
    const client = await listen(daemon, String(headers.get('set-cookie')).split(';')[0]);
    const reader = new StoreReader(daemon.environment);
    const [row] = reader.sessionsOf(id);
    const usedAt = row.usedAt - 3600;
    await write(daemon.environment, daemon.journal, 'test', (draft) => draft.put(sessions, { ...row, usedAt }));
    const domain = await newDomain(daemon, daemon.adminToken);
    const admin = await listen(daemon, daemon.adminToken, { lastEventId: String(daemon.journal.head - 1) });
    await admin.has(`domain ${domain}`);
    await client.has(`session ${row.id}`);
    assert.is(reader.session(row.id)?.usedAt, usedAt);
    const expired = { ...row, usedAt: 0 };
    await write(daemon.environment, daemon.journal, 'test', (draft) => draft.put(sessions, expired));
    await client.ended();
  });

  test('an account has a limited number of streams, and a closed one counts no more', async ({ daemon, alice }) => {
    const { token } = await daemon.account('carol');
    const clients = [];
    for (let i = 0; i < 20; i++) clients.push(await listen(daemon, token));
    const over = await daemon.call('GET', EVENTS, { token });
    assert.equal([over.status, String(over.body.error.code)], [429, 'too_many_streams']);
    assert.ok(Number(over.headers.get('retry-after')) >= 1);
    assert.is((await daemon.call('HEAD', EVENTS, { token: alice.token })).status, 200);
    await listen(daemon, alice.token);
    clients[0].close();
    // The service learns of the end when the connection is closed.
    let status = 0;
    for (let i = 0; i < 200 && status !== 200; i++) {
      status = (await daemon.call('GET', EVENTS, { token })).status;
      await sleep(10);
    }
    assert.is(status, 200);
  });

  test('HEAD does not occupy a stream', async ({ daemon, alice }) => {
    for (let i = 0; i < 30; i++) assert.is((await daemon.call('HEAD', EVENTS, { token: alice.token })).status, 200);
  });

  test.run();
}

for (const transport of await testedTransports('events')) everywhere(transport);
