/** host-sdk.js over each carrier, with hosts that keep to the protocol and hosts that do not. */
import { parse } from 'acorn';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ERROR_CODES } from '../../../../admin-api/miniapp/bridge/errors.ts';
import { LIMITS, OPERATIONS } from '../../../../admin-api/miniapp/bridge/operations.ts';
import fc from '../../../support/fc.ts';
import { CARRIERS, FakePage, rejection, SDK_SOURCE } from './fake-page.ts';

const test = suite('admin-api/miniapp/sdk/host-sdk');

const EXAMPLES: Readonly<Record<string, unknown>> = { string: 'a', number: 1, object: { method: 'HEAD' } };
const methodOf = ({ host }: FakePage, name: string) => {
  const [group, method] = name.split('.');
  return host[group][method];
};
/** Fulfilled promises of a page are of another realm. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('the file is small, and a script of ECMAScript 2017', () => {
  assert.ok(Buffer.byteLength(SDK_SOURCE) < 8192, `${Buffer.byteLength(SDK_SOURCE)} bytes`);
  parse(SDK_SOURCE, { ecmaVersion: 8, sourceType: 'script' });
  assert.match(SDK_SOURCE, /^\/\*!\n \* host-sdk 1\.0\.0 /);
  for (const line of SDK_SOURCE.split('\n')) assert.ok(line.length <= 120, line);
});

for (const carrier of CARRIERS) {
  test(`${carrier}: sends hello first, then each operation by the protocol`, async () => {
    const page = new FakePage(carrier);
    assert.equal(plain(page.sent), [{ type: 'hello', protocols: [1], sdk: '1.0.0' }]);
    const calls = [...OPERATIONS].map(([name, { params }]) =>
      methodOf(page, name)(...params.map(({ type }) => EXAMPLES[type])),
    );
    assert.equal(
      plain(page.requests.map(({ operation, params }) => [operation, params])),
      [...OPERATIONS].map(([name, { params }]) => [
        name,
        Object.fromEntries(params.map((param) => [param.name, EXAMPLES[param.type]])),
      ]),
    );
    page.welcome();
    assert.is(page.timers.size, 0);
    for (const { id, operation } of page.requests) page.result(id, { from: operation });
    assert.equal(
      plain(await Promise.all(calls)),
      [...OPERATIONS.keys()].map((from) => ({ from })),
    );
  });

  test(`${carrier}: rejects with the error of the host`, async () => {
    const page = new FakePage(carrier);
    page.welcome();
    for (const code of ERROR_CODES) {
      const call = page.host.ui.toast('a');
      page.reply({ type: 'response', protocol: 1, id: page.requests.at(-1)!.id, error: { code, message: 'No.' } });
      const error = await rejection(call);
      assert.equal([error.name, error.code, error.message, error.operation], ['HostError', code, 'No.', 'ui.toast']);
      assert.ok(page.run('(error) => error instanceof Error') as boolean);
    }
  });
}

test('Host has the operations and nothing else, and cannot be changed', () => {
  const { window } = new FakePage('ios');
  const host = window.Host as Record<string, Record<string, unknown>>;
  const names = Object.keys(host).flatMap((group) => Object.keys(host[group]).map((method) => `${group}.${method}`));
  assert.equal(names.sort(), [...OPERATIONS.keys()].sort());
  assert.ok(Object.isFrozen(host));
  for (const group of Object.values(host)) {
    assert.ok(Object.isFrozen(group));
    for (const method of Object.values(group)) assert.ok(Object.isFrozen(method));
  }
  const { writable, configurable } = Object.getOwnPropertyDescriptor(window, 'Host')!;
  assert.equal([writable, configurable], [false, false]);
});

test('loading the file twice changes nothing', () => {
  const page = new FakePage('ios');
  const first = page.host;
  page.load();
  assert.is(page.host, first);
  assert.is(page.texts.length, 1);
});

test('a variable of the page named Host is replaced', () => {
  const page = new FakePage('ios', { prepare: 'var Host = { mine: true };' });
  page.run('Host = 1;');
  assert.type(page.host.storage.get, 'function');
});

test('the first carrier is used', () => {
  const page = new FakePage('frame', {
    prepare: 'var used = []; var webkit = { messageHandlers: { host: { postMessage: (text) => used.push(text) } } };',
  });
  assert.is(page.texts.length, 0);
  assert.is(page.run('used.length'), 1);
});

test('messages of other windows are ignored in a frame', async () => {
  const page = new FakePage('frame');
  page.welcome();
  const call = page.host.storage.get('a');
  const forged = JSON.stringify({ type: 'response', protocol: 1, id: page.requests[0].id, result: 'forged' });
  for (const source of [null, undefined, {}, page.window]) page.dispatch('message', { data: forged, source });
  page.dispatch('host-message', { detail: forged });
  page.result(page.requests[0].id, 'own');
  assert.is(await call, 'own');
});

test('messages to the window are ignored where the system has a bridge', async () => {
  const page = new FakePage('ios');
  const call = page.host.storage.get('a');
  const forged = JSON.stringify({ type: 'response', protocol: 1, id: page.requests[0].id, result: 'forged' });
  page.dispatch('message', { data: forged, source: page.window });
  page.result(page.requests[0].id, 'own');
  assert.is(await call, 'own');
});

/** What no host may send; all of it is dropped. */
const DROPPED: readonly unknown[] = [
  ...[undefined, null, 7, {}, { type: 'response', id: '1', result: 'a' }, '', 'a', 'null', '7', '"a"', '[]', '[1]'],
  ...['{}', '{"type":"response"}', '{"type":"response","id":"1', '{"type":"response","id":1,"result":"a"}'],
  ...['{"type":"response","id":"2","result":"a"}', '{"type":"response","id":"__proto__","result":"a"}'],
  ...['{"type":"response","id":"constructor","error":{}}', '{"type":"response","id":["1"],"result":"a"}'],
  ...['{"type":"request","id":"1","result":"a"}', '{"type":"hello","protocols":[1],"sdk":"1.0.0"}'],
];

