/**
 * The same background files in QuickJS and in Rhino: all that the audit accepts ends in the same
 * way, apart from the table of differences. And what Rhino never gives.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type CallHost,
  type Failed,
  type Outcome,
  QuickJsEngine,
  RhinoEngine,
} from '../../../../../admin-api/miniapp/runtime/index.ts';
import { program } from '../../../../admin-api/miniapp/audit/background/es-program.ts';
import {
  SEMANTICS_ROWS,
  SINCE_1_7_15,
  SYNTAX_ROWS,
} from '../../../../admin-api/miniapp/audit/background/rhino-table.ts';
import { BACKGROUND_CASES } from '../../../../admin-api/miniapp/audit/corpus/background-cases.ts';
import { goodApp } from '../../../../admin-api/miniapp/audit/corpus/good-app.ts';
import { DIFFERENCES, ONLY_QUICKJS } from '../../../../admin-api/miniapp/runtime/differences.ts';
import { endOf, eventOf, handler, noHost, programOf, topLevel } from '../../../../admin-api/miniapp/runtime/events.ts';
import { depth } from '../../../../support/depth.ts';
import fc from '../../../../support/fc.ts';
import { SEED } from '../../../../support/seed.ts';
import { whyNoRhino } from '../audit/background/rhino-engine.ts';

const PROGRAMS = depth({ quick: 300, moderate: 400, full: 5000 });
/** Only deep runs look for unknown differences. */
const PROGRAMS_SEED = depth({ quick: 11, moderate: 11, full: SEED });
/** Milliseconds of programs that never end. */
const SHORT = 200;
const HANDLER = '\nfunction onBackgroundEvent(event) { return event; }\n';

