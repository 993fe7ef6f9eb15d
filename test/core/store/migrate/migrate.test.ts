/** The store of Waypost 0.1 in test/fixtures, converted, and each state that a kill leaves. */
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { open } from 'lmdb';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hashToken } from '../../../../admin-api/people/auth/token.ts';
import type { Logger } from '../../../../core/base/log/index.ts';
import { openSecrets } from '../../../../core/base/secrets.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { readHead } from '../../../../core/journal/applied-head.ts';
import { BINARY, type Binary, openEnvironment } from '../../../../core/store/environment.ts';
import { BEFORE_MIGRATION, migrateStore } from '../../../../core/store/migrate/migrate.ts';
import { reportOf, uploadsOf } from '../../../../core/store/package-reads.ts';
import { certificateContext, records, STAMP, tsigContext } from '../../../../core/store/rows.ts';
import { StoreReader } from '../../../../core/store/store-reader.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';

const FIXTURE = join(import.meta.dirname, '../../../../../test/fixtures/store-0.1');
const FILE = 'waypost.mdb';
const HEAD = Buffer.from('head');

interface Content {
  readonly adminToken: string;
  readonly token: string;
  readonly tsigSecret: string;
  readonly sha256: string;
  readonly zones: Readonly<Record<string, string>>;
}

const content = JSON.parse(readFileSync(join(FIXTURE, 'content.json'), 'utf8')) as Content;
const old = brotliDecompressSync(readFileSync(join(FIXTURE, 'waypost.mdb.br')));
const test = suite<{ folder: string }>('migration of the store of 0.1');

test.before.each((context) => {
  context.folder = temporaryFolder('migrate');
  writeFileSync(join(context.folder, FILE), old);
  writeFileSync(join(context.folder, 'secret.key'), readFileSync(join(FIXTURE, 'secret.key')), { mode: 0o600 });
});
test.after.each(({ folder }) => removeFolder(folder));

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const secretsIn = (folder: string) => openSecrets(join(folder, 'secret.key'));
const migrate = (directory: string) =>
  migrateStore({ directory, mapSize: 1 << 26, secrets: () => secretsIn(directory), log: silent });

/** Changes the store of 0.1 in the folder. */
async function changeOld(folder: string, change: (table: (name: string) => Binary) => void): Promise<void> {
  const root = open<Buffer, Uint8Array>({ path: join(folder, FILE), noSubdir: true, maxDbs: 64, ...BINARY });
  change((name) => root.openDB({ name, ...BINARY }));
  await root.close();
}

/** Checks each row through what it refers to. */
async function checkContent(folder: string): Promise<void> {
  const environment = openEnvironment(folder, 1 << 26);
  try {
    const reader = new StoreReader(environment);
    const secrets = secretsIn(folder);
    const [admin, alice] = ['admin', 'alice@example.com'].map((login) => reader.accountByLogin(login)!);
    assert.equal([admin.id, admin.role, alice.id, alice.plan], [1, 'admin', 2, 'unlimited']);
    for (const [text, account] of [
      [content.adminToken, admin],
      [content.token, alice],
    ] as const) {
      const token = reader.tokenByLegacyId(text.slice(3, 19))!;
      assert.equal([token.accountId, token.hash], [account.id, hashToken(text)]);
      assert.equal(reader.tokensOf(account.id), [token]);
    }
    const domains = reader.domainsOf(alice.id, null, 100);
    assert.is(domains.length, Object.keys(content.zones).length);
    for (const { id, apex } of domains) {
      const name = Buffer.from(apex).toString('latin1', 1, 1 + apex[0]);
      const lines = content.zones[`${name}.example`].trim().split('\n').length;
      assert.is(reader.zoneState(id).recordCount, lines);
      assert.ok(reader.zoneState(id).serial > 1_700_000_000);
    }
    const count = [...environment.rows.get(records.number)!.getKeys()].length;
    assert.is(count, domains.length * content.zones['domain0.example'].trim().split('\n').length);
    const key = reader.tsigKeysByName(parseName('transfer.key'), 0)[0];
    const secret = secrets.unseal(Buffer.from(key.sealed, 'base64'), tsigContext(key.id));
    assert.is(secret.toString('base64'), content.tsigSecret);
    const [{ id: first }] = domains;
    const certificate = reader.certificate(first)!;
    const pem = secrets.unseal(Buffer.from(certificate.sealedKey, 'base64'), certificateContext(first));
    assert.match(pem.toString(), /PRIVATE KEY/);
    assert.equal([reader.proxy(first)!.originHost, reader.proxy(first)!.originPort], ['1.1.1.1', 8080]);
    const [upload] = uploadsOf(reader, 'com.example.notes', null, 10);
    assert.equal([upload.sha256, upload.accountId], [content.sha256, alice.id]);
    assert.ok(reportOf(reader, upload.id) !== undefined);
    // The position goes on, and each audit entry has that of its commit.
    const { sequence } = readHead(environment);
    const entries = reader.audits(alice.id, null, 1000);
    assert.ok(sequence > entries.length && entries.length > domains.length * 10);
    for (const { id, revision } of entries) assert.is(id, revision);
  } finally {
    await environment.close();
  }
}

