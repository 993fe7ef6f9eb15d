/** What a page may send, and what it gets: arguments, permissions, ids, rates, floods. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HostFault } from '../../../../admin-api/miniapp/bridge/errors.ts';
import { LIMITS, OPERATIONS } from '../../../../admin-api/miniapp/bridge/operations.ts';
import { type PermissionState, Permissions } from '../../../../admin-api/miniapp/host/index.ts';
import fc from '../../../support/fc.ts';
import { stillHeld } from '../../../support/garbage.ts';
import { appOf, openPage, servicesThatNote, settled } from './page.ts';

/** Valid parameters of each operation. */
const PARAMS: Readonly<Record<string, Record<string, unknown>>> = {
  'storage.get': { key: 'a' },
  'storage.set': { key: 'a', value: 'b' },
  'ui.toast': { text: 'Saved' },
  'ui.vibrate': { ms: 20 },
  'camera.takePhoto': {},
  'device.info': {},
  'network.fetch': { url: 'https://example.com/' },
  'background.schedule': { taskId: 'sync', delayMs: 0 },
};

test('a page receives the operations of the host in the welcome', () => {
  const page = openPage({ services: { toast: () => undefined } });
  assert.equal(page.sent, [{ type: 'welcome', protocol: 1, host: '1.0.0', operations: ['ui.toast'] } as never]);
});

test('a page without a common version is refused, and so are its requests', () => {
  const page = openPage({ greets: false });
  page.session.receive(JSON.stringify({ type: 'hello', protocols: [2, 3], sdk: '9.0.0' }));
  page.request('ui.toast', { text: 'a' });
  assert.equal(
    page.sent.map(({ type, error }) => [type, error?.code]),
    [
      ['refused', 'unsupported'],
      ['response', 'unsupported'],
    ],
  );
  assert.equal(page.calls, []);
});

test('a request before hello is rejected', () => {
  const page = openPage({ greets: false });
  page.request('ui.toast', { text: 'a' });
  assert.is(page.sent[0].error?.code, 'invalid_argument');
});

test('each operation by each state of its permission', async () => {
  const states: readonly (PermissionState | 'undeclared')[] = [
    'undeclared',
    'ask',
    'granted',
    'denied',
    'denied_forever',
  ];
  for (const [operation, { permission }] of OPERATIONS)
    for (const state of states)
      for (const answer of ['granted', 'denied', 'denied_forever'] as const) {
        let prompts = 0;
        const app = appOf({ permissions: state === 'undeclared' ? [] : permission === undefined ? [] : [permission] });
        const permissions = new Permissions(app, {
          prompt: async () => {
            prompts++;
            return answer;
          },
        });
        if (state !== 'undeclared' && permission !== undefined) permissions.set(permission, state);
        const page = openPage({ app, permissions });
        const asks = permission !== undefined && (state === 'ask' || state === 'denied');
        const isAllowed = permission === undefined || state === 'granted' || (asks && answer === 'granted');
        const label = `${operation} ${state} ${answer}`;
        assert.is(await page.outcome(operation, PARAMS[operation]), isAllowed ? 'ok' : 'permission_denied', label);
        assert.is(prompts, asks ? 1 : 0, label);
        assert.is(page.calls.length, isAllowed ? 1 : 0, label);
        const again = await page.outcome(operation, PARAMS[operation]);
        assert.is(again, isAllowed ? 'ok' : 'permission_denied', label);
        assert.is(prompts, asks ? (answer === 'denied' ? 2 : 1) : 0, label);
      }
});

