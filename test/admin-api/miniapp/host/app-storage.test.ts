/** Storage of apps: apart for any two ids, within its quota, on disk. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HostFault } from '../../../../admin-api/miniapp/bridge/errors.ts';
import { LIMITS, OPERATIONS } from '../../../../admin-api/miniapp/bridge/operations.ts';
import {
  AppStorage,
  callInBackground,
  PERMISSION_STATES,
  Permissions,
  type StorageChange,
  type StorageLimits,
} from '../../../../admin-api/miniapp/host/index.ts';
import fc, { ANY_CHARACTER } from '../../../support/fc.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { appOf, openPage } from './page.ts';

const HOSTILE_IDS: readonly string[] = [
  ...['com.example.notes', 'com.example.Notes', 'com.example.notes\0', 'com.example.notes ', 'com.example'],
  ...['', '.', '..', '../com.example.notes', '/', '/etc/passwd', 'a/../b', 'b', 'a\\..\\b', 'storage.mdb', '%2e%2e'],
  ...['__proto__', 'constructor', 'toString', 'con', 'nul', 'aux.txt', 'x'.repeat(100_000), `${'x'.repeat(100_000)}y`],
  ...['caf\u00e9', 'cafe\u0301', '\ufeff', '\ufffd', '\ud800', '\udc00', '\u{1f600}', '\u0131', 'i', '\u202ecba', '*'],
];

const codeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
    return 'ok';
  } catch (error) {
    if (error instanceof HostFault) return error.code;
    throw error;
  }
};

const folder = temporaryFolder('host-storage');
const storage = new AppStorage(folder);
let apps = 0;
/** An app that has nothing stored. */
const newApp = (): string => `app-${++apps}`;

test('no id reads or changes what another id stored, in pages and in the background', async () => {
  const background = { permissions: ['storage'] };
  const open = (id: string) => openPage({ app: appOf({ id, background }), services: { storage } });
  const set = (id: string, i: number) => open(id).outcome('storage.set', { key: 'secret', value: `page ${i}` });
  assert.equal(new Set(await Promise.all(HOSTILE_IDS.map(set))), new Set(['ok']));
  for (const [i, id] of HOSTILE_IDS.entries()) {
    const app = appOf({ id, background });
    assert.is(callInBackground({ storage }, app, 'storage.set', { key: 'background', value: `background ${i}` }), null);
  }
  for (const [i, id] of HOSTILE_IDS.entries()) {
    const page = open(id);
    const get = async (key: string) => (await page.answerTo(page.request('storage.get', { key }))).result;
    assert.is(await get('secret'), `page ${i}`);
    assert.is(await get('background'), `background ${i}`);
    const app = appOf({ id, background });
    assert.is(callInBackground({ storage }, app, 'storage.get', { key: 'secret' }), `page ${i}`);
    assert.equal(storage.usage(id).keys, 2);
  }
  await storage.clear('..');
  assert.is(storage.get('..', 'secret'), null);
  assert.is(storage.get('.', 'secret'), 'page 6');
  assert.equal(readdirSync(folder).toSorted(), ['storage.mdb', 'storage.mdb-lock']);
});

test('different ids have separate storage', () => {
  const id = fc.oneof(fc.string({ unit: ANY_CHARACTER }), fc.constantFrom(...HOSTILE_IDS), fc.string());
  let runs = 0;
  fc.assert(
    fc.property(id, id, (a, b) => {
      fc.pre(a !== b);
      // A key of its own: ids come again.
      const key = `run ${++runs}`;
      storage.setNow(a, key, 'of a');
      assert.is(storage.get(b, key), null);
      storage.setNow(b, key, 'of b');
      assert.is(storage.get(a, key), 'of a');
      assert.is(storage.get(b, key), 'of b');
    }),
    { numRuns: 40 },
  );
});

