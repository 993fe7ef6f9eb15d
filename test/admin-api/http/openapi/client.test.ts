/**
 * A client drives the API through a whole life of a domain. The compiler checks each request
 * against the types of the routes; at run time, each response is checked against the document.
 */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Client, type ClientRequest, createClient, sendRequest } from '../../../../admin-api/http/client.ts';
import type { ApiRoute } from '../../../../admin-api/routes/routes.ts';
import { type Daemon, PASSWORD, startDaemon } from '../../daemon.ts';
import { testedTransports } from '../../transports.ts';
import { documented } from './validate.ts';

interface World {
  readonly daemon: Daemon;
  readonly document: object;
  readonly client: Client<ApiRoute>;
  /** Sent with each request, once there is one. */
  token: string | null;
}

/** The body of a response; throws for an error. */
function dataOf<T>(result: { data?: T; error?: unknown; response: Response }): T {
  const { data, error, response } = result;
  if (data === undefined) throw new Error(`${response.status} ${JSON.stringify(error)}`);
  return data;
}

const revisionOf = ({ headers }: Response): number => Number(headers.get('x-waypost-revision'));

/** Sends a request with the token of the world, and checks the response against the document. */
async function send(world: World, request: ClientRequest): Promise<Response> {
  const { method, route, headers } = request;
  if (world.token !== null) headers.authorization ??= `Bearer ${world.token}`;
  const response = await sendRequest(request);
  const isJson = response.headers.get('content-type') === 'application/json';
  const body: unknown = isJson ? await response.clone().json() : undefined;
  assert.is(documented(world.document, method, route, response.status, body), null);
  return response;
}

/** One record of every type: content as it is returned. */
const RECORDS: readonly (readonly [name: string, type: string, content: string])[] = [
  ['@', 'ALIAS', 'origin.example.org.'],
  ['www', 'A', '192.0.2.1'],
  ['www', 'AAAA', '2001:db8::1'],
  ['docs', 'CNAME', 'www.example.net.'],
  ['@', 'MX', '10 mail.example.org.'],
  ['@', 'TXT', '"v=spf1 -all"'],
  ['sub', 'NS', 'ns1.example.org.'],
  ['_sip._tcp', 'SRV', '10 5 5060 sip.example.org.'],
  ['@', 'CAA', '0 issue "ca.example"'],
  ['ptr', 'PTR', 'host.example.org.'],
  ['svc', 'HTTPS', '1 . alpn="h2"'],
  ['_dns', 'SVCB', '1 dns.example.org. port=853'],
  ['_443._tcp.www', 'TLSA', `3 1 1 ${'AB'.repeat(32)}`],
  ['www', 'SSHFP', `4 2 ${'CD'.repeat(32)}`],
  ['sub', 'DS', `12345 13 2 ${'EF'.repeat(32)}`],
  ['enum', 'NAPTR', '100 10 "u" "E2U+sip" "!^.*$!sip:info@example.net!" .'],
  ['old', 'DNAME', 'new.example.org.'],
  ['hq', 'LOC', '52 22 23.000 N 4 53 32.000 E -2.00m 1.00m 10000.00m 10.00m'],
  ['ftp', 'URI', '10 1 "ftp://ftp.example.org/"'],
];

