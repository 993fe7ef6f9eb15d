/**
 * A token that is restricted to domains sees and changes nothing else of its account. The endpoints
 * are those of the OpenAPI document, so that a new one is covered.
 */
import * as assert from 'uvu/assert';
import type { Answer } from '../daemon.ts';
import { concrete, type Ids, knownIds, parametersOf } from './routes.ts';
import { sampleOf } from './sample.ts';
import { snapshot } from './store.ts';
import { Client, each, everywhere, outcome, refused, succeeded, type World, walk, type Zone } from './world.ts';

const TOKENS = '/api/v1/tokens';
const DOMAINS = '/api/v1/domains';

async function restricted(world: World, client: Client, zones: readonly Zone[], scopes?: string[]): Promise<Client> {
  const json = { name: 'restricted', domains: zones.map(({ id }) => id), scopes };
  return new Client(world.daemon, String(succeeded(await client.post(TOKENS, json)).body.token));
}

interface Operation {
  readonly method: string;
  readonly path: string;
}

/** Of the OpenAPI document, those that need a token. */
async function operationsOf(world: World): Promise<Operation[]> {
  const { body } = await world.nobody.get('/api/v1/openapi.json');
  return Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation['x-scope'] !== undefined)
      .map(([method]) => ({ method: method.toUpperCase(), path })),
  );
}

/** The answer to an event stream does not end. */
const isStream = ({ path }: Operation): boolean => path === '/api/v1/events';

function sampleFor(world: World, { method, path }: Operation) {
  const route = world.daemon.api.routes.find((candidate) => candidate.method === method && candidate.path === path);
  return route === undefined ? {} : sampleOf(route);
}

/** Endpoints beyond those below a domain, with their answers. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ['GET /api/v1/domains', '200'],
  ['GET /api/v1/changes/{seq}', '200'],
  ['GET /api/v1/imports', '200'],
]);

/** Parameters of paths that identify no object of an account. */
const NO_IDS = new Set(['seq', 'name', 'type', 'revision']);

async function everything(zone: Zone): Promise<string[]> {
  const paths = ['', '/records', '/zonefile', '/proxy', '/dnssec'].map((path) => zone.path + path);
  return Promise.all(paths.map(async (path) => succeeded(await zone.client.get(path)).text));
}