test('arguments past their limits are rejected without a call, and without asking the user', async () => {
  const half = '\ud83d';
  const cases: readonly (readonly [string, Record<string, unknown>, string])[] = [
    ['storage.get', {}, 'invalid_argument'],
    ['storage.get', { key: 1 }, 'invalid_argument'],
    ['storage.get', { key: 'é'.repeat(512) }, 'ok'],
    ['storage.get', { key: 'é'.repeat(513) }, 'invalid_argument'],
    ['storage.get', { key: half }, 'invalid_argument'],
    ['storage.get', { key: '' }, 'ok'],
    ['storage.set', { key: 'a' }, 'invalid_argument'],
    ['storage.set', { key: 'a', value: { toString: 'x' } }, 'invalid_argument'],
    ['storage.set', { key: 'a', value: 'x'.repeat(LIMITS.storageValue) }, 'ok'],
    ['storage.set', { key: 'a', value: 'x'.repeat(LIMITS.storageValue + 1) }, 'quota_exceeded'],
    ['ui.toast', { text: '' }, 'invalid_argument'],
    ['ui.toast', { text: 'x'.repeat(1025) }, 'invalid_argument'],
    ['ui.vibrate', { ms: 0 }, 'invalid_argument'],
    ['ui.vibrate', { ms: 1.5 }, 'invalid_argument'],
    ['ui.vibrate', { ms: 5000 }, 'ok'],
    ['ui.vibrate', { ms: 5001 }, 'invalid_argument'],
    ['ui.vibrate', { ms: '20' }, 'invalid_argument'],
    ['network.fetch', { url: '/a' }, 'invalid_argument'],
    ['network.fetch', { url: 'file:///etc/passwd' }, 'invalid_argument'],
    ['network.fetch', { url: 'https://a:b@example.com/' }, 'invalid_argument'],
    ['network.fetch', { url: 'https://example.com/', opts: null }, 'invalid_argument'],
    ['network.fetch', { url: 'https://example.com/', opts: [] }, 'invalid_argument'],
    ['network.fetch', { url: 'https://example.com/', opts: { method: 'POST' } }, 'invalid_argument'],
    ['network.fetch', { url: 'https://example.com/', opts: { method: 'head' } }, 'ok'],
    ['network.fetch', { url: 'https://example.com/', opts: { headers: { cookie: 'a' } } }, 'ok'],
    ['network.fetch', { url: `https://example.com/${'x'.repeat(8192)}` }, 'invalid_argument'],
    ['background.schedule', { taskId: '', delayMs: 1 }, 'invalid_argument'],
    ['background.schedule', { taskId: 'x'.repeat(65), delayMs: 1 }, 'invalid_argument'],
    ['background.schedule', { taskId: 'x', delayMs: -1 }, 'invalid_argument'],
    ['background.schedule', { taskId: 'x', delayMs: LIMITS.delayMax + 1 }, 'invalid_argument'],
    ['background.schedule', { taskId: 'x', delayMs: LIMITS.delayMax }, 'ok'],
    ['clipboard.read', {}, 'unsupported'],
    ['constructor', {}, 'unsupported'],
    ['__proto__', {}, 'unsupported'],
  ];
  for (const [operation, params, expected] of cases) {
    let prompts = 0;
    const prompt = async () => {
      prompts++;
      return 'granted' as const;
    };
    const page = openPage({ prompt });
    assert.is(await page.outcome(operation, params), expected, `${operation} ${JSON.stringify(params).slice(0, 80)}`);
    assert.is(page.calls.length, expected === 'ok' ? 1 : 0);
    if (expected !== 'ok') assert.is(prompts, 0);
  }
});

test('a short delay is lengthened, and values get to the service as they were sent', async () => {
  const seen: unknown[] = [];
  const services = {
    schedule: (_call: unknown, taskId: string, delayMs: number) => void seen.push(taskId, delayMs),
    storage: {
      get: () => null,
      set: (appId: string, key: string, value: string) => void seen.push(appId, key, value),
    },
  };
  const page = openPage({ services });
  await page.outcome('background.schedule', { taskId: '__proto__', delayMs: 5 });
  await page.outcome('storage.set', { key: '\0', value: '🌦\u0000' });
  assert.equal(seen, ['__proto__', 1000, 'com.example.notes', '\0', '🌦\u0000']);
});

test('a second use of a pending id is rejected; afterwards it can be used again', async () => {
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const page = openPage({ services: { toast: () => gate } });
  page.request('ui.toast', { text: 'a' }, 'x');
  page.request('ui.toast', { text: 'a' }, 'x');
  assert.is(page.sent.at(-1)?.error?.code, 'invalid_argument');
  release();
  await settled();
  assert.is(page.sent.at(-1)?.result, null);
  page.request('ui.toast', { text: 'a' }, 'x');
  await settled();
  assert.is(page.sent.at(-1)?.result, null);
});