test('every row is there, under its new id', async ({ folder }) => {
  await migrate(folder);
  await checkContent(folder);
  assert.ok(readFileSync(join(folder, BEFORE_MIGRATION)).equals(old), 'the old store stays');
  // The next start has nothing to do.
  const { mtimeMs } = statSync(join(folder, FILE));
  await migrate(folder);
  assert.is(statSync(join(folder, FILE)).mtimeMs, mtimeMs);
});

test('goes on from each state that a kill leaves', async ({ folder }) => {
  // 1. In the middle of the conversion.
  mkdirSync(join(folder, 'migrating'));
  writeFileSync(join(folder, 'migrating', FILE), 'half');
  await migrate(folder);
  await checkContent(folder);
  // 2. It is whole, and nothing is moved.
  mkdirSync(join(folder, 'migrated'));
  renameSync(join(folder, FILE), join(folder, 'migrated', FILE));
  renameSync(join(folder, BEFORE_MIGRATION), join(folder, FILE));
  await migrate(folder);
  await checkContent(folder);
  assert.ok(readFileSync(join(folder, BEFORE_MIGRATION)).equals(old));
  // 3. The old one is moved, and the new one not.
  mkdirSync(join(folder, 'migrated'));
  renameSync(join(folder, FILE), join(folder, 'migrated', FILE));
  await migrate(folder);
  await checkContent(folder);
  // 4. Only the empty folder is left.
  mkdirSync(join(folder, 'migrated'));
  await migrate(folder);
  assert.is(existsSync(join(folder, 'migrated')), false);
  await checkContent(folder);
});

test('starts again if the earlier version has written since the kill', async ({ folder }) => {
  await migrate(folder);
  mkdirSync(join(folder, 'migrated'));
  renameSync(join(folder, FILE), join(folder, 'migrated', FILE));
  renameSync(join(folder, BEFORE_MIGRATION), join(folder, FILE));
  let sequence = 0;
  await changeOld(folder, (table) => {
    const head = Buffer.from(table('meta').get(HEAD)!);
    sequence = head.readUIntBE(0, 6) + 5;
    head.writeUIntBE(sequence, 0, 6);
    table('meta').putSync(HEAD, head);
  });
  await migrate(folder);
  const environment = openEnvironment(folder, 1 << 26);
  assert.is(readHead(environment).sequence, sequence);
  await environment.close();
});

test('a deleted account: its audit entries stay, its packages go', async ({ folder }) => {
  const gone = 'ffffffffffffff01';
  const key = (text: string): Buffer => Buffer.from(text, 'hex');
  await changeOld(folder, (table) => {
    const [{ value: app }] = [...table('apps').getRange({ limit: 1 })];
    const [{ value: upload }] = [...table('uploads').getRange({ limit: 1 })];
    const [{ value: audit }] = [...table('audit').getRange({ limit: 1, reverse: true })];
    const changed = (value: Buffer, change: object): Buffer =>
      Buffer.from(JSON.stringify({ ...JSON.parse(value.toString()), ...change }));
    table('apps').putSync(Buffer.from('com.example.gone'), changed(app, { id: 'com.example.gone', accountId: gone }));
    const id = 'ffffffffffffff02';
    table('uploads').putSync(key(id), changed(upload, { id, appId: 'com.example.gone', accountId: gone }));
    const actor = { accountId: gone, username: 'gone', tokenId: null, tokenName: null };
    const entry = changed(audit.subarray(0, -STAMP), { accountId: gone, actor, action: 'test.gone' });
    const stamp = Buffer.alloc(STAMP);
    stamp.writeUIntBE(1_000_000, 0, STAMP);
    table('audit').putSync(key(`${gone}ffffffffffffff03`), Buffer.concat([entry, stamp]));
  });
  await migrate(folder);
  const environment = openEnvironment(folder, 1 << 26);
  const reader = new StoreReader(environment);
  const [newest] = reader.audits(null, null, 1);
  assert.equal([newest.action, newest.accountId, newest.actor?.accountId], ['test.gone', 3, 3]);
  assert.is(reader.account(3), undefined);
  assert.equal(uploadsOf(reader, 'com.example.gone', null, 10), []);
  await environment.close();
});

test('with another secret key nothing is changed', async ({ folder }) => {
  writeFileSync(join(folder, 'secret.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`);
  let message = '';
  await migrate(folder).catch((error: Error) => {
    message = error.message;
  });
  assert.match(message, /key/);
  assert.ok(readFileSync(join(folder, FILE)).equals(old));
});

test('an empty folder and a store of this version are left alone', async ({ folder }) => {
  const other = join(folder, 'other');
  mkdirSync(other);
  await migrate(other);
  assert.is(existsSync(join(other, FILE)), false);
  await openEnvironment(other, 1 << 26).close();
  await migrate(other);
  assert.is(existsSync(join(other, BEFORE_MIGRATION)), false);
});

test.run();
