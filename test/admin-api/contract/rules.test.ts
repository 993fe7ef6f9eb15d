/** The API contract: rules of a domain, their counters and templates. */
import * as assert from 'uvu/assert';
import { openSecrets } from '../../../core/base/secrets.ts';
import type { RulesDocument } from '../../../core/site/rules/index.ts';
import { siteDocumentContext } from '../../../core/store/rows.ts';
import { StoreReader } from '../../../core/store/store-reader.ts';
import { everywhere, refused, succeeded } from './world.ts';

const RULES = [
  {
    name: 'Private',
    match: { path: { prefix: ['/private/'] }, client: ['192.0.2.0/24', '2001:db8::/32'] },
    except: { cookie: [{ name: 'key', exact: ['1'] }] },
    action: { type: 'deny', status: 404 },
  },
  { dry_run: true, action: { type: 'limit', requests: 10, period: 60, burst: 20, by: 'header:x-key' } },
  { enabled: false, action: { type: 'redirect', location: 'https://example.com{uri}', status: 301 } },
];

await everywhere('contract, rules', (test) => {
  test('GET and PUT …/proxy/rules: the whole list, with its revision as ETag', async ({ world }) => {
    const { client, path } = await world.zone();
    const at = `${path}/proxy/rules`;
    const empty = succeeded(await client.get(at));
    assert.equal([empty.body.rules, empty.body.revision, empty.headers.get('etag')], [[], 0, '"0"']);
    const set = succeeded(await client.put(at, { rules: RULES }));
    assert.equal([set.body.rules, set.body.revision], [RULES, 1]);
    const { ok: _, ...body } = succeeded(await client.get(at)).body;
    assert.equal(succeeded(await client.put(at, body, { 'if-match': '"1"' })).body.rules, RULES);
    refused(await client.put(at, body, { 'if-match': '"1"' }), '412 changed');
  });

  test('a fault names the rule and the field, and says what to write', async ({ world }) => {
    const { client, path } = await world.zone();
    const at = `${path}/proxy/rules`;
    const FAULTS: readonly (readonly [rule: unknown, pointer: string, message: RegExp])[] = [
      [{ action: { type: 'fly' } }, '/rules/0/action/type', /must be one of "allow"/],
      [{ action: { type: 'redirect' } }, '/rules/0/action/location', /^Rule 1: action\.location is missing/],
      [{ action: { type: 'allow', ttl: 1 } }, '/rules/0/action/ttl', /does not belong to the action allow/],
      [
        { action: { type: 'deny' }, match: { client: ['10.0.0.1/8'] } },
        '/rules/0/match/client/0',
        /write 10\.0\.0\.0\/8/,
      ],
      [
        { action: { type: 'deny' }, match: { path: { regex: ['(?=a)'] } } },
        '/rules/0/match/path/regex/0',
        /look-around/,
      ],
      [{ action: { type: 'deny' }, match: { way: 1 } }, '/rules/0/match/way', /Unknown field/],
      [{ action: { type: 'deny' }, match: { country: ['de'] } }, '/rules/0/match/country/0', /two capitals/],
    ];
    for (const [rule, pointer, message] of FAULTS) {
      const { body } = await client.put(at, { rules: [rule] });
      const error = body.error as unknown as { pointer: string; message: string };
      assert.is(error.pointer, pointer, error.message);
      assert.match(error.message, message);
    }
    assert.is(succeeded(await client.get(at)).body.revision, 0);
  });

  test('passwords are stored as hashes, are not returned, and stay where they are omitted', async ({ world }) => {
    const { client, path, id } = await world.zone();
    const at = `${path}/proxy/rules`;
    const rulesFor = (...users: unknown[]) => ({ rules: [{ action: { type: 'basic_auth', users } }] });
    refused(await client.put(at, rulesFor({ name: 'ann' })), '422 invalid_rule', '/rules/0/action/users/0/password');
    const set = succeeded(await client.put(at, rulesFor({ name: 'ann', password: 'correct horse' })));
    const shown = [{ action: { type: 'basic_auth', users: [{ name: 'ann', has_password: true }] } }];
    assert.equal(set.body.rules, shown);
    const hashOf = (): string =>
      JSON.stringify(new StoreReader(world.daemon.environment).siteDocument(id, 'rules')?.content);
    const stored = hashOf();
    assert.match(stored, /\$argon2id\$/);
    assert.not.match(stored, /correct horse/);
    const { ok: _, ...body } = succeeded(await client.get(at)).body;
    succeeded(await client.put(at, body));
    assert.is(hashOf(), stored);
  });

  test('the URL that decides must be public, and is stored in canonical form', async ({ world }) => {
    const { client, path } = await world.zone();
    const at = `${path}/proxy/rules`;
    const rulesFor = (url: string) => ({
      rules: [{ action: { type: 'authenticate', forward: { url, copy_headers: ['Remote-User'] } } }],
    });
    const pointer = '/rules/0/action/forward/url';
    for (const url of ['auth', 'ftp://auth.site-a.net/', 'http://auth.site-a.net/', 'https://a:b@auth.site-a.net/'])
      refused(await client.put(at, rulesFor(url)), '422 invalid_url', pointer);
    for (const host of ['127.0.0.1', '10.0.0.1', '[::1]', '169.254.169.254', '[::ffff:127.0.0.1]', '0x7f.1'])
      refused(await client.put(at, rulesFor(`https://${host}/`)), '422 private_url', pointer);
    const set = succeeded(await client.put(at, rulesFor('https://AUTH.site-a.net:443/api#x')));
    assert.equal(set.body.rules, rulesFor('https://auth.site-a.net/api').rules);
  });

  test('a client secret is stored encrypted, is not returned, and stays with its issuer and client', async ({
    world,
  }) => {
    const { client, path, id } = await world.zone();
    const at = `${path}/proxy/rules`;
    const login = { issuer: 'https://id.site-a.net/realm', client_id: 'app' };
    const rulesFor = (oidc: unknown) => ({ rules: [{ action: { type: 'authenticate', oidc } }] });
    const set = succeeded(await client.put(at, rulesFor({ ...login, client_secret: 'verysecret' })));
    assert.equal(set.body.rules, rulesFor({ ...login, has_client_secret: true }).rules);
    assert.not.match(set.text, /verysecret/);
    const sealedSecret = (): string | undefined => {
      const content = new StoreReader(world.daemon.environment).siteDocument(id, 'rules')?.content as RulesDocument;
      const [{ action }] = content.rules;
      return action.type === 'authenticate' ? action.oidc?.sealed_client_secret : undefined;
    };
    const open = (): string => {
      const sealed = Buffer.from(sealedSecret() ?? '', 'base64');
      return openSecrets(world.daemon.keyFile).unseal(sealed, siteDocumentContext(id, 'rules')).toString();
    };
    assert.is(open(), 'verysecret');
    const { ok: _, ...body } = succeeded(await client.get(at)).body;
    succeeded(await client.put(at, body));
    assert.is(open(), 'verysecret');
    for (const other of [
      { ...login, issuer: 'https://evil.site-b.net/' },
      { ...login, client_id: 'other' },
      { ...login, client_secret: null },
    ]) {
      const changed = succeeded(await client.put(at, rulesFor(other)));
      assert.equal([sealedSecret(), changed.text.includes('"has_client_secret":false')], [undefined, true]);
      succeeded(await client.post(`${at}/versions/2/restore`, undefined));
      assert.is(open(), 'verysecret', 'the version has its secret');
    }
    const shown = succeeded(await client.get(`${at}/versions/1`));
    assert.not.match(shown.text, /sealed|verysecret/);
    refused(await client.put(at, rulesFor({ ...login, sealed_client_secret: 'AA==' })), '422 unknown_field');
    refused(await client.put(at, rulesFor({ ...login, issuer: 'https://10.0.0.1/' })), '422 private_url');
  });

  test('GET …/proxy/rules/versions: earlier versions are kept, and can be restored', async ({ world }) => {
    const { client, path, id } = await world.zone();
    const at = `${path}/proxy/rules`;
    const listed = async () => {
      const { versions } = succeeded(await client.get(`${at}/versions`)).body;
      return versions as unknown as { revision: number; is_current: boolean; actor: { username: string } }[];
    };
    const denying = (name: string) => ({ rules: [{ name, action: { type: 'deny' } }] });
    assert.equal(await listed(), []);
    refused(await client.get(`${at}/versions/1`), '404 no_such_version');
    const auth = { type: 'basic_auth', users: [{ name: 'ann', password: 'correct horse' }] };
    succeeded(await client.put(at, { rules: [{ action: auth }] }));
    const content = () => new StoreReader(world.daemon.environment).siteDocument(id, 'rules')?.content;
    const first = content();
    succeeded(await client.put(at, denying('second')));
    assert.equal(
      (await listed()).map(({ revision, is_current, actor }) => [revision, is_current, actor.username !== '']),
      [
        [2, true, true],
        [1, false, true],
      ],
    );
    const { body } = succeeded(await client.get(`${at}/versions/1`));
    assert.equal([body.revision, JSON.stringify(body.rules).includes('argon2')], [1, false]);

    refused(await client.post(`${at}/versions/1/restore`, undefined, { 'if-match': '"1"' }), '412 changed');
    refused(await client.post(`${at}/versions/9/restore`, undefined), '404 no_such_version');
    const restored = succeeded(await client.post(`${at}/versions/1/restore`, undefined, { 'if-match': '"2"' }));
    assert.equal([restored.body.revision, restored.headers.get('etag'), restored.body.rules], [3, '"3"', body.rules]);
    // With the password.
    assert.equal(content(), first);

    for (let revision = 4; revision <= 30; revision++) succeeded(await client.put(at, denying(`${revision}`)));
    const revisions = (await listed()).map(({ revision }) => revision);
    assert.equal(
      revisions,
      Array.from({ length: 21 }, (_, i) => 30 - i),
    );
    refused(await client.get(`${at}/versions/9`), '404 no_such_version');
  });

  test('versions that are large together are not kept, but the previous one', async ({ world }) => {
    const { client, path } = await world.zone();
    const at = `${path}/proxy/rules`;
    const large = (char: string, rules: number) => ({
      rules: Array.from({ length: rules }, () => ({
        name: char,
        match: { path: { exact: Array(100).fill(`/${char.repeat(99)}`) } },
        action: { type: 'deny' },
      })),
    });
    const revisions = async () =>
      (succeeded(await client.get(`${at}/versions`)).body.versions as unknown as { revision: number }[]).map(
        ({ revision }) => revision,
      );
    // Each has about 200 KB.
    for (const char of 'abcd') succeeded(await client.put(at, large(char, 20)));
    assert.equal(await revisions(), [4, 3, 2, 1]);
    succeeded(await client.put(at, large('e', 20)));
    assert.equal(await revisions(), [5, 4, 3, 2]);
    succeeded(await client.put(at, large('f', 70)));
    succeeded(await client.put(at, large('g', 1)));
    assert.equal(await revisions(), [7, 6, 5, 4]);
    succeeded(await client.put(at, large('h', 1)));
    assert.equal(await revisions(), [8, 7]);
  });

  test('a version that no longer fits the origins is not restored', async ({ world }) => {
    const { client, path } = await world.zone();
    const origins = (label: string) => ({
      origins: [{ label, path: '/x', pool: [{ origin: '9.9.9.9', port: 80 }] }],
    });
    succeeded(await client.put(`${path}/proxy/origins`, origins('beta')));
    const at = `${path}/proxy/rules`;
    succeeded(await client.put(at, { rules: [{ action: { type: 'origin', name: 'beta' } }] }));
    succeeded(await client.put(at, { rules: [] }));
    succeeded(await client.put(`${path}/proxy/origins`, origins('gamma')));
    refused(await client.post(`${at}/versions/1/restore`, undefined), '422 invalid_rule', '/rules/0/action/name');
  });

  test('counters and templates', async ({ world }) => {
    const { client, path, domain } = await world.zone();
    const { rules, nodeName } = client.daemon;
    succeeded(await client.put(`${path}/proxy/rules`, { rules: RULES }));
    const counters = async () => succeeded(await client.get(`${path}/proxy/rules/counters`)).body;
    const none = await counters();
    assert.equal([none.node, none.revision, none.since], [nodeName, 1, null]);
    assert.equal(none.nodes, { answered: [nodeName], missing: [] });
    const first = { number: 1, name: 'Private', type: 'deny', dry_run: false };
    const second = { number: 2, name: '', type: 'limit', dry_run: true };
    const third = { number: 3, name: '', type: 'redirect', dry_run: false };
    const zero = { matched: 0, stopped: 0 };
    assert.equal(none.rules, [
      { ...first, ...zero },
      { ...second, ...zero },
      { ...third, ...zero },
    ]);
    const before = rules.counts;
    const sum = { since: 1_700_000_000_999, matched: [3, 20, 0], stopped: [3, 4, 0] };
    rules.counts = { sum, answered: ['a', 'b'], missing: ['c'] };
    const some = await counters();
    rules.counts = before;
    assert.equal([some.nodes, some.since], [{ answered: ['a', 'b'], missing: ['c'] }, '2023-11-14 22:13:20']);
    assert.equal(some.rules, [
      { ...first, matched: 3, stopped: 3 },
      { ...second, matched: 20, stopped: 4 },
      { ...third, ...zero },
    ]);
    const { templates } = succeeded(await client.get(`${path}/proxy/rules/templates`)).body as unknown as {
      templates: { name: string; rules: { match?: { host?: string[] } }[] }[];
    };
    assert.equal(
      templates.map((template) => template.name),
      ['www-to-apex', 'block-bad-bots', 'cache-static', 'security-headers', 'next', 'wordpress'],
    );
    assert.equal(templates[0].rules[0].match?.host, [`www.${domain}`]);
    // Each can be used as it is.
    const all = templates.flatMap((template) => template.rules);
    succeeded(await client.put(`${path}/proxy/rules`, { rules: all }));
  });
});
