/**
 * Every endpoint with valid and invalid bodies, parameters and headers: every response is in the
 * OpenAPI document, and the stored data stays valid.
 */

import * as assert from 'uvu/assert';
import type { Route } from '../../../admin-api/http/route.ts';
import { openSecrets } from '../../../core/base/secrets.ts';
import { Signers } from '../../../core/journal/apply/signers.ts';
import { rebuildAnswers } from '../../../core/journal/upkeep/rebuild.ts';
import { depth } from '../../support/depth.ts';
import fc from '../../support/fc.ts';
import { SEED } from '../../support/seed.ts';
import type { CallOptions } from '../call-options.ts';
import { type Answer, APEX, type Json, listOf } from '../daemon.ts';
import { FORM_TYPE, packageForm, packageText, UPLOAD } from '../miniapp/packages/package.ts';
import { CANARY, headers, jsonBody, packageUpload, part, zoneFile } from './arbitraries.ts';
import { concrete, type Ids, parametersOf } from './routes.ts';
import { entriesOf } from './store.ts';
import { type Client, each, everywhere, succeeded, type World, walk, Zone } from './world.ts';

const RUNS = depth({ quick: 200, moderate: 500, full: 10_000 });
/** Fewer on etcd: the results are the same, and each write is slower. */
const RUNS_ON_ETCD = 300;
/** Maximum concurrent requests. */
const AT_ONCE = 4;

/** The objects that requests use; created again when one is deleted. */
class Targets {
  ids: Ids = {};
  /** The token and the account that the requests are made with. They are small numbers, too. */
  own: Ids = {};
  #made = 0;

  async renew(world: World): Promise<void> {
    const n = ++this.#made;
    const { admin } = world;
    const zone = await world.zone(admin, `fuzz${n}.example.net`);
    const record = await zone.add('www', 'A', '192.0.2.1');
    const mail = await zone.add('mail', 'MX', '10 mail.example.org');
    await fewTokens(admin);
    const token = succeeded(await admin.post('/api/v1/tokens', { name: 'spare' })).body;
    const json = { username: `spare${n}`, password: 'spare secret' };
    const form = packageForm(packageText(`com.example.fuzz${n}`, 1, n % 2 === 0 ? 'approve' : 'review'));
    const { upload } = succeeded(await admin.send('POST', UPLOAD, form)).body;
    const { account } = succeeded(await admin.post('/api/v1/accounts', json)).body;
    const { id } = succeeded(await admin.get('/api/v1/account')).body.account as Json;
    this.own = { token_id: tokenId(admin), account_id: String(id) };
    this.ids = {
      domain_id: zone.id,
      record_id: String(record.id),
      other_record: String(mail.id),
      token_id: String(token.id),
      account_id: String(account.id),
      app_id: String(upload.app_id),
      upload_id: String(upload.id),
      seq: '1',
    };
  }
}

/** Revokes created tokens before the account reaches its limit. */
async function fewTokens(client: Client): Promise<void> {
  const ids = each(listOf(succeeded(await client.get('/api/v1/tokens?limit=1000')).body.tokens), 'id');
  if (ids.length < 500) return;
  for (const id of ids) if (tokenId(client) !== String(id)) succeeded(await client.delete(`/api/v1/tokens/${id}`));
}

/** The text of a token contains its id. */
const tokenId = ({ token }: Client): string => String(Number(String(token).slice(3, 19)));

interface Attempt {
  readonly route: Route;
  readonly path: string;
  readonly options: CallOptions;
}

/** Most rules apply to these paths. */
const weightOf = ({ path }: Route): number => (path.includes('/records') || path.endsWith('/zonefile') ? 4 : 2);

function attempts(routes: readonly Route[], targets: Targets): fc.Arbitrary<Attempt> {
  return fc.oneof(
    ...routes.map((route) => ({
      weight: route.path.startsWith('/api/v1/d') ? weightOf(route) : 1,
      arbitrary: attempt(route, targets),
    })),
  );
}