test('different keys have separate values', async () => {
  const app = newApp();
  const keys = [
    '',
    '\0',
    'a',
    'a\0',
    'A',
    '__proto__',
    'caf\u00e9',
    'cafe\u0301',
    '\ufffd',
    '\u{1f600}',
    'x'.repeat(1024),
  ];
  await Promise.all(keys.map((key, i) => storage.set(app, key, `${i}`)));
  for (const [i, key] of keys.entries()) assert.is(storage.get(app, key), `${i}`);
  assert.is(storage.get(app, '\ud800'), null);
  assert.is(storage.get(app, 'x'.repeat(3000)), null);
  assert.equal(new Set(storage.list(app).map(({ key }) => key)), new Set(keys));
  await storage.delete(app, '\0');
  await storage.delete(app, '\ud800');
  await storage.delete(app, 'x'.repeat(3000));
  assert.is(storage.usage(app).keys, keys.length - 1);
});

test('limits of a key, a value and an app are exact', async () => {
  const app = newApp();
  const set = (key: string, value: string) => codeOf(() => storage.set(app, key, value));
  assert.is(await set('k'.repeat(1025), ''), 'invalid_argument');
  assert.is(await set('\ud800', ''), 'invalid_argument');
  assert.is(await set('a', '\ud800'), 'invalid_argument');
  assert.is(await set('a', 'x'.repeat(LIMITS.storageValue + 1)), 'quota_exceeded');
  const megabyte = 'x'.repeat(LIMITS.storageValue);
  const outcomes = await Promise.all(['1', '2', '3', '4', '5'].map((key) => set(key, megabyte)));
  assert.equal(outcomes, ['ok', 'ok', 'ok', 'ok', 'quota_exceeded']);
  const left = LIMITS.storageTotal - storage.usage(app).bytes;
  assert.is(await set('5', 'x'.repeat(left)), 'quota_exceeded');
  assert.is(await set('5', 'x'.repeat(left - 1)), 'ok');
  assert.is(storage.usage(app).bytes, LIMITS.storageTotal);
  assert.is(await set('6', ''), 'quota_exceeded');
  assert.is(await set('', ''), 'ok');
  assert.is(await set('1', `${megabyte.slice(1)}`), 'ok');
  assert.is(await set('6', ''), 'ok');
  assert.is(await set('7', ''), 'quota_exceeded');
  await storage.clear(app);
  assert.equal(storage.usage(app), { bytes: 0, keys: 0 });
  assert.equal(storage.list(app), []);
});

/** So small that few steps get to each of them. */
const SMALL: StorageLimits = { storageKey: 4, storageValue: 20, storageTotal: 50, storageKeys: 4 };

/** What storage is: a map with sums. */
class Reference {
  readonly values = new Map<string, string>();

  set(key: string, value: string): string {
    if (Buffer.byteLength(key) > SMALL.storageKey) return 'invalid_argument';
    if (Buffer.byteLength(value) > SMALL.storageValue) return 'quota_exceeded';
    const after = new Map(this.values).set(key, value);
    const bytes = [...after].reduce((sum, entry) => sum + Buffer.byteLength(entry[0]) + Buffer.byteLength(entry[1]), 0);
    if (bytes > SMALL.storageTotal || after.size > SMALL.storageKeys) return 'quota_exceeded';
    this.values.set(key, value);
    return 'ok';
  }
}

