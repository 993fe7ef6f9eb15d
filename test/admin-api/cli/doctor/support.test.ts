/** What the support bundle removes, and that it refuses to hold what was missed. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Context } from '../../../../admin-api/cli/doctor/context.ts';
import { knownSecrets } from '../../../../admin-api/cli/doctor/known-secrets.ts';
import {
  findSecrets,
  formsOf,
  hideCredentials,
  hideInUrl,
  hideSecrets,
  NameHider,
} from '../../../../admin-api/cli/doctor/redaction.ts';
import { collectSupport, leaksOf } from '../../../../admin-api/cli/doctor/support-entries.ts';
import { firstPassword, welcome } from '../../../../admin-api/cli/node/welcome.ts';
import { ecKey, pemOfKey } from '../../../support/certificate.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';

test('hides credentials in free text', () => {
  const planted = 'pLanTed-1234567';
  for (const text of [
    `Authorization: Bearer ${planted}`,
    `authorization: Basic ${planted}`,
    `GET https://user:${planted}@example.com/x`,
    `GET https://${planted}@example.com/x`,
    `GET /x?access_token=${planted}&y=1`,
    `{"password":"${planted}"}`,
    `{"api_key": "a ${planted} \\" b"}`,
    `password=${planted} user=x`,
    `the password is ${planted}`,
    `admin_password="a ${planted}"`,
    `Cookie: ${planted}`,
    `token wp_${planted.replaceAll('-', '_')}`,
    `session wps_0000000000000001_${planted.replaceAll('-', '_')}`,
    `-----BEGIN PRIVATE KEY-----\n${planted}\n-----END PRIVATE KEY-----`,
    `-----BEGIN EC PRIVATE KEY-----\n${planted}`,
    `AGE-SECRET-KEY-1${planted.toUpperCase()}`,
    `eyJhbGciOi.eyJzdWIi.${planted}`,
  ])
    assert.not.match(hideCredentials(text), /pLanTed/i, text);
  const plain = 'password rejected: order failed code=ECONNREFUSED key=7 tokens 5 for 192.0.2.1';
  assert.is(hideCredentials(plain), plain);
});

test('hides the password that the first start prints', async () => {
  const folder = temporaryFolder('support');
  const listen = { address: '127.0.0.1', port: 8300, family: 4 } as const;
  const password = 'wcfmfdfvztwdlbnfgt';
  const ready = { admin: listen, dns: [listen], http: [], https: [], password, hasAdmin: true, milliseconds: 5 };
  const text = `${firstPassword(password)}${welcome(ready)}`;
  const log = `${folder}/waypost.log`;
  writeFileSync(log, `${text}\nWARN also ${Buffer.from(password).toString('base64')}\n`);
  const env = { WAYPOST_DATA_DIR: `${folder}/data`, WAYPOST_DNS_WORKERS: '0', WAYPOST_URL: 'http://127.0.0.1:9' };
  const context = new Context({ env, version: '0.2.0', program: '/nowhere', url: env.WAYPOST_URL });
  const bundle = await collectSupport({ context, build, log, lines: 100, withNames: true });
  assert.equal(leaksOf(bundle), []);
  for (const entry of bundle.entries) assert.equal(findSecrets(entry.text, [{ name: 'x', value: password }]), []);
  assert.ok(text.includes(password));
  removeFolder(folder);
});

test('hides user information and parameters of URLs', () => {
  assert.is(hideInUrl('https://a:b@x.example/p?k=v&l=w'), 'https://(secret)@x.example/p?k=(secret)&l=(secret)');
  assert.is(hideInUrl('https://x.example:8080/p'), 'https://x.example:8080/p');
});

test('finds a secret in every form', () => {
  const secret = { name: 'x', value: 'a"b c/d+é' };
  for (const form of formsOf(secret.value)) {
    assert.equal(findSecrets(`before${form}after`, [secret]), ['x'], form);
    assert.equal(findSecrets(hideSecrets(`before${form}after`, [secret]), [secret]), []);
  }
  assert.ok(formsOf(secret.value).length >= 6);
  assert.equal(findSecrets('short', [{ name: 'x', value: 'ort' }]), []);
});

test('replaces names and addresses, but not those of the service', () => {
  const hider = new NameHider(['customer.example'], ['ns1.customer.example', '192.0.2.1']);
  assert.is(
    hider.hideDomains('WWW.customer.example. and customer.example and ns1.customer.example and notcustomer.example'),
    '(name 1) and (name 2) and ns1.customer.example and notcustomer.example',
  );
  assert.is(
    hider.hideAll('x domain=other.example client=198.51.100.7 from 2001:db8::1 at 192.0.2.1 12:30:01 me@mail.example'),
    'x domain=(name 3) client=(name 4) from (address 6) at 192.0.2.1 12:30:01 (name 5)',
  );
  assert.is(hider.hideAll('{"domain":"other.example"}'), '{"domain":"(name 3)"}');
});

interface Planted {
  readonly folder: string;
  readonly context: Context;
  /** By where it stands. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly log: string;
}

/** A data folder, an environment, files and a log with a secret of every kind. */
function plant(): Planted {
  const folder = temporaryFolder('support');
  mkdirSync(`${folder}/data`, { mode: 0o700 });
  const random = (): string => `planted${randomBytes(12).toString('hex')}`;
  const key = randomBytes(32).toString('base64');
  const pem = pemOfKey(ecKey());
  const secrets = {
    password: `${random()} with "quotes"`,
    cookie: randomBytes(16).toString('hex'),
    previous: randomBytes(16).toString('hex'),
    token: `wp_0000000000000001_${randomBytes(24).toString('hex')}`,
    key,
    keyInHex: Buffer.from(key, 'base64').toString('hex'),
    pem: pem.split('\n')[1],
    header: random(),
    urlUser: random(),
    urlToken: random(),
    foreign: random(),
    logged: random(),
  };
  writeFileSync(`${folder}/data/secret.key`, `${key}\n`, { mode: 0o600 });
  writeFileSync(`${folder}/tls.key`, pem, { mode: 0o600 });
  writeFileSync(`${folder}/headers`, `# for the collector\nauthorization: Bearer ${secrets.header}\n`, { mode: 0o600 });
  const log = `${folder}/waypost.log`;
  writeFileSync(
    log,
    [
      `WARN password is ${secrets.password} and ${JSON.stringify(secrets.password)}`,
      `INFO started with ${secrets.cookie}, ${secrets.previous} and ${secrets.token}`,
      `INFO keys ${secrets.key} ${secrets.keyInHex} ${pem}`,
      `WARN GET https://${secrets.urlUser}:x@acme.example/?token=${secrets.urlToken} ${encodeURIComponent(secrets.password)}`,
      `INFO {"authorization":"Bearer ${secrets.logged}"} foreign ${secrets.foreign} ${secrets.header}`,
      'INFO domain=customer.example client=198.51.100.7',
      '',
    ].join('\n'),
  );
  const env = {
    WAYPOST_DATA_DIR: `${folder}/data`,
    WAYPOST_ADMIN_LISTEN: '127.0.0.1:9',
    WAYPOST_ADMIN_PASSWORD: secrets.password,
    WAYPOST_DNS_COOKIE_SECRET: secrets.cookie,
    WAYPOST_DNS_COOKIE_SECRET_PREVIOUS: secrets.previous,
    WAYPOST_DNS_TLS_KEY: `${folder}/tls.key`,
    WAYPOST_TRACES_HEADERS_FILE: `${folder}/headers`,
    WAYPOST_ALIAS_RESOLVERS: '127.0.0.1:9',
    WAYPOST_DNSSEC_RESOLVERS: '127.0.0.1:9',
    WAYPOST_EDGE_RESOLVERS: '127.0.0.1:9',
    WAYPOST_WEBHOOKS_RESOLVERS: '127.0.0.1:9',
    WAYPOST_ACME_RESOLVERS: '127.0.0.1:9',
    SOME_OTHER_API_TOKEN: secrets.foreign,
  };
  const url = `http://${secrets.urlUser}:x@127.0.0.1:9/?token=${secrets.urlToken}`;
  const context = new Context({ env, version: '0.2.0', program: '/nowhere', token: secrets.token, url });
  return { folder, context, secrets, log };
}

