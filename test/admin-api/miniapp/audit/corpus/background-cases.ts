/** Cases of the rules about the background file. */
import { SEMANTICS_ROWS, SYNTAX_ROWS } from '../background/rhino-table.ts';
import type { CorpusCase } from './corpus-case.ts';
import { backgroundApp } from './small-app.ts';

/** Does what a background file has to do, so that only the line before it can be at fault. */
const HANDLER = `
function onBackgroundEvent(event) {
  Host.call('storage.set', { key: 'last', value: event.timestamp });
}
`;

const app = (line: string) => backgroundApp(`${line}${HANDLER}`);
const handler = (body: string, permissions?: readonly string[]) =>
  backgroundApp(`function onBackgroundEvent(event) { ${body} }\n`, permissions);

const rhino: readonly CorpusCase[] = Object.entries({ ...SYNTAX_ROWS, ...SEMANTICS_ROWS }).map(([code, row]) => ({
  code: code as CorpusCase['code'],
  triggers: app(row.refused[0]),
  nearMiss: app(row.allowed[0]),
}));

const DEEP = '('.repeat(100_000);

export const BACKGROUND_CASES: readonly CorpusCase[] = [
  ...rhino,
  {
    code: 'rhino_missing_global',
    triggers: app('new Proxy({}, {});'),
    nearMiss: app('if (typeof Proxy !== "undefined") new Proxy({}, {});'),
  },
  {
    code: 'rhino_missing_method',
    triggers: app('[1].findLast(String);'),
    nearMiss: app('[1].find(String); ({ findLast: String }).findLast(1);'),
  },
  { code: 'background_syntax_error', triggers: app('var = 1;'), nearMiss: app('var a = 1;') },
  { code: 'background_too_complex', triggers: app(`${DEEP}1${')'.repeat(100_000)};`), nearMiss: app('((((1))));') },
  {
    code: 'background_handler_missing',
    triggers: backgroundApp('function onbackgroundevent() {}'),
    nearMiss: backgroundApp('globalThis.onBackgroundEvent = function () {};'),
  },
  {
    code: 'background_java_bridge',
    triggers: app('java.lang.System.exit(0);'),
    nearMiss: app('function f() { var java = {}; return java.lang; }'),
  },
  {
    code: 'background_java_bridge',
    triggers: app('try { JSON.parse(1); } catch (error) { error["java" + "Exception"]; }'),
    nearMiss: app('try { JSON.parse(1); } catch (error) { error.message; }'),
  },
  { code: 'background_engine_internal', triggers: app("load('x.js');"), nearMiss: app('function load() {} load();') },
  {
    code: 'background_engine_internal',
    triggers: app("valueOf()[Host.call('storage.get', { key: 'a' })];"),
    nearMiss: app('({}).valueOf(); function __proto__() {} __proto__();'),
  },
  // The global object, which has the bridges, is `this` of a function that is called by its name,
  // and of a callback.
  {
    code: 'computed_global',
    triggers: app("function take(name) { return this[name]; } take(Host.call('storage.get', { key: 'a' }));"),
    nearMiss: app('function Model(name) { this[name] = 1; } new Model(Host.call("storage.get", { key: "a" }));'),
  },
  {
    code: 'computed_global',
    triggers: app("['a'].forEach(function () { this[Host.call('storage.get', { key: 'a' })]; });"),
    nearMiss: app("var o = { set: function (name) { ['a'].forEach(function () { this[name] = 1; }, this); } };"),
  },
  {
    code: 'computed_global',
    triggers: app("var all = function () { return this; }; all()[Host.call('storage.get', { key: 'a' })];"),
    nearMiss: app(
      "var own = { all: function () { return this; } }; own.all()[Host.call('storage.get', { key: 'a' })];",
    ),
  },
  {
    code: 'background_browser_api',
    triggers: app("fetch('https://example.com/');"),
    nearMiss: app("if (typeof console !== 'undefined') console.log(1);"),
  },
  {
    code: 'background_undefined_name',
    triggers: app('storge.get();'),
    nearMiss: app('var storage; if (storage) storage.get();'),
  },
  {
    code: 'background_host_member',
    triggers: handler("Host.storage.get('a');"),
    nearMiss: handler("Host.call('storage.get', { key: 'a' });"),
  },
  {
    code: 'background_operation_unknown',
    triggers: handler("Host.call('storage.getall', {});"),
    nearMiss: handler("Host.call('storage.' + 'get', { key: 'a' });"),
  },
  {
    code: 'background_operation_computed',
    triggers: handler("Host.call(event.type, { key: 'a' });"),
    nearMiss: handler("const op = 'storage.get'; Host.call(op, { key: 'a' });"),
  },
  {
    code: 'background_params_invalid',
    triggers: handler("Host.call('storage.set', { key: 'a' });"),
    nearMiss: handler("Host.call('storage.set', { key: event.appId, value: event.type });"),
  },
  {
    code: 'background_params_invalid',
    triggers: handler("Host.call('storage.set', { key: 'a', value: 1 });"),
    nearMiss: handler("Host.call('storage.set', { key: 'a', value: String(1) });"),
  },
  {
    code: 'background_permission_undeclared',
    triggers: handler("Host.call('storage.get', { key: 'a' });", []),
    nearMiss: handler("Host.call('storage.get', { key: 'a' });"),
  },
  { code: 'background_permission_unused', triggers: handler(''), nearMiss: handler('', ['notifications']) },
];