test('any order of sets, deletions and reads behaves like a map', async () => {
  const small = new AppStorage(temporaryFolder('host-storage'), SMALL);
  const key = fc.constantFrom('a', 'b', 'c', 'é', '', 'éé', 'kkkkk');
  const size = fc.constantFrom(0, 1, 10, 19, 20, 21);
  const step = fc.record({
    kind: fc.constantFrom('set', 'set', 'set', 'setNow', 'delete', 'get', 'wait'),
    key,
    size,
    unit: fc.constantFrom('x', 'é'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const app = newApp();
      const store = small;
      const reference = new Reference();
      const waiting: Promise<void>[] = [];
      for (const { kind, key: cell, size: length, unit } of steps) {
        const value = unit.repeat(Math.floor(length / Buffer.byteLength(unit)));
        if (kind === 'set') {
          const expected = reference.set(cell, value);
          waiting.push(codeOf(() => store.set(app, cell, value)).then((code) => assert.is(code, expected)));
        } else if (kind === 'setNow') {
          const expected = reference.set(cell, value);
          waiting.push(codeOf(() => store.setNow(app, cell, value)).then((code) => assert.is(code, expected)));
        } else if (kind === 'delete') {
          reference.values.delete(cell);
          waiting.push(store.delete(app, cell));
        } else if (kind === 'get') {
          assert.is(store.get(app, cell), reference.values.get(cell) ?? null);
        } else {
          await Promise.all(waiting);
        }
      }
      await Promise.all(waiting);
      assert.equal(new Map(store.list(app).map((entry) => [entry.key, entry.value])), reference.values);
      const entries = [...reference.values];
      const bytes = entries.reduce((sum, entry) => sum + Buffer.byteLength(entry[0]) + Buffer.byteLength(entry[1]), 0);
      assert.equal(store.usage(app), { bytes, keys: entries.length });
    }),
    { numRuns: 20 },
  );
  await small.close();
});

test('acknowledged values survive a crash', async () => {
  const app = newApp();
  await storage.set(app, 'a', 'awaited');
  storage.setNow(app, 'b', 'now');
  // The file as a process leaves it that ends at once: nothing of it is closed.
  const crashed = join(folder, 'crashed');
  mkdirSync(crashed);
  copyFileSync(join(folder, 'storage.mdb'), join(crashed, 'storage.mdb'));
  const reopened = new AppStorage(crashed);
  assert.equal(reopened.list(app), [
    { key: 'a', value: 'awaited' },
    { key: 'b', value: 'now' },
  ]);
  await reopened.close();
});

test('a commit that a power loss interrupted is undone', async () => {
  const file = join(temporaryFolder('host-storage'), 'storage.mdb');
  const written = new AppStorage(join(file, '..'));
  written.setNow('a', 'k', 'old');
  const before = readFileSync(file);
  written.setNow('a', 'k', 'new');
  const after = readFileSync(file);
  await written.close();
  // The pages of the second commit, but not the two that say which commit is the last.
  const unfinished = Buffer.from(after);
  before.copy(unfinished, 0, 0, 2 * 4096);
  // The same, and its pages are half written.
  const torn = Buffer.from(unfinished);
  for (let page = 2 * 4096; page < torn.length; page += 4096)
    if (page >= before.length || !torn.subarray(page, page + 4096).equals(before.subarray(page, page + 4096)))
      torn.fill(0xff, page, page + 2048);
  assert.not(torn.equals(unfinished));
  for (const content of [unfinished, torn]) {
    const directory = temporaryFolder('host-storage');
    writeFileSync(join(directory, 'storage.mdb'), content);
    const recovered = new AppStorage(directory);
    assert.is(recovered.get('a', 'k'), 'old');
    recovered.setNow('a', 'k', 'next');
    assert.equal(recovered.list('a'), [{ key: 'k', value: 'next' }]);
    await recovered.close();
  }
});

test('changes are announced once they are stored; a listener that throws changes nothing', async () => {
  const app = newApp();
  const changes: StorageChange[] = [];
  const stop = storage.onChange((change) => {
    changes.push(change);
    throw new Error('of the listener');
  });
  await storage.set(app, 'a', '1');
  storage.setNow(app, 'a', '2');
  await codeOf(() => storage.set(app, 'b', 'x'.repeat(LIMITS.storageValue + 1)));
  await storage.delete(app, 'a');
  await storage.delete(app, 'a');
  await storage.clear(app);
  stop();
  await storage.set(app, 'a', '3');
  assert.equal(
    changes.map(({ key, value }) => [key, value]),
    [
      ['a', '1'],
      ['a', '2'],
      ['a', undefined],
      [undefined, undefined],
    ],
  );
  assert.is(storage.get(app, 'a'), '3');
});