const build = { version: '0.2.0', commit: null, date: null };

test('no entry holds a planted secret', async () => {
  const { folder, context, secrets, log } = plant();
  try {
    assert.is(context.fault, null);
    const bundle = await collectSupport({ context, build, log, lines: 1000, withNames: false });
    assert.equal(leaksOf(bundle), []);
    for (const { name, text } of bundle.entries)
      for (const [kind, value] of Object.entries(secrets)) assert.not(text.includes(value), `${name} has ${kind}`);
    const of = (name: string): string => bundle.entries.find((entry) => entry.name === name)!.text;
    assert.match(of('log.txt'), /WARN password=? ?is \(secret\)/);
    assert.match(of('log.txt'), /domain=\(name \d+\) client=\(name \d+\)/);
    assert.match(
      of('configuration.json'),
      /"key": "admin.password",\s+"origin": "environment",\s+"value": "\(secret\)"/,
    );
    assert.match(of('MANIFEST.md'), /\| log.txt \| \d+ \|/);
    assert.is(bundle.entries[0].name, 'MANIFEST.md');

    const withNames = await collectSupport({ context, build, log, lines: 1, withNames: true });
    const lines = withNames.entries.find(({ name }) => name === 'log.txt')!.text;
    assert.is(lines, 'INFO domain=customer.example client=198.51.100.7\n');
  } finally {
    removeFolder(folder);
  }
});

test('knows every secret, and reports the entry that still has one', () => {
  const { folder, context, secrets } = plant();
  const all = knownSecrets(context);
  for (const [kind, value] of Object.entries(secrets)) {
    const isKnown = kind !== 'logged';
    assert.is(findSecrets(value, all).length > 0, isKnown, kind);
    if (!isKnown) continue;
    const leaks = leaksOf({ entries: [{ name: 'a.txt', about: '', text: `x${value}y` }], secrets: all });
    assert.ok(leaks.length > 0 && leaks.every((leak) => leak.startsWith('a.txt: ') && !leak.includes(value)), kind);
  }
  removeFolder(folder);
});

test('a wrong configuration does not show its values', async () => {
  const folder = temporaryFolder('support');
  const file = `${folder}/waypost.toml`;
  writeFileSync(file, '[admin]\npassword = 5\npasword = "planted-password"\n[dns]\ncookie_secret = "planted-secret"\n');
  const context = new Context({ file, env: {}, version: '0.2.0', program: '/nowhere', url: 'http://127.0.0.1:9' });
  const { entries } = await collectSupport({ context, build, log: '/dev/null', lines: 1, withNames: false });
  for (const { name, text } of entries) assert.not.match(text, /planted/, name);
  assert.match(entries.find(({ name }) => name === 'configuration.json')!.text, /The configuration has 3 errors/);
  removeFolder(folder);
});

test.run();