test('malformed messages and unknown ids are dropped', async () => {
  const page = new FakePage('android');
  page.welcome();
  const call = page.host.storage.get('a');
  assert.is(page.requests[0].id, '1');
  for (const message of DROPPED) page.receive(message);
  page.result('1', null);
  page.result('1', 'second response');
  assert.is(await call, null);
});

/** Responses to a call with neither a result nor an error of the protocol. */
const UNKNOWN_ERRORS: readonly [string, string][] = [
  ['{"type":"response","id":"1"}', 'undefined'],
  ['{"type":"response","id":"1","error":null}', 'undefined'],
  ['{"type":"response","id":"1","error":"busy"}', 'undefined'],
  ['{"type":"response","id":"1","error":{"code":["busy"]}}', 'busy'],
  ['{"type":"response","id":"1","error":{"code":"toString","message":"a"}}', 'a'],
  ['{"type":"response","id":"1","error":{"code":"later"}}', 'later'],
  ['{"type":"response","id":"1","result":1,"error":{"code":"later","message":"a"}}', 'a'],
];

for (const [response, text] of UNKNOWN_ERRORS)
  test(`${response} rejects the call`, async () => {
    const page = new FakePage('ios');
    const call = page.host.device.info();
    page.receive(response);
    const { code, message } = await rejection(call);
    assert.equal([code, message], ['unsupported', `The host sent an error that this SDK does not know: ${text}`]);
  });

test('without a carrier calls are rejected with what to do', async () => {
  const { code, message, operation } = await rejection(new FakePage('none').host.storage.get('a'));
  assert.equal([code, operation], ['unsupported', 'storage.get']);
  assert.match(message, 'waypost pkg dev FOLDER');
});

test('without a welcome calls are rejected after 10 seconds, and sent again after a late one', async () => {
  const page = new FakePage('frame');
  const [early, other] = [page.host.storage.get('a'), page.host.device.info()].map(rejection);
  assert.equal(
    [...page.timers.values()].map(({ delay }) => delay),
    [10_000],
  );
  page.passTime();
  assert.equal([(await early).code, (await other).code], ['timeout', 'timeout']);
  assert.is((await rejection(page.host.storage.get('a'))).code, 'timeout');
  assert.is(page.requests.length, 2);
  page.result('1', 'late');
  page.welcome();
  const call = page.host.storage.get('a');
  page.result(page.requests[2].id, 'in time');
  assert.is(await call, 'in time');
});