test('no more than 64 requests wait for a response', () => {
  const page = openPage({ services: { toast: () => new Promise(() => {}) } });
  for (let i = 0; i < 70; i++) page.request('ui.toast', { text: 'a' });
  assert.is(page.session.pending, LIMITS.pending);
  assert.equal(
    page.sent.slice(1).map(({ error }) => error?.code),
    Array(6).fill('busy'),
  );
  page.session.close();
  assert.is(page.session.pending, 0);
});

test('requests past the rate are busy, and served again when time has passed', async () => {
  let now = 0;
  const page = openPage({ now: () => now });
  const outcomes: string[] = [];
  for (let i = 0; i < 250; i++) outcomes.push(await page.outcome('ui.toast', { text: 'a' }));
  // The hello was one of 200.
  assert.equal(outcomes, [...Array(199).fill('ok'), ...Array(51).fill('busy')]);
  now += 20;
  assert.is(await page.outcome('ui.toast', { text: 'a' }), 'ok');
  assert.is(await page.outcome('ui.toast', { text: 'a' }), 'ok');
  assert.is(await page.outcome('ui.toast', { text: 'a' }), 'busy');
});

test('a flood gets no responses past ten times the rate, and few lines of the log', () => {
  const page = openPage({ now: () => 0 });
  for (let i = 0; i < 20_000; i++) page.request('ui.toast', { text: 'a' });
  assert.ok(page.sent.length <= 2000, `${page.sent.length} messages`);
  page.session.close();
  assert.ok(page.log.length < 10, `${page.log.length} entries`);
  const dropped = page.log.filter(({ type }) => type === 'dropped').reduce((sum, { count }) => sum + count, 0);
  assert.is(dropped, 20_001 - 2000);
});

test('a flood of characters is not parsed', () => {
  const page = openPage({ now: () => 0 });
  const parse = JSON.parse;
  let parsed = 0;
  JSON.parse = ((text: string) => {
    parsed += text.length;
    return parse(text);
  }) as typeof JSON.parse;
  try {
    const large = `"${'x'.repeat(1 << 20)}`;
    for (let i = 0; i < 199; i++) page.session.receive(large);
  } finally {
    JSON.parse = parse;
  }
  assert.ok(parsed <= 3 * LIMITS.message, `${parsed} characters`);
});

test('invented names do not fill the log', () => {
  const page = openPage();
  for (let i = 0; i < 150; i++) page.request(`made.up\n${i}`);
  page.session.close();
  assert.ok(page.log.length <= 33, `${page.log.length} entries`);
  assert.not(page.log.some(({ operation }) => operation?.includes('\n')));
});

test('values of storage are not in the log', async () => {
  const page = openPage();
  await page.outcome('storage.set', { key: 'sesame'.repeat(200), value: 'sesame' });
  await page.outcome('storage.set', { key: 'a', value: 'sesame'.repeat(200_000) });
  page.session.receive('{"type":"request","sesame":"sesame"');
  page.session.close();
  assert.is(page.log.length, 3);
  assert.not.match(JSON.stringify(page.log), 'sesame');
});

test('a forged message gets an error where its id can be read, and nothing else', () => {
  const page = openPage();
  const forged: readonly unknown[] = [
    { type: 'response', protocol: 1, id: '1', result: 'x' },
    { type: 'welcome', protocol: 1, host: '9', operations: [] },
    { type: 'request', protocol: 2, id: '2', operation: 'ui.toast', params: {} },
    { type: 'request', protocol: 1, id: 3, operation: 'ui.toast', params: {} },
    { type: 'request', protocol: 1, id: '4', operation: 'ui.toast', params: [] },
    { type: 'request', protocol: 1, id: 'x'.repeat(65), operation: 'ui.toast', params: {} },
    null,
    [],
  ];
  for (const message of forged) page.session.receive(JSON.stringify(message));
  for (const message of [undefined, null, 1, {}, [], Symbol('a'), new ArrayBuffer(2)]) page.session.receive(message);
  assert.equal(
    page.sent.slice(1).map(({ id, error }) => [id, error?.code]),
    [
      ['2', 'invalid_argument'],
      ['4', 'invalid_argument'],
    ],
  );
  assert.equal(page.calls, []);
});

