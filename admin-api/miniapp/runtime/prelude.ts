/**
 * The script that creates the globals of a background file before the file runs. All engines run
 * it, so it uses the language level of background files. The app's code can change every built-in
 * function, so the script keeps references to the functions it calls. No security depends on it:
 * the host checks its output. It is sloppy code, because Rhino runs functions called by strict
 * code as strict code.
 */
import { LONGEST_MESSAGE, LONGEST_OPERATION, LONGEST_PARAMS, LONGEST_STACK, LONGEST_VALUE } from './limits.ts';

const SOURCE = `(function (global, send, removed) {
  var Object_ = Object, Error_ = Error, TypeError_ = TypeError, Promise_ = Promise, String_ = String;
  var bind = Function.prototype.bind, callable = Function.prototype.call;
  function free(method) { return bind.call(callable, method); }
  var slice = free(String.prototype.slice), then = free(Promise.prototype.then), isPrototypeOf = free(Object.prototype.isPrototypeOf);
  var indexOf = free(String.prototype.indexOf);
  var stringify = JSON.stringify, parse = JSON.parse;
  var define = Object.defineProperty, freeze = Object.freeze, prototypeOf = Object.getPrototypeOf, create = Object.create;

  function set(object, key, value, isFixed) {
    var descriptor = create(null);
    descriptor.value = value;
    descriptor.writable = descriptor.configurable = !isFixed;
    descriptor.enumerable = false;
    define(object, key, descriptor);
  }

  // Code from text.
  var noCode = function Function() { throw new TypeError_('Code from text does not run in the background.'); };
  noCode.prototype = Function.prototype;
  [function () {}, function* () {}].forEach(function (f) {
    var prototype = prototypeOf(f);
    // In Rhino generator functions have none.
    if (prototype !== null && Object_.prototype.hasOwnProperty.call(prototype, 'constructor')) set(prototype, 'constructor', noCode);
  });
  set(global, 'Function', noCode);
  delete global.eval;
  removed.forEach(function (path) {
    var names = path.split('.'), object = global;
    for (var i = 0; i < names.length - 1; i++) { if (object == null) return; object = object[names[i]]; }
    if (object != null) try { delete object[names[names.length - 1]]; } catch (error) { return; }
  });

  function fail(code, message, operation) {
    var error = new Error_(message);
    set(error, 'name', 'HostError');
    set(error, 'code', code);
    set(error, 'operation', operation);
    return error;
  }

  function call(operation, params) {
    if (typeof operation !== 'string') throw fail('invalid_argument', 'The operation is not a string.', '');
    if (operation.length > ${LONGEST_OPERATION}) throw fail('unsupported', 'There is no such operation.', slice(operation, 0, ${LONGEST_OPERATION}));
    var text;
    try { text = stringify(params); } catch (error) {
      throw fail('invalid_argument', 'The parameters cannot be written as JSON.', operation);
    }
    if (typeof text !== 'string') text = 'null';
    if (text.length > ${LONGEST_PARAMS}) throw fail('invalid_argument', 'The parameters are longer than ${LONGEST_PARAMS} characters.', operation);
    var answer = parse(send('[' + stringify(operation) + ',' + text + ']'));
    if (typeof answer.code === 'string') throw fail(answer.code, answer.message, operation);
    return answer.value;
  }
  set(global, 'Host', freeze({ call: freeze(call) }), true);

  function cut(text, length) { return text.length > length ? slice(text, 0, length) + '\\u2026' : text; }
  function textOf(value) { return typeof value === 'string' ? value : ''; }

  // JSON of {kind, message, stack}. The getters and methods of what was thrown are code of the app.
  function describe(thrown) {
    var kind = 'threw', message, stack = null;
    try {
      if (thrown !== null && typeof thrown === 'object' && isPrototypeOf(Error_.prototype, thrown)) {
        var name = textOf(thrown.name), own = textOf(thrown.message);
        message = name === '' ? own : own === '' ? name : name + ': ' + own;
        if (name === 'InternalError' && own === 'out of memory') kind = 'memory';
        if (name === 'InternalError' && (indexOf(own, 'stack overflow') === 0 || indexOf(own, 'Exceeded maximum stack') === 0)) kind = 'stack';
        stack = textOf(thrown.stack);
      } else message = typeof thrown === 'symbol' ? 'a symbol' : String_(thrown);
    } catch (error) { message = 'The thrown value cannot be converted to a string.'; }
    return '{"kind":' + stringify(kind) + ',"message":' + stringify(cut(textOf(message), ${LONGEST_MESSAGE})) +
      ',"stack":' + (stack ? stringify(cut(stack, ${LONGEST_STACK})) : 'null') + '}';
  }

  var outcome = '{"kind":"pending"}';
  function finish(value) {
    var text;
    try { text = stringify(value); } catch (error) { text = undefined; }
    if (typeof text !== 'string' || text.length > ${LONGEST_VALUE}) text = 'null';
    outcome = '{"kind":"finished","value":' + stringify(text) + '}';
  }
  function reject(thrown) { outcome = describe(thrown); }

  function run(handler, event) {
    if (typeof handler !== 'function') { outcome = '{"kind":"no_handler"}'; return; }
    var value;
    try { value = handler(parse(event)); } catch (error) { reject(error); return; }
    if (value !== null && typeof value === 'object' && isPrototypeOf(Promise_.prototype, value)) {
      try { then(value, finish, reject); } catch (error) { reject(error); }
    } else finish(value);
  }

  return { describe: describe, run: run, outcome: function () { return outcome; } };
})`;

/** A function of the global object, a function that sends a call, and the names to delete. */
export const PRELUDE = SOURCE;

/** What the prelude reports, as JSON. */
export interface Report {
  readonly kind: 'threw' | 'memory' | 'stack' | 'pending' | 'finished' | 'no_handler';
  readonly message?: string;
  readonly stack?: string | null;
  readonly value?: string;
}

/** The handler of the app, wherever it is declared. */
export const HANDLER = "typeof onBackgroundEvent === 'function' ? onBackgroundEvent : undefined";