/** The ids of `targets` are read when the request is made, because they change. */
function attempt(route: Route, targets: Targets): fc.Arbitrary<Attempt> {
  const ids = () => Object.values(targets.ids).map(String);
  const parameters = fc.record(
    Object.fromEntries(
      parametersOf(route.path).map((name) => [
        name,
        fc.oneof({ weight: 12, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: part }),
      ]),
    ),
  );
  const names = [...Object.keys(route.query ?? {}), '__proto__', 'x'];
  const query = fc.oneof(
    { weight: 2, arbitrary: fc.constant<[string, string][]>([]) },
    { weight: 1, arbitrary: fc.array(fc.tuple(fc.constantFrom(...names), part), { maxLength: 3 }) },
  );
  const some: fc.Arbitrary<Buffer | undefined> =
    route.form !== undefined
      ? packageUpload()
      : route.bodyTypes !== undefined
        ? zoneFile()
        : route.body !== undefined
          ? jsonBody(route.body, ids)
          : fc.constant(undefined);
  const bytes = fc.oneof({ weight: 29, arbitrary: some }, { weight: 1, arbitrary: fc.constant(undefined) });
  const type = route.form !== undefined ? FORM_TYPE : (route.bodyTypes?.[0] ?? 'application/json');
  const types = fc.oneof(
    { weight: 29, arbitrary: fc.constant(type) },
    { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'x') },
  );
  return fc.tuple(parameters, query, bytes, types, headers).map(([given, pairs, body, contentType, more]) => ({
    route,
    [fc.toStringMethod](): string {
      const text = body?.toString('latin1') ?? '';
      return `${route.method} ${this.path} ${contentType} ${JSON.stringify(more)} ${JSON.stringify(text.slice(0, 2000))}`;
    },
    get path(): string {
      const escaped = Object.fromEntries(
        Object.entries(given).map(([name, text]) => [
          name,
          text === null || text === targets.own[name] ? targets.ids[name] : encodeURIComponent(text),
        ]),
      );
      const search = new URLSearchParams(pairs).toString();
      return concrete(route.path, escaped) + (search === '' ? '' : `?${search}`);
    },
    options: { body, headers: body === undefined ? more : { 'content-type': contentType, ...more } },
  }));
}

function noInput(answer: Answer): void {
  for (const [name, value] of answer.headers) {
    assert.not(name === 'x-injected');
    // A Link repeats the query, escaped.
    if (name === 'link') assert.match(value, /^<[!-;=?-~]*>; rel="next"$/);
    else assert.not.ok(value.includes(CANARY) || /X-Injected|[^\t -~]/i.test(value), `${name}: ${value}`);
  }
}

/** Records without the fields that an import sets. */
const contents = (records: readonly Json[]): string[] =>
  records
    .map(({ name, type, content, ttl, data, proxied }) => JSON.stringify({ name, type, content, ttl, data, proxied }))
    .sort();

/** Every domain can be listed, exported and imported, and its answers equal those of a rebuild. */
async function heldStore(world: World): Promise<void> {
  const { admin, daemon } = world;
  const { environment } = daemon;
  for (const { id, domain, record_count: count } of await walk(admin, '/api/v1/domains?limit=7', 'domains')) {
    const zone = new Zone(admin, Number(id), String(domain), 1);
    const before = await walk(admin, `${zone.records}?limit=9`, 'records');
    assert.is(before.length, count, zone.domain);
    const kept = (await admin.get(zone.zonefile)).text;
    succeeded(await admin.upload(`${zone.zonefile}?apex=keep`, kept));
    succeeded(await admin.upload(zone.zonefile, kept));
    const after = await walk(admin, `${zone.records}?limit=1000`, 'records');
    assert.equal(contents(after), contents(before), kept);
  }
  const derived = [environment.answers, environment.usage];
  environment.root.resetReadTxn();
  const before = derived.map(entriesOf);
  await rebuildAnswers(environment, APEX, undefined, new Signers(openSecrets(daemon.keyFile)));
  environment.root.resetReadTxn();
  assert.equal(derived.map(entriesOf), before);
}

/** Prototypes that a body must not change. */
const prototypes = (): string =>
  [Object.prototype, Array.prototype, String.prototype, Function.prototype]
    .map((value) => Object.getOwnPropertyNames(value).join())
    .join(';');

await everywhere(
  'contract, fuzz',
  (test, { journal }) => {
    const runs = journal === 'etcd' ? Math.min(RUNS, RUNS_ON_ETCD) : RUNS;
    test(`${runs} requests`, async ({ world }) => {
      const { daemon, admin } = world;
      const targets = new Targets();
      await targets.renew(world);
      const before = prototypes();
      const statuses = new Map<number, number>();
      // Sends some concurrently, so that writes conflict.
      const requests = fc.array(attempts(daemon.api.routes, targets), {
        minLength: 1,
        maxLength: AT_ONCE,
        size: 'max',
      });
      const send = async ({ route, path, options }: Attempt): Promise<boolean> => {
        const answer = await admin.send(route.method, path, options);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        noInput(answer);
        return answer.status === 200 && route.method === 'DELETE';
      };
      await fc.assert(
        fc.asyncProperty(requests, async (batch) => {
          const gone = await Promise.all(batch.map(send));
          if (gone.includes(true)) await targets.renew(world);
        }),
        { numRuns: Math.ceil((2 * runs) / (1 + AT_ONCE)), seed: SEED, endOnFailure: true, includeErrorInReport: true },
      );
      assert.is(prototypes(), before);
      assert.equal(
        daemon.logged.filter((line) => /"level":"(error|warn)"/.test(line)),
        [],
      );
      // The test is only useful if many requests are accepted and many are rejected.
      for (const status of [200, 400, 404, 409, 422])
        assert.ok((statuses.get(status) ?? 0) > 0, `none was ${status}: ${[...statuses]}`);
      await heldStore(world);
    });
  },
  { WAYPOST_PACKAGES_UPLOAD_RATE_LIMIT: '0', WAYPOST_PACKAGES_MAX_APPS: '0' },
);
