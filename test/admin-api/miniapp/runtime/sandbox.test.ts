/** Limits of QuickJS, and what each event leaves behind. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ENGINE_LIMITS } from '../../../../admin-api/miniapp/runtime/limits.ts';
import type { EngineOutcome } from '../../../../admin-api/miniapp/runtime/outcome.ts';
import { loadQuickJs, pagesOf } from '../../../../admin-api/miniapp/runtime/quickjs-module.ts';
import { runInSandbox } from '../../../../admin-api/miniapp/runtime/sandbox.ts';
import { eventOf, handler, programOf } from './events.ts';

const quickjs = await loadQuickJs(ENGINE_LIMITS.memory);
/** Milliseconds of what would never end. */
const SHORT = 10;
const MB = 1024 * 1024;

const run = (text: string, limits = {}): EngineOutcome =>
  runInSandbox(quickjs, programOf(text), eventOf(), { ...ENGINE_LIMITS, ...limits }, () => '{"value":null}').outcome;
const resultOf = (text: string): unknown => {
  const outcome = run(text);
  assert.is(outcome.state, 'finished', JSON.stringify(outcome));
  return JSON.parse((outcome as { readonly value: string }).value);
};
const reasonOf = (outcome: EngineOutcome): string => (outcome.state === 'failed' ? outcome.reason : outcome.state);

const ENDLESS = {
  'a loop': 'for (;;);',
  'a loop in a handler of errors': 'for (;;) try { for (;;); } catch (error) {} finally { for (;;); }',
  'a regular expression': "/^(a+)+$/.test('a'.repeat(40) + '!');",
  'jobs of promises': 'function again() { Promise.resolve().then(again); } again();',
  'a loop in a job': 'return Promise.resolve().then(function () { for (;;); });',
  'a storm of jobs': 'function more() { var p = Promise.resolve(); p.then(more); p.then(more); } more();',
  'a getter of a thrown value':
    'throw Object.create(Error.prototype, { message: { get: function () { for (;;); } } });',
  'toString of a thrown value': 'throw { toString: function () { for (;;); } };',
  'toJSON of a returned value': 'return { toJSON: function () { for (;;); } };',
  'a comparison': '[3, 2, 1].sort(function () { for (;;); });',
};
for (const [what, body] of Object.entries(ENDLESS))
  test(`endless ${what}`, () => {
    assert.is(reasonOf(run(handler(body), { time: SHORT })), 'timeout');
    assert.is(resultOf(handler('return 1;')), 1);
  });

test('an endless loop while the file is loaded', () => {
  assert.is(reasonOf(run('for (;;);', { time: SHORT })), 'timeout');
});

test('one large allocation', () => {
  for (const body of ['new ArrayBuffer(1e9);', 'new Uint8Array(1e9);', 'new Array(10).fill("x".repeat(5e8)).join("");'])
    assert.is(reasonOf(run(handler(body), { memory: MB })), 'memory', body);
  for (const body of ['"x".repeat(2e9);', 'var s = "x"; for (;;) s += s;'])
    assert.is(reasonOf(run(handler(body), { memory: MB })), 'threw', body);
  assert.is(resultOf(handler('return 1;')), 1);
});

test('many small allocations', async () => {
  const small = await loadQuickJs(MB);
  const before = pagesOf(small);
  const program = programOf(handler('var a = []; for (;;) a.push("x".repeat(1e4));'));
  const { outcome, isBroken } = runInSandbox(small, program, eventOf(), ENGINE_LIMITS, () => undefined);
  // Some places of the engine do not expect it; the thread is replaced then.
  assert.is(reasonOf(outcome), isBroken ? 'crashed' : 'memory');
  assert.ok(pagesOf(small) <= before + 16);
});

test('a caught memory error does not end the event', () => {
  assert.is(
    resultOf(handler('try { new ArrayBuffer(1e9); } catch (error) { return error.message; }')),
    'out of memory',
  );
});

test('an endless recursion ends at the limit of the stack', () => {
  const stack = 32 * 1024;
  for (const body of [
    'function f() { f(); } f();',
    'var o = { get x() { return this.x; } }; o.x;',
    'var a = []; a[0] = a; a.toString();',
    '[1].map(function f() { [1].map(f); });',
  ])
    assert.is(reasonOf(run(handler(body), { stack })), 'stack', body);
  assert.is(resultOf(handler('return 1;')), 1);
});

test('the returned value', () => {
  assert.equal(resultOf(handler('return event;')), eventOf());
  assert.is(resultOf(handler('')), null);
  for (const body of ['return function () {};', 'var a = {}; a.a = a; return a;', 'return "x".repeat(1e5);'])
    assert.is((run(handler(body)) as { readonly value: unknown }).value, 'null');
});

test('a promise is awaited, and one that never settles is an error', () => {
  assert.is(resultOf(handler('return Promise.resolve(1).then(function (n) { return n + 1; });')), 2);
  const rejected = run(handler('return Promise.reject(new TypeError("no"));'));
  assert.is((rejected as { readonly message: string }).message, 'TypeError: no');
  assert.match(
    (run(handler('return new Promise(function () {});')) as { readonly message: string }).message,
    /never settled/,
  );
});

test('a thrown value becomes text of bounded length', () => {
  const thrown = (body: string) => (run(handler(body)) as { readonly message: string }).message;
  assert.is(thrown('throw 1;'), '1');
  assert.is(thrown('throw undefined;'), 'undefined');
  assert.is(thrown('throw Symbol("x");'), 'a symbol');
  assert.is(thrown('throw null;'), 'null');
  assert.match(thrown('throw { toString: function () { throw 1; } };'), /cannot be converted/);
  assert.match(thrown('throw Object.create(null);'), /cannot be converted/);
  assert.ok(thrown('throw new Error("x".repeat(1e6));').length < 3000);
  assert.is(thrown('throw new Error("\\u0000\\ud800\\u{1f600}");'), 'Error: \u0000\ud800\u{1f600}');
});

test('handlers of every kind of declaration', () => {
  for (const text of [
    'function onBackgroundEvent() { return 1; }',
    'var onBackgroundEvent = function () { return 1; };',
    'let onBackgroundEvent = function () { return 1; };',
    'const onBackgroundEvent = () => 1;',
    'globalThis.onBackgroundEvent = function () { return 1; };',
    'this.onBackgroundEvent = function () { return 1; };',
    'onBackgroundEvent = function () { return 1; };',
  ])
    assert.is(resultOf(text), 1, text);
  for (const text of ['', 'var onBackgroundEvent;', 'let onBackgroundEvent = 1;', 'function onbackgroundevent() {}'])
    assert.is(reasonOf(run(text)), 'no_handler', text);
});

test('consecutive runtimes do not leak memory', () => {
  const body = handler(
    'var a = []; for (var i = 0; i < 1000; i++) a.push({ i: i }); globalThis.kept = a; return a.length;',
  );
  for (let i = 0; i < 10; i++) run(body);
  const before = pagesOf(quickjs);
  for (let i = 0; i < 50; i++) run(i % 10 === 0 ? handler('function f() { f(); } f();') : body, { stack: 32 * 1024 });
  assert.is(pagesOf(quickjs), before);
});

test.run();