test('a fault of the host reaches the app without its text, and the log with its error', async () => {
  const fault = new Error('ENOENT: /home/somebody/secret');
  const failing = () => {
    throw fault;
  };
  const services = {
    ...servicesThatNote([]),
    takePhoto: failing,
    fetch: async () => failing(),
    deviceInfo: () => ({}) as never,
    toast: () => {
      throw new HostFault('busy', 'Another toast is shown.');
    },
  };
  const page = openPage({ services });
  assert.is(await page.outcome('camera.takePhoto'), 'unsupported');
  assert.is(await page.outcome('network.fetch', { url: 'https://example.com' }), 'network_error');
  assert.is(await page.outcome('device.info'), 'unsupported');
  assert.is(await page.outcome('ui.toast', { text: 'a' }), 'busy');
  assert.not.match(JSON.stringify(page.sent), 'secret');
  const failed = page.log.filter(({ type }) => type === 'failed');
  assert.equal(
    failed.map(({ operation }) => operation),
    ['camera.takePhoto', 'network.fetch', 'device.info'],
  );
  assert.is(failed[0].error, fault);
});

test('parameters of a request that waits for the user are not kept', async () => {
  const page = openPage({ prompt: () => new Promise(() => {}) });
  await stillHeld([]);
  const before = process.memoryUsage().heapUsed;
  const filler = 'x'.repeat(4 << 20);
  for (let i = 0; i < 8; i++) page.request('camera.takePhoto', { filler: `${filler}${i}` });
  assert.is(page.session.pending, 8);
  await stillHeld([]);
  const kept = process.memoryUsage().heapUsed - before;
  assert.ok(kept < 4 * filler.length, `${kept} bytes`);
});

test('nothing is sent after the page was left, and what runs is aborted', async () => {
  const signals: AbortSignal[] = [];
  let finish = (_photo: string): void => {};
  const services = {
    takePhoto: ({ signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      return new Promise<string>((resolve) => {
        finish = resolve;
      });
    },
  };
  const page = openPage({ services });
  page.request('camera.takePhoto');
  await settled();
  page.session.close();
  assert.is(signals[0].aborted, true);
  finish('AAAA');
  await settled();
  page.request('camera.takePhoto');
  page.session.close();
  assert.is(page.sent.length, 1);
});

test('a result past the size of a message is an error', async () => {
  const body = '\0'.repeat(LIMITS.message / 6);
  const result = { ok: true, status: 200, url: '', headers: {}, body, encoding: 'utf-8' as const };
  const page = openPage({ services: { fetch: () => result } });
  assert.is(await page.outcome('network.fetch', { url: 'https://example.com' }), 'network_error');
});

test('a page that cannot be reached does not stop the host', async () => {
  const page = openPage();
  const session = page.session;
  page.sent.push = () => {
    throw new Error('The page is gone.');
  };
  page.request('ui.toast', { text: 'a' });
  await settled();
  assert.is(session.pending, 0);
  assert.is(page.log.at(-1)?.type, 'failed');
});

test('no message causes an exception', async () => {
  const messages = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record({
        type: fc.constantFrom('request', 'hello', 'response', '__proto__'),
        protocol: fc.constantFrom(1, 2, '1', null),
        id: fc.oneof(fc.string(), fc.integer()),
        operation: fc.oneof(fc.constantFrom(...OPERATIONS.keys()), fc.string()),
        params: fc.oneof(
          fc.dictionary(fc.constantFrom('key', 'value', 'text', 'ms', 'url', 'opts', '__proto__'), fc.jsonValue()),
          fc.jsonValue(),
        ),
        protocols: fc.jsonValue(),
        sdk: fc.jsonValue(),
      })
      .map((message) => JSON.stringify(message)),
    fc.anything(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(messages, { maxLength: 20 }), async (list) => {
      const page = openPage();
      for (const message of list) page.session.receive(message);
      await settled();
      page.session.close();
      assert.not(page.log.some(({ type }) => type === 'failed'));
    }),
    { numRuns: 100 },
  );
});

test.run();