test('a welcome ends the deadline, and calls have none', async () => {
  const page = new FakePage('ios');
  const call = page.host.camera.takePhoto();
  page.welcome();
  page.passTime();
  page.result('1', 'photo');
  assert.is(await call, 'photo');
});

test('a welcome with another version is ignored', async () => {
  const page = new FakePage('ios');
  page.receive('{"type":"welcome","protocol":2,"host":"9.0.0","operations":[]}');
  assert.is(page.timers.size, 1);
});

test('refused rejects the calls before and after it', async () => {
  const page = new FakePage('ios');
  const early = rejection(page.host.storage.get('a'));
  const message = 'This host speaks version 2.';
  page.reply({ type: 'refused', error: { code: 'unsupported', message } });
  for (const error of [await early, await rejection(page.host.storage.get('a'))])
    assert.equal([error.code, error.message], ['unsupported', message]);
  assert.is(page.requests.length, 1);
  assert.is(page.timers.size, 0);
});

test('a page that is left loses its calls, and sends hello again when it is restored', async () => {
  const page = new FakePage('ios');
  page.welcome();
  const call = rejection(page.host.storage.get('a'));
  page.dispatch('pagehide', { persisted: true });
  assert.is((await call).code, 'cancelled');
  page.result('1', 'for the session before');
  page.dispatch('pageshow', { persisted: false });
  assert.is(page.texts.length, 2);
  page.dispatch('pageshow', { persisted: true });
  assert.is(page.sent[2].type, 'hello');
  page.welcome();
  const next = page.host.storage.get('a');
  page.result('2', 'b');
  assert.is(await next, 'b');
});

test('a carrier that throws rejects the call, and not the next', async () => {
  const page = new FakePage('android');
  page.welcome();
  page.broken = new Error('gone');
  const { code, message } = await rejection(page.host.storage.get('a'));
  assert.equal([code, message], ['unsupported', 'The host cannot be reached: Error: gone']);
  page.broken = null;
  const call = page.host.storage.get('a');
  page.result('2', 'b');
  assert.is(await call, 'b');
});

/** Group, method, arguments, and the message behind `Host.…: `. */
const ARGUMENTS: readonly [string, readonly unknown[], string][] = [
  ['storage.get', [], 'Host.storage.get(key): key is missing'],
  [
    'storage.get',
    [7],
    'Host.storage.get(key): key is of type number, and must be of type string; use String(...) or JSON.stringify(...)',
  ],
  ['storage.set', ['a'], 'Host.storage.set(key, value): value is missing'],
  [
    'storage.set',
    ['a', { b: 1 }],
    'Host.storage.set(key, value): value is of type object, and must be of type string; use String(...) or JSON.stringify(...)',
  ],
  [
    'storage.set',
    [null, []],
    'Host.storage.set(key, value): key is of type null, and must be of type string; use String(...) or JSON.stringify(...)',
  ],
  ['ui.vibrate', ['9'], 'Host.ui.vibrate(ms): ms is of type string, and must be of type number; use Number(...)'],
  ['ui.vibrate', [Number.NaN], 'Host.ui.vibrate(ms): ms is NaN'],
  ['background.schedule', ['a', Infinity], 'Host.background.schedule(taskId, delayMs): delayMs is Infinity'],
  [
    'network.fetch',
    ['https://a.example', 'GET'],
    'Host.network.fetch(url, opts): opts is of type string, and must be of type object',
  ],
  [
    'network.fetch',
    ['https://a.example', []],
    'Host.network.fetch(url, opts): opts is of type array, and must be of type object',
  ],
  [
    'network.fetch',
    ['https://a.example', null],
    'Host.network.fetch(url, opts): opts is of type null, and must be of type object',
  ],
  [
    'network.fetch',
    ['https://a.example', { a: 1n }],
    'Host.network.fetch(url, opts): cannot be written as JSON: TypeError: Do not know how to serialize a BigInt',
  ],
];