test('decisions about permissions are stored for each app until it is uninstalled', async () => {
  const app = appOf({ id: newApp() });
  const open = () => new Permissions(app, { prompt: async () => 'denied', store: storage });
  open().set('camera', 'denied_forever');
  open().set('storage', 'denied');
  assert.is(open().stateOf('camera'), 'denied_forever');
  assert.is(open().stateOf('storage'), 'denied');
  assert.equal(storage.load(newApp()), {});
  await storage.set(app.id, 'a', '1');
  await storage.clear(app.id);
  assert.is(open().stateOf('camera'), 'denied_forever');
  await storage.uninstall(app.id);
  assert.is(open().stateOf('camera'), 'ask');
});

test('calls of the background need background.permissions, and nothing revoked', () => {
  const app = appOf({ id: newApp(), background: { permissions: ['storage'] } });
  const permissions = new Permissions(app, { prompt: async () => 'granted' });
  const call = (operation: unknown, params: unknown, caller = app) => {
    try {
      return callInBackground({ storage, permissions }, caller, operation, params);
    } catch (error) {
      if (error instanceof HostFault) return error.code;
      throw error;
    }
  };
  assert.is(call('storage.set', { key: 'a', value: '1' }), null);
  assert.is(call('storage.get', { key: 'a' }), '1');
  assert.is(call('storage.get', { key: 'b' }), null);
  assert.is(call('storage.get', { key: 1 }), 'invalid_argument');
  assert.is(call('storage.get', undefined), 'invalid_argument');
  assert.is(call('storage.get', ['a']), 'invalid_argument');
  assert.is(call(1, {}), 'invalid_argument');
  assert.is(call('ui.toast', { text: 'a' }), 'unsupported');
  assert.is(call('__proto__', {}), 'unsupported');
  assert.is(call('storage.set', { key: 'a', value: 'x'.repeat(LIMITS.storageValue + 1) }), 'quota_exceeded');
  const without = [undefined, { permissions: [] }, { permissions: ['notifications'] }];
  for (const background of without)
    assert.is(call('storage.get', { key: 'a' }, appOf({ id: app.id, background })), 'permission_denied');
  permissions.set('storage', 'denied');
  assert.is(call('storage.get', { key: 'a' }), 'permission_denied');
});

test('each call of the background by each state of its permission, declared or not', () => {
  for (const [operation, { permission, isInBackground }] of OPERATIONS)
    for (const declared of [false, true])
      for (const state of [undefined, ...PERMISSION_STATES]) {
        const background = { permissions: declared && permission !== undefined ? [permission] : [] };
        const app = appOf({ id: newApp(), background, permissions: permission === undefined ? [] : [permission] });
        const permissions = new Permissions(app, { prompt: async () => 'granted' });
        if (state !== undefined && permission !== undefined) permissions.set(permission, state);
        const isAllowed = declared && (state === undefined || state === 'granted');
        const expected = isInBackground ? (isAllowed ? 'ok' : 'permission_denied') : 'unsupported';
        let outcome = 'ok';
        try {
          callInBackground({ storage, permissions }, app, operation, { key: 'a', value: 'b' });
        } catch (error) {
          outcome = (error as HostFault).code;
        }
        assert.is(outcome, expected, `${operation} ${declared} ${state}`);
      }
});

test('a closed storage rejects', async () => {
  const other = new AppStorage(temporaryFolder('host-storage'));
  const stored = other.set('a', 'b', 'c');
  await other.close();
  await stored;
  await other.close();
  try {
    await other.set('a', 'b', 'c');
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, 'closed');
  }
});

test.after(() => storage.close());
test.run();