const why = whyNoRhino();
if (why !== null) console.log(`skipped, since ${why}: background files in Rhino`);
else {
  const test = suite('Rhino');
  const quickjs = new QuickJsEngine();
  const rhino = new RhinoEngine();
  const inQuickJs = (text: string, host: CallHost = noHost, time?: number): Promise<Outcome> =>
    quickjs.run(programOf(text), eventOf(), host, { time });
  const inRhino = (text: string, host: CallHost = noHost, time?: number): Promise<Outcome> =>
    rhino.run(programOf(text), eventOf(), host, { time });
  const both = async (text: string): Promise<readonly [unknown, unknown]> => {
    const ends = async (time?: number) =>
      [endOf(await inQuickJs(text, noHost, time)), endOf(await inRhino(text, noHost, time))] as const;
    if (!/\b(?:for|while|do)\b/.test(text)) return ends();
    const [first, second] = await ends(SHORT);
    // A busy machine may not get to the end of a short program in time.
    return first !== second && (first === 'timeout' || second === 'timeout') ? ends() : [first, second];
  };

  for (const [code, row] of Object.entries({ ...SYNTAX_ROWS, ...SEMANTICS_ROWS }))
    test(`${code}: what the audit accepts ends in the same way, the rest is refused`, async () => {
      for (const source of [...row.allowed, ...row.refused]) {
        const [first, second] = await both(source + HANDLER);
        assert.equal(first, second, source);
        if (code in SYNTAX_ROWS && row.refused.includes(source)) assert.is(first, 'refused', source);
      }
    });

  test('cases of the corpus', async () => {
    const storage = new Map<string, unknown>();
    const host: CallHost = (_appId, operation, params) => {
      const { key, value } = params as { readonly key: string; readonly value: unknown };
      return operation === 'storage.get' ? storage.get(key) : void storage.set(key, value);
    };
    const apps = BACKGROUND_CASES.flatMap(({ triggers, nearMiss }) => [triggers, nearMiss]);
    let compared = 0;
    for (const app of [...apps, goodApp(1)]) {
      const text = (app as Readonly<Record<string, unknown>>)['background/background.js'];
      if (typeof text !== 'string' || text.startsWith('valueOf()')) continue;
      storage.clear();
      const first = endOf(await inQuickJs(text, host));
      const stored = [...storage];
      storage.clear();
      assert.equal(first, endOf(await inRhino(text, host)), text.slice(0, 200));
      assert.equal([...storage], stored);
      compared++;
    }
    assert.ok(compared > 100);
  });

  test('random programs have the same result as in the sandbox', async () => {
    // Names that the programs use; patterns need what has an iterator.
    const names =
      'var a = [1, 2], b = [3], c = [], f = function (x) { return x; }, async = [4], of = [5], get = [6], $x = [7], \u00e4 = [8], yield_ = [9];\n';
    const end = `\n${handler('return [a, b, c, typeof f, typeof async, of, get, $x, \u00e4].map(String).join();')}`;
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(program, async (source) => {
        const strict = /^'use strict';\n/.exec(source)?.[0] ?? '';
        const text = strict + names + source.slice(strict.length) + end;
        const outcome = await inQuickJs(text, noHost, SHORT);
        const first = endOf(outcome);
        if (first === 'refused' || first === 'timeout' || isListed(source, outcome)) return;
        compared++;
        assert.equal(withoutOrder(first), withoutOrder(endOf(await inRhino(text))), source);
      }),
      { numRuns: PROGRAMS, seed: PROGRAMS_SEED },
    );
    assert.ok(compared > PROGRAMS / 100, `only ${compared} of ${PROGRAMS} were compared`);
  });

  for (const { what, body, rhino: expected } of DIFFERENCES)
    test(`different: ${what}`, async () => {
      assert.equal(endOf(await inRhino(topLevel(body))), expected);
    });

  test('different: additions of 1.7.15', async () => {
    for (const source of SINCE_1_7_15) {
      assert.is((await inQuickJs(source + HANDLER)).state, 'finished', source);
      assert.is(endOf(await inRhino(source + HANDLER)), 'SyntaxError', source);
    }
  });

  test('names of globals and their members', async () => {
    const collect = `var names = [];
      function add(path, object) { Object.getOwnPropertyNames(object).forEach(function (name) { names.push(path + '.' + name); }); }
      Object.getOwnPropertyNames(globalThis).forEach(function (name) {
        var value = globalThis[name];
        names.push(name);
        if (value === null || (typeof value !== 'object' && typeof value !== 'function') || value === globalThis) return;
        add(name, value);
        if (typeof value === 'function' && value.prototype) add(name + '.prototype', value.prototype);
      });
      Host.call('names', names);`;
    const namesIn = async (run: typeof inQuickJs): Promise<readonly string[]> => {
      let names: readonly string[] = [];
      const outcome = await run(handler(collect), (_appId, _operation, params) => {
        names = params as readonly string[];
      });
      assert.is(outcome.state, 'finished', JSON.stringify(outcome));
      return [...names].sort();
    };
    const first = await namesIn(inQuickJs);
    const second = await namesIn(inRhino);
    const isGlobal = (name: string): boolean => !name.includes('.');
    assert.equal(
      first.filter(isGlobal),
      second.filter((name) => isGlobal(name) && name !== 'StopIteration'),
    );
    const own = new Set(second);
    assert.equal(
      first.filter((name) => !own.has(name)),
      [...ONLY_QUICKJS].sort(),
    );
  });

  test('no Java, and no scope but that of the app', async () => {
    for (const body of [
      'return typeof java + typeof Packages + typeof getClass + typeof JavaAdapter + typeof importClass + typeof load + typeof print;',
      'var g = (function () { return this; }).bind()(); return typeof g.java + typeof g.Packages + (g === globalThis);',
      'var g = (function () { return this; }).call(null); return typeof g.java + typeof g.Packages + (g === globalThis);',
      'var g = [1].map(function () { return this; })[0]; return typeof g.java + (g === globalThis);',
      'return Promise.resolve().then(function () { return typeof (this || {}).java; });',
      'return { toJSON: function () { return typeof this.java + typeof (function () { return this; }).bind()().java; } };',
      'var scope = Host.call, found = []; while (scope) { found.push(typeof scope.java, typeof scope.Packages); scope = scope.__parent__; } return found.join().replace(/undefined|,/g, "");',
      'try { null.x; } catch (error) { return typeof error.javaException + typeof error.rhinoException; }',
      'try { Host.call("x", {}); } catch (error) { return typeof error.javaException + typeof error.rhinoException; }',
      'return typeof Script + typeof Continuation + typeof With + typeof Call + typeof XML + typeof uneval + typeof eval;',
    ]) {
      const end = String(endOf(await inRhino(handler(body))));
      assert.ok(/^(?:undefined|true)*$/.test(end), `${body} gives ${end}`);
    }
    // What was thrown is converted in the scope of the app, too.
    const thrown = 'throw { toString: function () { return typeof (function () { return this; }).bind()().java; } };';
    assert.is(((await inRhino(handler(thrown))) as Failed).message, 'undefined');
    assert.is(((await inRhino(thrown)) as Failed).message, 'undefined');
  });

  test('no code from text', async () => {
    for (const code of [
      'Function("1")',
      'new Function("1")',
      '(function () {}).constructor("1")',
      'Host.call.constructor("1")',
      'Host.call.__parent__.send.constructor("1")',
      '[].map.constructor("1")',
    ])
      assert.match(((await inRhino(handler(`return ${code}();`))) as Failed).message, /Code from text/, code);
  });

  test('calls, and the same values from and to the host', async () => {
    const seen: unknown[] = [];
    const host: CallHost = async (_appId, operation, params) => {
      seen.push([operation, params]);
      return '\u0000\ud800\u{1f600}';
    };
    const body = "return Host.call('storage.get', { key: '\\u0000\\ud800\\u2028', n: [1, null] });";
    assert.is(endOf(await inRhino(handler(body), host)), '\u0000\ud800\u{1f600}');
    assert.equal(seen, [['storage.get', { key: '\u0000\ud800\u2028', n: [1, null] }]]);
  });

  test('ids are data', async () => {
    for (const id of ['__proto__', '../x', "');for(;;);('", '\u0000\u2028\ud800', '\u{1f600}', 'x'.repeat(1000)]) {
      const outcome = await rhino.run(programOf(handler('return event.appId;'), id), eventOf(id), noHost);
      assert.is(endOf(outcome), id);
    }
  });

  test('no state is left for the next event', async () => {
    await inRhino(`left = 1; Object.prototype.left = 1; Array.prototype.map = 1; ${handler('return 1;')}`);
    assert.is(
      endOf(await inRhino(handler('return typeof left + typeof {}.left + typeof [].map;'))),
      'undefinedundefinedfunction',
    );
  });

  test('a program that exceeds a limit is ended, with the reason', async () => {
    const reason = async (body: string, time?: number) =>
      ((await inRhino(handler(body), noHost, time)) as Failed).reason;
    assert.is(await reason('for (;;);', SHORT), 'timeout');
    assert.is(await reason('for (;;) try { for (;;); } catch (error) {}', SHORT), 'timeout');
    assert.is(await reason('throw { toString: function () { for (;;); } };', SHORT), 'timeout');
    assert.is(await reason('function f() { f(); } f();'), 'stack');
    assert.is(await reason('new Array(1e9).join("x");'), 'memory');
    assert.is(endOf(await inRhino(handler('return 1;'))), 1);
  });

  test.after(async () => {
    await quickjs.close();
    await rhino.close();
  });
  test.run();
}

/** Programs that have what the table of differences has. */
const LISTED = /function\*|\*\*=|\bthis\b|\b(?:try|instanceof)\b|\\u\{/;

function isListed(source: string, outcome: Outcome): boolean {
  const text = outcome.state === 'failed' ? outcome.message : (outcome.value ?? '');
  return LISTED.test(source) || /iterable|iterator|function \w*\(|=>/.test(text);
}

/** Which of two errors comes first is one of the differences: the callee's or the argument's. */
const withoutOrder = (end: unknown): unknown => (end === 'ReferenceError' || end === 'TypeError' ? 'an error' : end);