for (const [name, values, wanted] of ARGUMENTS)
  test(`${wanted} is reported without a message to the host`, async () => {
    const page = new FakePage('ios');
    const { code, message, operation } = await rejection(methodOf(page, name)(...values));
    assert.equal([code, message, operation], ['invalid_argument', wanted, name]);
    assert.is(page.requests.length, 0);
  });

test('optional arguments may be left out, and more arguments are ignored', () => {
  const page = new FakePage('ios');
  for (const values of [['https://a.example'], ['https://a.example', undefined], ['https://a.example', undefined, 1]])
    void page.host.network.fetch(...values);
  assert.equal(plain(page.requests.map(({ params }) => params)), Array(3).fill({ url: 'https://a.example' }));
});

test('a message that hosts drop is not sent', async () => {
  const page = new FakePage('ios');
  const error = await rejection(page.host.storage.set('a', 'b'.repeat(LIMITS.message)));
  assert.is(error.code, 'quota_exceeded');
  assert.is(page.requests.length, 0);
});

const TAMPERING = `
  for (const name of ['JSON', 'Promise', 'Map', 'Object', 'Array', 'String', 'Error', 'Reflect', 'Symbol'])
    globalThis[name] = undefined;
  setTimeout = clearTimeout = addEventListener = postMessage = undefined;
`;
const PATCHES = `
  const broken = () => { throw new Error('patched'); };
  for (const type of [Array, String, Map, Function, Promise, RegExp, Number])
    for (const name of Object.getOwnPropertyNames(type.prototype))
      if (name !== 'constructor' && !(type === Promise && name === 'then')) try { type.prototype[name] = broken; } catch {}
  Array.prototype[Symbol.iterator] = broken;
  Object.prototype.toJSON = Array.prototype.toJSON = String.prototype.toJSON = () => 'patched';
  JSON.parse = JSON.stringify = broken;
  Object.prototype.result = Object.prototype.error = 'patched';
`;

for (const [title, code] of [
  ['globals are deleted', TAMPERING],
  ['prototypes are patched', PATCHES],
])
  for (const carrier of CARRIERS)
    test(`${carrier}: works after ${title} by a library`, async () => {
      const page = new FakePage(carrier);
      page.run(code);
      const calls = [page.host.storage.set('a', 'b'), page.host.storage.get('a')];
      const [set, get] = page.requests;
      assert.equal({ ...set.params }, { key: 'a', value: 'b' });
      page.welcome();
      page.result(get.id, 'b');
      page.reply({ type: 'response', protocol: 1, id: set.id, error: { code: 'busy', message: 'Later.' } });
      const [error, value] = await Promise.all([rejection(calls[0]), calls[1]]);
      assert.equal([error.code, value], ['busy', 'b']);
    });

test('each call gets its own response, in whatever order they come', async () => {
  const events = fc.array(fc.record({ isCall: fc.boolean(), which: fc.nat(), fails: fc.boolean() }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(events, async (steps) => {
      const page = new FakePage('ios');
      page.welcome();
      const calls: Promise<unknown>[] = [];
      const open: number[] = [];
      const wanted: string[] = [];
      const respond = (which: number, fails: boolean): void => {
        const [call] = open.splice(which % open.length, 1);
        const { id, params } = page.requests[call];
        const text = `${params.key} ${fails}`;
        wanted[call] = text;
        if (fails) page.reply({ type: 'response', protocol: 1, id, error: { code: 'busy', message: text } });
        else page.result(id, text);
      };
      for (const { isCall, which, fails } of steps)
        if (isCall) {
          open.push(calls.length);
          calls.push(page.host.storage.get(`${calls.length}`).catch(({ message }) => message));
        } else if (open.length > 0) respond(which, fails);
      while (open.length > 0) respond(0, false);
      assert.equal(await Promise.all(calls), wanted);
    }),
    { numRuns: 30 },
  );
});

test.run();
