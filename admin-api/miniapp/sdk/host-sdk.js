/*!
 * host-sdk 1.0.0 makes the global Host of a mini-app.
 *
 * Put this file into your package unchanged, and load it first:
 * <script src="host-sdk.js"></script>. host-sdk.d.ts has its types and documentation.
 *
 * Each call is a message to the host (a phone, or the simulator), which decides about permissions,
 * arguments and limits. Nothing here protects anything: this file only carries messages.
 */
(function () {
  'use strict';

  const VERSION = '1.0.0';
  const PROTOCOL = 1;
  const WELCOME_DEADLINE_MS = 10000;
  /** In UTF-16 units. A host drops longer messages, so that no response would come. */
  const LONGEST_MESSAGE = 12 * 1024 * 1024;

  /** Names and types of the arguments. A "?" marks an optional one. */
  const OPERATIONS = {
    'storage.get': ['key', 'string'],
    'storage.set': ['key', 'string', 'value', 'string'],
    'ui.toast': ['text', 'string'],
    'ui.vibrate': ['ms', 'number'],
    'camera.takePhoto': [],
    'device.info': [],
    'network.fetch': ['url', 'string', 'opts', 'object?'],
    'background.schedule': ['taskId', 'string', 'delayMs', 'number'],
  };
  const CODES = [
    'permission_denied',
    'invalid_argument',
    'unsupported',
    'cancelled',
    'timeout',
    'quota_exceeded',
    'network_error',
    'busy',
  ];
  const HINTS = { string: '; use String(...) or JSON.stringify(...)', number: '; use Number(...)', object: '' };

  // Other scripts may replace these later. What runs later also avoids methods of built-in objects.
  const { parse, stringify } = JSON;
  const { isArray } = Array;
  const { create, freeze, keys } = Object;
  const OwnPromise = Promise;
  const startTimer = setTimeout.bind(window);
  const stopTimer = clearTimeout.bind(window);
  const hasOwn = Function.prototype.call.bind(Object.prototype.hasOwnProperty);

  const present = Object.getOwnPropertyDescriptor(window, 'Host');
  if (present && !present.writable) return; // This file was loaded before.

  class HostError extends Error {
    constructor(code, message, operation) {
      super(message);
      this.name = 'HostError';
      this.code = code;
      this.operation = operation;
    }
  }

  /** Requests without a response, by id. */
  let pending = create(null);
  let lastId = 0;
  /** Code and message of calls that fail without being sent; null while calls are sent. */
  let failure = null;
  let deadline;

  /** Listens to the first carrier that is there. Returns what sends a text to it, or null. */
  function connect() {
    const { HostBridge, webkit, parent } = window;
    const handler = webkit && webkit.messageHandlers && webkit.messageHandlers.host;
    const bridge = HostBridge && HostBridge.postMessage ? HostBridge : handler;
    if (bridge) {
      addEventListener('host-message', (event) => receive(event.detail));
      if (bridge === HostBridge) Reflect.set(bridge, 'onmessage', (event) => receive(event.data));
      return bridge.postMessage.bind(bridge);
    }
    if (parent === window) return null;
    addEventListener('message', (event) => {
      if (event.source === parent) receive(event.data);
    });
    const post = parent.postMessage.bind(parent);
    return (text) => post(text, '*');
  }

  function greet() {
    failure = null;
    stopTimer(deadline);
    deadline = startTimer(() => stop('timeout', 'The host did not respond within 10 seconds.'), WELCOME_DEADLINE_MS);
    try {
      send(`{"type":"hello","protocols":[${PROTOCOL}],"sdk":"${VERSION}"}`);
    } catch (error) {
      stop('unsupported', `The host cannot be reached: ${error}`);
    }
  }

  /** Rejects all calls, present and later. */
  function stop(code, message) {
    stopTimer(deadline);
    failure = { code, message };
    rejectPending(code, message);
  }

  function rejectPending(code, message) {
    const calls = pending;
    pending = create(null);
    for (const id in calls) calls[id].fail(code, message);
  }

  /** Reads a message of the host. Anything else is dropped. */
  function receive(text) {
    let message;
    try {
      message = (typeof text === 'string' && parse(text)) || {};
    } catch (error) {
      return;
    }
    const { type, id, protocol } = message;
    if (type === 'response' && typeof id === 'string' && pending[id]) {
      const { resolve, fail } = pending[id];
      delete pending[id];
      if (hasOwn(message, 'result') && !hasOwn(message, 'error')) resolve(message.result);
      else report(message.error, fail);
    } else if (type === 'refused') {
      report(message.error, stop);
    } else if (type === 'welcome' && protocol === PROTOCOL) {
      // Calls are sent again if it comes after the deadline.
      stopTimer(deadline);
      failure = null;
    }
  }

  function report(error, fail) {
    const { code, message } = error || {};
    const text = `${message || code}`;
    for (let i = 0; i < CODES.length; i++) if (CODES[i] === code) return fail(code, text);
    fail('unsupported', `The host sent an error that this SDK does not know: ${text}`);
  }

  function call(operation, types, values) {
    return new OwnPromise((resolve, reject) => {
      const fail = (code, message) => reject(new HostError(code, message, operation));
      const params = create(null);
      let names = '';
      let fault = '';
      for (let i = 0; i < types.length; i += 2) {
        const name = types[i];
        const value = values[i / 2];
        names += (names && ', ') + name;
        fault = fault || findFault(name, types[i + 1], value);
        params[name] = value;
      }
      const id = `${++lastId}`;
      let text = '';
      try {
        text = stringify({ __proto__: null, type: 'request', protocol: PROTOCOL, id, operation, params });
      } catch (error) {
        fault = fault || `cannot be written as JSON: ${error}`;
      }
      if (fault) return fail('invalid_argument', `Host.${operation}(${names}): ${fault}`);
      if (text.length > LONGEST_MESSAGE) return fail('quota_exceeded', 'The arguments are too large to be sent.');
      if (failure) return fail(failure.code, failure.message);
      pending[id] = { resolve, fail };
      try {
        send(text);
      } catch (error) {
        delete pending[id];
        fail('unsupported', `The host cannot be reached: ${error}`);
      }
    });
  }

  /** For good messages only: a host checks all arguments itself, and their limits. */
  function findFault(name, type, value) {
    const wanted = type === 'object?' ? 'object' : type;
    const found = value === null ? 'null' : isArray(value) ? 'array' : typeof value;
    if (found === 'undefined') return wanted === type ? `${name} is missing` : '';
    if (found !== wanted) return `${name} is of type ${found}, and must be of type ${wanted}${HINTS[wanted]}`;
    return found === 'number' && value - value !== 0 ? `${name} is ${value}` : '';
  }

  const Host = {};
  for (const operation of keys(OPERATIONS)) {
    const [group, method] = operation.split('.');
    Host[group] = Host[group] || {};
    Host[group][method] = freeze((...values) => call(operation, OPERATIONS[operation], values));
  }
  keys(Host).forEach((group) => freeze(Host[group]));
  const value = freeze(Host);
  Object.defineProperty(window, 'Host', { value, enumerable: true, writable: false, configurable: false });

  const send = connect();
  if (send) {
    greet();
    // A session ends with its page. The browser may restore a page that was left.
    addEventListener('pagehide', () => rejectPending('cancelled', 'The page was left before the host responded.'));
    addEventListener('pageshow', (event) => {
      if (event.persisted) greet();
    });
  } else stop('unsupported', 'There is no host. To run the app in a simulator: waypost pkg dev FOLDER');
})();