function everywhere(transport: 'uws' | 'node'): void {
  const test = suite<World>(`client over ${transport}`);
  test.before(async (context) => {
    const daemon = await startDaemon(transport);
    const { body: document } = await daemon.call('GET', '/api/v1/openapi.json', { token: null });
    const client = createClient<ApiRoute>(daemon.url, (request) => send(context, request));
    Object.assign(context, { daemon, document, client, token: null });
  });
  test.after(({ daemon }) => daemon.stop());

  test('uses the API from login to the deletion of a domain', async (world) => {
    const { client } = world;
    // 1. A token for a password; a wrong one is identified by its code.
    const login = { login: 'admin', name: 'scenario' };
    const refused = await client.POST('/api/v1/auth/token', { body: { ...login, password: 'wrong' } });
    assert.is(refused.error?.error.code, 'bad_credentials');
    const { token, user } = dataOf(await client.POST('/api/v1/auth/token', { body: { ...login, password: PASSWORD } }));
    assert.is(user.username, 'admin');
    world.token = token;

    // 2. The own account.
    const { account } = dataOf(await client.GET('/api/v1/account'));
    assert.equal([account.id, account.domain_count], [user.id, 0]);

    // 3. A domain; the repeated request returns the same response.
    const once = { params: { header: { 'Idempotency-Key': 'scenario-1' } }, body: { domain: 'example.net' } };
    const { domain } = dataOf(await client.POST('/api/v1/domains', once));
    const again = await client.POST('/api/v1/domains', once);
    assert.equal([dataOf(again).domain, again.response.headers.get('idempotent-replayed')], [domain, 'true']);
    const path = { domain_id: domain.id };
    const taken = await client.POST('/api/v1/domains', { body: { domain: 'example.net' } });
    assert.is(taken.error?.error.code, 'zone_exists');

    // 4. Records of each type.
    const records: { readonly id: number; readonly content: string }[] = [];
    for (const [name, type, content] of RECORDS) {
      const body = { name, type, content, ttl: 600 };
      const { record } = dataOf(await client.POST('/api/v1/domains/{domain_id}/records', { params: { path }, body }));
      assert.equal([record.name, record.type, record.content.toUpperCase()], [name, type, content.toUpperCase()]);
      records.push(record);
    }

    // 5. The list: filtered, and in pages.
    const listed = await client.GET('/api/v1/domains/{domain_id}/records', {
      params: { path, query: { name: 'www', type: 'A', content: '192.0.2.1' } },
    });
    assert.equal(
      dataOf(listed).records,
      records.filter(({ content }) => content === '192.0.2.1'),
    );
    const found: number[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = dataOf(
        await client.GET('/api/v1/domains/{domain_id}/records', { params: { path, query: { limit: 7, cursor } } }),
      );
      assert.ok(page.records.length <= 7);
      found.push(...page.records.map(({ id }) => id));
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    assert.equal(found.sort(), records.map(({ id }) => id).sort());

    // 6. A conditional change, and one with an old revision.
    const record_id = records[1].id;
    const seen = await client.GET('/api/v1/domains/{domain_id}', { params: { path } });
    const header = { 'If-Match': seen.response.headers.get('etag') ?? '' };
    const www = { name: 'www', type: 'A', content: '192.0.2.2' };
    const changed = await client.PUT('/api/v1/domains/{domain_id}/records/{record_id}', {
      params: { path: { ...path, record_id }, header },
      body: www,
    });
    assert.equal([dataOf(changed).record.content, dataOf(changed).record.ttl], ['192.0.2.2', 600]);
    const late = await client.DELETE('/api/v1/domains/{domain_id}/records/{record_id}', {
      params: { path: { ...path, record_id }, header },
    });
    assert.equal([late.response.status, late.error?.error.code], [412, 'changed']);

    // 7. A batch; one error changes nothing.
    const batch = await client.POST('/api/v1/domains/{domain_id}/records/batch', {
      params: { path },
      body: {
        delete: [records[3].id],
        put: [{ id: record_id, ...www, content: '192.0.2.3' }],
        post: [{ name: 'docs', type: 'TXT', content: 'bare', proxied: null }],
      },
    });
    const { deleted, updated, created } = dataOf(batch);
    assert.equal([deleted, updated[0].content, created[0].content], [[records[3].id], '192.0.2.3', '"bare"']);
    const faulty = await client.POST('/api/v1/domains/{domain_id}/records/batch', {
      params: { path },
      body: { post: [www, { ...www, content: 'no address' }] },
    });
    assert.equal(
      [faulty.response.status, faulty.error?.error.code, faulty.error?.error.pointer],
      [422, 'invalid_content', '/post/1/content'],
    );

    // 8. Every node has applied the change.
    const seq = revisionOf(batch.response);
    const change = dataOf(await client.GET('/api/v1/changes/{seq}', { params: { path: { seq } } }));
    assert.equal([change.seq, change.pending], [seq, []]);

    // 9. Exports the zone file, and imports it again.
    const file = dataOf(
      await client.GET('/api/v1/domains/{domain_id}/zonefile', { params: { path }, parseAs: 'text' }),
    );
    assert.match(file, /192\.0\.2\.3/);
    const put = { params: { path }, headers: { 'Content-Type': 'text/dns' } };
    const imported = dataOf(await client.PUT('/api/v1/domains/{domain_id}/zonefile', { ...put, body: file }));
    assert.equal([imported.records, imported.domain.record_count], [RECORDS.length, RECORDS.length]);
    const bad = await client.PUT('/api/v1/domains/{domain_id}/zonefile', {
      ...put,
      params: { path, query: { apex: 'service' } },
      body: 'www A 192.0.2.1\nwww A nonsense\n',
    });
    assert.equal([bad.error?.error.code, bad.error?.error.details?.[0].line], ['invalid_zonefile', 2]);

    // 10. The proxy: no private origin, a public one, on and off.
    const inside = await client.PUT('/api/v1/domains/{domain_id}/proxy', {
      params: { path },
      body: { origin: '127.0.0.1' },
    });
    assert.equal([inside.response.status, inside.error?.error.code], [422, 'private_origin']);
    const outside = { params: { path }, body: { origin: '8.8.8.8', port: 8443, protocol: 'https' as const } };
    const set = dataOf(await client.PUT('/api/v1/domains/{domain_id}/proxy', outside));
    assert.equal([set.proxy.origin_host, set.proxy.origin_port, set.proxy.is_enabled], ['8.8.8.8', 8443, 0]);
    const toggle = (enable: boolean) =>
      client.POST('/api/v1/domains/{domain_id}/proxy/toggle', { params: { path }, body: { enable } });
    assert.is(dataOf(await toggle(true)).proxy.is_enabled, 1);
    assert.is(dataOf(await client.GET('/api/v1/domains/{domain_id}', { params: { path } })).domain.proxy_enabled, true);
    const purge = await client.POST('/api/v1/domains/{domain_id}/proxy/purge', {
      params: { path },
      body: { urls: ['https://www.example.net/a.css'] },
    });
    assert.equal(dataOf(purge).purge.urls, ['https://www.example.net/a.css']);
    assert.is(
      dataOf(await client.POST('/api/v1/domains/{domain_id}/proxy/purge', { params: { path } })).purge.everything,
      true,
    );
    await toggle(false);
    const { proxy } = dataOf(await client.GET('/api/v1/domains/{domain_id}/proxy', { params: { path } }));
    assert.is(proxy.is_enabled, 0);

    // 11. Tokens: one with fewer scopes, which is rejected; then none.
    const scoped = dataOf(
      await client.POST('/api/v1/tokens', { body: { name: 'reader', scopes: ['dns:read'], expires_at: null } }),
    );
    const reader = { headers: { authorization: `Bearer ${scoped.token}` } };
    assert.is(dataOf(await client.GET('/api/v1/domains', reader)).domains.length, 1);
    const forbidden = await client.POST('/api/v1/domains', { ...reader, body: { domain: 'example.com' } });
    assert.is(forbidden.error?.error.code, 'insufficient_scope');
    const { tokens } = dataOf(await client.GET('/api/v1/tokens'));
    assert.equal(tokens.map(({ name }) => name).sort(), ['reader', 'scenario', 'test']);
    const revoked = { params: { path: { token_id: scoped.id } } };
    assert.is(dataOf(await client.DELETE('/api/v1/tokens/{token_id}', revoked)).ok, true);
    assert.is((await client.DELETE('/api/v1/tokens/{token_id}', revoked)).error?.error.code, 'no_such_token');

    // 12. Accounts, as an administrator.
    const body = { username: 'other', password: 'a long secret', email: null, role: 'viewer' as const };
    const { account: other } = dataOf(await client.POST('/api/v1/accounts', { body }));
    const target = { params: { path: { account_id: other.id } } };
    const off = dataOf(
      await client.PATCH('/api/v1/accounts/{account_id}', { ...target, body: { api_enabled: false } }),
    );
    assert.is(off.account.api_enabled, false);
    assert.is(dataOf(await client.GET('/api/v1/accounts')).accounts.length, 2);
    dataOf(await client.DELETE('/api/v1/accounts/{account_id}', target));

    // 13. The audit log has all changes, newest first.
    const { entries } = dataOf(
      await client.GET('/api/v1/audit', { params: { query: { domain: 'example.net', limit: 1000 } } }),
    );
    assert.is(entries[entries.length - 1].action, 'domain.create');
    assert.is(entries.filter(({ action }) => action === 'record.create').length, RECORDS.length);

    // 14. Monitoring of the node.
    assert.is(dataOf(await client.GET('/healthz')).ok, true);
    assert.equal(dataOf(await client.GET('/readyz')).reasons, []);
    assert.match(dataOf(await client.GET('/metrics', { parseAs: 'text' })), /^# HELP /m);

    // 15. Deletes the domain and revokes the token.
    assert.is(dataOf(await client.DELETE('/api/v1/domains/{domain_id}', { params: { path } })).ok, true);
    const gone = await client.GET('/api/v1/domains/{domain_id}', { params: { path } });
    assert.equal([gone.response.status, gone.error?.error.code], [404, 'no_such_domain']);
  });

  test.run();
}

const types = suite('client, types');

types('the compiler rejects a call that its route does not have', async () => {
  const client = createClient<ApiRoute>('', async () => new Response('{"ok":true}'));
  const params = { path: { domain_id: 1 } };
  const outcomes = await Promise.all([
    // @ts-expect-error: there is no such path
    client.GET('/api/v1/domain'),
    // @ts-expect-error: the path has a parameter
    client.GET('/api/v1/domains/{domain_id}'),
    // @ts-expect-error: there is no such query parameter
    client.GET('/api/v1/domains', { params: { query: { accounts: 1 } } }),
    // @ts-expect-error: the query parameter is a number
    client.GET('/api/v1/domains', { params: { query: { account: 'alice' } } }),
    // @ts-expect-error: the body is not optional
    client.POST('/api/v1/domains'),
    // @ts-expect-error: there is no such field
    client.POST('/api/v1/domains', { body: { domain: 'example.com', type: 'primary' } }),
    // @ts-expect-error: there is no such kind
    client.POST('/api/v1/domains', { body: { domain: 'example.com', kind: 'tertiary' } }),
    // @ts-expect-error: the request has no JSON body
    client.POST('/api/v1/domains/{domain_id}/proxy/certificate', { params, body: {} }),
  ]);
  assert.equal(
    outcomes.map(({ data }) => data),
    outcomes.map(() => ({ ok: true })),
  );
});

types.run();

for (const transport of await testedTransports('client')) everywhere(transport);