await everywhere('contract, restricted tokens', (test) => {
  test('every endpoint: another domain of the account is like an unknown one', async ({ world }) => {
    const { client } = await world.member({ plan: 'unlimited' });
    const own = await world.zone(client);
    const other = await world.zone(client, 'hidden.example.org');
    const record = await other.add('secret', 'A', '192.0.2.1');
    const hidden = { ...(await knownIds(world)), domain_id: other.id, record_id: String(record.id) };
    const limited = await restricted(world, client, [own]);
    const before = snapshot(world.daemon.environment);
    let tried = 0;
    const comparable = ({ status, text }: Answer) => [status, text.replace(/"request_id":"\w+"/, '')];
    for (const operation of await operationsOf(world)) {
      const { method, path } = operation;
      if (isStream(operation)) continue;
      const sample = sampleFor(world, operation);
      const mixes: Ids[] = [hidden];
      if (parametersOf(path).filter((name) => !NO_IDS.has(name)).length > 1)
        mixes.push({ ...hidden, domain_id: own.id });
      for (const ids of mixes) {
        const answer = await limited.send(method, concrete(path, ids), sample);
        const what = `${method} ${path}: ${answer.text}`;
        if (path.includes('{domain_id}')) {
          // An administrator would not be refused by the scope.
          assert.match(outcome(answer), /^(404 no_such_\w+|403 insufficient_scope|422 \w+)$/, what);
          if (ids === hidden) {
            const absent = concrete(path, { ...hidden, domain_id: Number.MAX_SAFE_INTEGER });
            assert.equal(comparable(answer), comparable(await limited.send(method, absent, sample)), what);
          }
        } else
          assert.match(
            outcome(answer),
            OTHERS.has(`${method} ${path}`)
              ? new RegExp(`^${OTHERS.get(`${method} ${path}`)}$`)
              : /^403 (restricted_token|insufficient_scope|forbidden)$/,
            what,
          );
        for (const secret of ['hidden', 'secret', `"id":${other.id},"domain"`])
          assert.not.ok(answer.text.includes(secret), what);
        tried++;
      }
    }
    assert.ok(tried > 60, `${tried} requests`);
    assert.equal(snapshot(world.daemon.environment), before);
  });

  test('every endpoint below the chosen domain leaves the others as they are', async ({ world }) => {
    const { client } = await world.member({ plan: 'unlimited' });
    const own = await world.zone(client);
    const other = await world.zone(client);
    await other.add('www', 'A', '192.0.2.1');
    const limited = await restricted(world, client, [own]);
    const before = await everything(other);
    const operations = (await operationsOf(world)).filter(({ path }) => path.includes('{domain_id}'));
    const isDeletion = ({ method, path }: Operation): boolean => method === 'DELETE' && path.endsWith('{domain_id}');
    for (const operation of [
      ...operations.filter((candidate) => !isDeletion(candidate)),
      ...operations.filter(isDeletion),
    ]) {
      const record = succeeded(await own.post(`r${operations.indexOf(operation)}`, 'A', '192.0.2.1')).body.record;
      const path = concrete(operation.path, { domain_id: own.id, record_id: String(record.id) });
      const answer = await limited.send(operation.method, path, sampleFor(world, operation));
      assert.not.match(outcome(answer), /^(401|403 restricted_token)/, `${operation.method} ${path}`);
      assert.not.ok(answer.text.includes(other.domain), answer.text);
    }
    assert.equal(await everything(other), before);
    refused(await client.get(own.path), '404 no_such_domain');
  });

  test('lists have the chosen domains only: searched, sorted, counted, in pages', async ({ world }) => {
    const { client } = await world.member({ plan: 'unlimited' });
    const zones: Zone[] = [];
    for (const name of ['c', 'a', 'd', 'b']) zones.push(await world.zone(client, `${name}.restricted.example.net`));
    const limited = await restricted(world, client, zones.slice(0, 3));
    const names = async (query: string) =>
      each(await walk(limited, `${DOMAINS}?${query}`, 'domains'), 'domain').map((name) => name[0]);
    assert.equal(await names(''), ['a', 'c', 'd']);
    assert.equal(await names('limit=1'), ['a', 'c', 'd']);
    assert.equal(await names('limit=1&sort=-domain'), ['d', 'c', 'a']);
    assert.equal(await names('limit=1&sort=alphabetical'), ['a', 'c', 'd']);
    assert.equal(await names('limit=1&sort=created_at'), ['c', 'a', 'd']);
    assert.equal(await names('limit=2&sort=-record_count'), ['d', 'a', 'c']);
    assert.equal(await names('q=C.RESTR'), ['c']);
    assert.equal(await names('q=b.restr'), []);
    assert.is((await limited.get(DOMAINS)).body.total, 3);
    assert.is((await limited.get(`${DOMAINS}?q=d.r`)).body.total, 1);
    refused(await limited.get(`${DOMAINS}?cursor=xx`), '400 invalid_cursor');
    refused(await limited.get(`${DOMAINS}?account=${world.user.id}`), '403 forbidden');
  });

  test('a restricted token has scopes of domains only, and cannot get more', async ({ world }) => {
    const { client } = await world.member({ plan: 'unlimited' });
    const zone = await world.zone(client);
    const make = (scopes?: string[]) => client.post(TOKENS, { name: 'x', domains: [zone.id, zone.id], scopes });
    const { body } = succeeded(await make());
    assert.equal([body.scopes, body.domains], [['dns', 'proxy'], [zone.id]]);
    for (const scope of ['account', 'account:read', 'packages', 'packages:read'])
      refused(await make(['dns', scope]), '422 invalid_scope', '/scopes');
    const limited = new Client(world.daemon, String(body.token));
    refused(await limited.post(TOKENS, { name: 'wider' }), '403 insufficient_scope');
    refused(await limited.post(DOMAINS, { domain: 'new.example.net' }), '403 restricted_token');
    refused(await limited.post('/api/v1/tsig-keys', { name: 'key' }), '403 insufficient_scope');
    const reads = await restricted(world, client, [zone], ['dns:read']);
    succeeded(await reads.get(zone.records));
    refused(await reads.post(zone.records, { name: 'x', type: 'A', content: '192.0.2.1' }), '403 insufficient_scope');
    refused(await reads.get(`${zone.path}/proxy`), '403 insufficient_scope');
  });

  test('the domains must be of the account, also of that which an administrator acts for', async ({ world }) => {
    const { client, id } = await world.member({ plan: 'unlimited' });
    const [own, foreign] = [await world.zone(client), await world.zone()];
    const make = (by: Client, domain: Zone, query = '') =>
      by.post(TOKENS + query, { name: 'x', scopes: ['dns'], domains: [domain.id] });
    refused(await make(client, foreign), '422 no_such_domain', '/domains');
    refused(await make(world.admin, foreign), '422 no_such_domain', '/domains');
    refused(await make(world.admin, foreign, `?account=${id}`), '422 no_such_domain', '/domains');
    const made = succeeded(await make(world.admin, own, `?account=${id}`)).body;
    succeeded(await new Client(world.daemon, String(made.token)).get(own.records));
    // Of an administrator it reaches no domain of others either.
    const mine = await world.zone(world.admin);
    const limited = await restricted(world, world.admin, [mine]);
    succeeded(await limited.get(mine.path));
    for (const path of [own.path, foreign.path]) refused(await limited.get(path), '404 no_such_domain');
    const [entry] = await world.audit(`&account=${id}&action=token.create`);
    assert.equal(entry.detail.domains, [own.id]);
  });

  test('a response to another token is not repeated under its Idempotency-Key', async ({ world }) => {
    const { client } = await world.member({ plan: 'unlimited' });
    const [own, other] = [await world.zone(client), await world.zone(client)];
    const headers = { 'idempotency-key': 'shared' };
    const json = { name: 'once', type: 'A', content: '192.0.2.1' };
    const full = await world.scoped(client, ['dns']);
    succeeded(await full.post(other.records, json, headers));
    const limited = await restricted(world, client, [own], ['dns']);
    refused(await limited.post(other.records, json, headers), '422 idempotency_key_reused');
    const both = await restricted(world, client, [own, other], ['dns']);
    refused(await both.post(other.records, json, { 'idempotency-key': 'second' }), '409 record_exists');
  });

  test('a deleted domain is out of reach, also when it is created again', async ({ world }) => {
    const { client } = await world.member({ plan: 'unlimited' });
    const zone = await world.zone(client, 'again.example.org');
    const limited = await restricted(world, client, [zone]);
    succeeded(await limited.delete(zone.path));
    const again = await world.zone(client, 'again.example.org');
    for (const path of [zone.path, again.path]) refused(await limited.get(path), '404 no_such_domain');
    assert.equal((await limited.get(DOMAINS)).body.domains, []);
  });
});
