/** What a background file reaches: no code from text, no host but `Host.call`, no other events. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HostFault } from '../../../../admin-api/miniapp/bridge/errors.ts';
import {
  type CallHost,
  type Failed,
  type Finished,
  QuickJsEngine,
} from '../../../../admin-api/miniapp/runtime/index.ts';
import { APP, eventOf, handler, noHost, programOf } from './events.ts';

const engine = new QuickJsEngine();
test.after(() => engine.close());

const run = (text: string, host: CallHost = noHost, appId = APP) =>
  engine.run(programOf(text, appId), eventOf(appId), host);

async function resultOf(body: string, host?: CallHost): Promise<unknown> {
  const outcome = await run(handler(body), host);
  assert.is(outcome.state, 'finished', JSON.stringify(outcome));
  return JSON.parse((outcome as Finished).value!);
}

const FROM_TEXT = [
  'eval("1")',
  'Function("return 1")()',
  'new Function("return 1")()',
  '(function () {}).constructor("return 1")()',
  '(() => 1).constructor("return 1")()',
  'Host.call.constructor("return 1")()',
  'Object.getPrototypeOf(function () {}).constructor("return 1")()',
  'Object.getPrototypeOf(function* () {}).constructor("yield 1")()',
  'onBackgroundEvent.constructor.constructor("return 1")()',
  '[].map.constructor("return 1")()',
  'Symbol.iterator.constructor.constructor("return 1")()',
  'new (Object.getOwnPropertyDescriptor(Function.prototype, "constructor").value)("return 1")()',
  'Function.prototype.constructor.apply(null, ["return 1"])()',
  'Function.bind(null, "return 1")()()',
  '(0, globalThis["ev" + "al"])("1")',
  'setTimeout("1")',
];
test('code from text', async () => {
  for (const code of FROM_TEXT) {
    const outcome = await run(handler(`return ${code};`));
    assert.is(outcome.state, 'failed', code);
    assert.match((outcome as Failed).message, /Code from text|is not defined|not a function/, code);
  }
});

test('code that is loaded', async () => {
  const outcome = (await run(handler('return import("node:fs");'))) as Failed;
  assert.is(outcome.reason, 'refused');
  assert.match(outcome.message, /import/);
});

test('no names of browsers, of Node or of internals', async () => {
  const names =
    'window self document fetch XMLHttpRequest console setTimeout queueMicrotask process require module global Buffer performance ' +
    'std os bjson scriptArgs print Proxy Reflect WeakRef FinalizationRegistry Atomics SharedArrayBuffer Iterator eval __proto__';
  for (const name of names.split(' ').slice(0, -1))
    assert.is(await resultOf(`return typeof ${name};`), 'undefined', name);
});

test('the globals are those of a table', async () => {
  const names = (await resultOf('return Object.getOwnPropertyNames(globalThis).sort();')) as string[];
  assert.is(
    names.join(' '),
    'Array ArrayBuffer BigInt Boolean DataView Date Error EvalError Float32Array Float64Array Function Host Infinity ' +
      'Int16Array Int32Array Int8Array InternalError JSON Map Math NaN Number Object Promise RangeError ReferenceError ' +
      'RegExp Set String Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray ' +
      'WeakMap WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent escape globalThis isFinite isNaN ' +
      'onBackgroundEvent parseFloat parseInt undefined unescape',
  );
});

test('Host is frozen, and has call only', async () => {
  assert.equal(
    await resultOf(
      'return [Object.keys(Host), Object.getOwnPropertyNames(Host), Object.isFrozen(Host), Object.isFrozen(Host.call)];',
    ),
    [['call'], ['call'], true, true],
  );
  assert.equal(
    await resultOf(
      'var before = Host; Host = 1; delete globalThis.Host; Host.call = 1; Host.own = 1; return [before === Host, typeof Host.call, typeof Host.own];',
    ),
    [true, 'function', 'undefined'],
  );
  for (const attempt of [
    'Host.call = 1;',
    'Host = 1;',
    'delete Host.call;',
    'Object.defineProperty(Host, "x", { value: 1 });',
    'Object.setPrototypeOf(Host, null);',
  ])
    assert.is((await run(`'use strict'; ${handler(attempt)}`)).state, 'failed', attempt);
});

test('built-in functions that were replaced change nothing for the host', async () => {
  const seen: unknown[] = [];
  const host: CallHost = (appId, operation, params) => {
    seen.push([appId, operation, params]);
    return 'mine';
  };
  const tampering = `
    JSON.stringify = JSON.parse = String = Error = Object.freeze = function () { return '["network.fetch",{}]'; };
    Object.prototype.code = 'x'; Object.prototype.toJSON = function () { return { key: 'other' }; };
    Function.prototype.call = Function.prototype.apply = String.prototype.slice = function () { return 'x'; };
    Object.defineProperty(Object.prototype, 'appId', { get: function () { return 'com.other'; } });`;
  await run(handler(`${tampering} return Host.call('storage.get', { key: 'a' });`), host);
  assert.equal(seen, [[APP, 'storage.get', { key: 'other' }]]);
});

test('parameters of every kind', async () => {
  const seen: unknown[] = [];
  const host: CallHost = (_appId, operation, params) => {
    seen.push([operation, params]);
    return null;
  };
  const code = (call: string) =>
    resultOf(`try { ${call} return 'done'; } catch (error) { return error.code || error.message; }`, host);
  for (const call of [
    'Host.call();',
    'Host.call(1, {});',
    'Host.call(Symbol.iterator, {});',
    'Host.call({ toString: function () { return "storage.get"; } }, {});',
    'var a = {}; a.a = a; Host.call("storage.get", a);',
    'Host.call("storage.get", { get key() { throw new Error("own"); } });',
    'Host.call("storage.get", { toJSON: function () { throw 1; } });',
    'Host.call("storage.get", 10n);',
    'Host.call("storage.set", { key: "a", value: "x".repeat(7e6) });',
  ])
    assert.is(await code(call), 'invalid_argument', call);
  assert.is(await code('Host.call("x".repeat(65), {});'), 'unsupported');
  assert.equal(seen, []);
  for (const [params, sent] of [
    ['', null],
    ['undefined', null],
    ['function () {}', null],
    ['Symbol("x")', null],
    ['[1, [2]]', [1, [2]]],
    ['{ a: undefined, b: NaN, c: function () {}, d: new Date(0) }', { b: null, d: '1970-01-01T00:00:00.000Z' }],
    ['(function () { var o = { key: "k" }; o[Symbol("s")] = 1; return o; })()', { key: 'k' }],
    ['{ get key() { return "got"; } }', { key: 'got' }],
    ['{ key: "\\u0000\\ud800\\u2028" }', { key: '\u0000\ud800\u2028' }],
  ] as const) {
    assert.is(await code(`Host.call('storage.get'${params && `, ${params}`});`), 'done', params);
    assert.equal(seen.pop(), ['storage.get', sent], params);
  }
  assert.is(await code(`Host.call('storage.get', JSON.parse('{"__proto__":{"key":"x"}}'));`), 'done');
  assert.equal(Object.keys((seen.pop() as [string, object])[1]), ['__proto__']);
});

test('results and errors of the host', async () => {
  const of = (host: CallHost) =>
    resultOf(
      'try { return Host.call("storage.get", { key: "a" }); } catch (e) { return [e instanceof Error, e.name, e.code, e.message, e.operation]; }',
      host,
    );
  assert.is(await of(() => null), null);
  assert.is(await of(() => undefined), null);
  assert.is(await of(() => '\u0000\ud800\u{1f600}'), '\u0000\ud800\u{1f600}');
  assert.is(await of(async () => 'later'), 'later');
  const fault = new HostFault('quota_exceeded', 'Full.');
  const reported = [true, 'HostError', 'quota_exceeded', 'Full.', 'storage.get'];
  assert.equal(
    await of(() => {
      throw fault;
    }),
    reported,
  );
  assert.equal(await of(() => Promise.reject(fault)), reported);
  const secret = await of(() => {
    throw new Error('/home/secret');
  });
  assert.equal((secret as string[])[2], 'busy');
  assert.not.match(JSON.stringify(secret), /secret/);
  assert.is(((await of(() => 10n)) as string[])[2], 'busy');
});

test('calls are listed, and limited', async () => {
  const many = (await run(
    handler("for (var i = 0; i < 150; i++) Host.call('storage.get', { key: 'a' });"),
    () => null,
  )) as Finished;
  assert.equal([many.state, many.calls.length, many.omittedCalls], ['finished', 100, 50]);
  assert.equal([many.calls[0].operation, many.calls[0].error], ['storage.get', null]);
});

test('an app sees nothing of another, and nothing of its own last event', async () => {
  const leave = `globalThis.left = 1; Object.prototype.left = 1; Array.prototype.map = 1; JSON.left = 1; Host.call.left = 1; ${handler('left2 = 1; return 1;')}`;
  const look = handler(
    'return [typeof left, typeof left2, typeof {}.left, typeof [].map, typeof JSON.left, typeof Host.call.left];',
  );
  for (const other of [
    APP,
    'com.example.other',
    '__proto__',
    '../com.example.app',
    'constructor',
    '\u0000',
    'x'.repeat(1000),
  ]) {
    assert.is((await run(leave)).state, 'finished');
    const seen = (await run(look, noHost, other)) as Finished;
    assert.equal(JSON.parse(seen.value!), [
      'undefined',
      'undefined',
      'undefined',
      'function',
      'undefined',
      'undefined',
    ]);
  }
});

test('the id of the app is the one of the host, whatever the event says', async () => {
  const ids: string[] = [];
  const host: CallHost = (appId) => void ids.push(appId);
  for (const id of ['__proto__', '../other', 'a"],["b', '\ud800'])
    await run(
      handler("event.appId = 'com.other'; Host.call('storage.get', { key: 'a', appId: 'com.other' });"),
      host,
      id,
    );
  assert.equal(ids, ['__proto__', '../other', 'a"],["b', '\ud800']);
});

test('programs that Rhino cannot read are refused with the messages of the audit', async () => {
  const outcome = (await run(`class A {}\nvar a = b?.c;\n${handler('')}`)) as Failed;
  assert.is(outcome.reason, 'refused');
  assert.equal(
    outcome.findings.map(({ code, line }) => [code, line]),
    [
      ['rhino_class', 1],
      ['rhino_optional_chaining', 2],
    ],
  );
  assert.match(outcome.message, /^background\.js:1:1: .*classes are not known\. \(and 1 more\)$/);
  for (const text of ['var = 1;', '('.repeat(100_000), 'x'.repeat(3e6), 'for (;;) { const a = 1; }'])
    assert.is(((await run(text)) as Failed).reason, 'refused');
});

test.run();
