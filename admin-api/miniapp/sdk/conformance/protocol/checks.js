'use strict';

/** Checks of single messages of the bridge. The page sends them to the host without the SDK. */
const PATIENCE_MS = 5000;
/** Milliseconds to wait for a response to a message that the host must drop. */
const SILENCE_MS = 200;
const LONGEST_MESSAGE = 12 * 1024 * 1024;
const OPERATIONS = [
  'storage.get',
  'storage.set',
  'ui.toast',
  'ui.vibrate',
  'camera.takePhoto',
  'device.info',
  'network.fetch',
  'background.schedule',
];
const HELLO = { type: 'hello', protocols: [1], sdk: '1.0.0' };

let lastId = 0;
const newId = () => 'c' + ++lastId;
const requestOf = (operation, params) => ({ type: 'request', protocol: 1, id: newId(), operation, params });

async function greet(hello) {
  const from = received.length;
  sendMessage(hello);
  const reply = await awaitMessage(({ type }) => type === 'welcome' || type === 'refused', from, PATIENCE_MS);
  expectThat(reply !== undefined, 'no response to hello');
  return reply;
}

function expectWelcome({ type, protocol, host, operations }) {
  expectEqual([type, protocol], ['welcome', 1]);
  expectThat(/^\d+\.\d+\.\d+$/.test(host), 'the version of the host is not MAJOR.MINOR.PATCH: ' + host);
  expectThat(Array.isArray(operations), '"operations" is no list');
  const missing = OPERATIONS.filter((name) => !operations.includes(name));
  return missing.length > 0 ? 'The host does not have ' + missing.join(', ') : undefined;
}

async function responseTo(message) {
  const from = received.length;
  sendMessage(message);
  const response = await awaitMessage(({ type, id }) => type === 'response' && id === message.id, from, PATIENCE_MS);
  expectThat(response !== undefined, 'no response to the request');
  expectEqual(response.protocol, 1);
  expectThat('result' in response !== 'error' in response, 'the response has result and error, or neither');
  return response;
}

async function expectError(message, code) {
  const { error } = await responseTo(message);
  expectThat(error !== undefined, 'expected ' + code + ', and got a result');
  expectThat(typeof error.message === 'string' && error.message !== '', 'the error has no message');
  expectEqual(error.code, code);
}

async function expectResult(message, result) {
  const response = await responseTo(message);
  expectThat(response.error === undefined, 'expected a result, and got ' + JSON.stringify(response.error));
  expectEqual(response.result, result);
}

/** Expects no response to `text`, and that the host still works. */
async function expectDropped(text) {
  const from = received.length;
  sendText(text);
  const reply = await awaitMessage(() => true, from, SILENCE_MS);
  expectThat(reply === undefined, 'expected no response, and got ' + JSON.stringify(reply));
  await expectAlive();
}

/** Waits until the host serves a request, for at most 10 seconds. */
async function waitForHost() {
  for (let tries = 0; tries < 20; tries++) {
    await pause(SILENCE_MS);
    const message = requestOf('storage.get', { key: 'never stored' });
    const from = received.length;
    sendMessage(message);
    const response = await awaitMessage(({ id }) => id === message.id, from, 300);
    if (response !== undefined && response.error === undefined) return expectEqual(response.result, null);
  }
  throw new Error('the host does not respond any more');
}

const expectAlive = () => expectResult(requestOf('storage.get', { key: 'never stored' }), null);

const dropped = (name, text) => ({ name: name + ' is dropped', run: () => expectDropped(text) });
const invalid = (name, fields) => ({
  name: name + ' is invalid_argument',
  run: () => expectError({ ...requestOf('storage.get', { key: 'a' }), ...fields }, 'invalid_argument'),
});
const wrong = (operation, params) => ({
  name: operation + ' ' + JSON.stringify(params) + ' is invalid_argument',
  run: () => expectError(requestOf(operation, params), 'invalid_argument'),
});
const denied = (operation, params) => ({
  name: operation + ' is permission_denied',
  run: () => expectError(requestOf(operation, params), 'permission_denied'),
});

const HANDSHAKE = [
  {
    name: 'a request before hello is invalid_argument',
    run: () => expectError(requestOf('storage.get', { key: 'a' }), 'invalid_argument'),
  },
  { name: 'hello is answered with welcome', run: async () => expectWelcome(await greet(HELLO)) },
  {
    name: 'a second hello is answered like the first',
    run: async () => expectEqual(await greet(HELLO), received.find(({ type }) => type === 'welcome')),
  },
  {
    name: 'of several versions the common one is chosen, and unknown fields are ignored',
    run: async () => expectWelcome(await greet({ ...HELLO, protocols: [99, 1, 7], later: { a: [] } })),
  },
];

const REQUESTS = [
  {
    name: 'a request gets its response',
    run: async () => {
      await expectResult(requestOf('storage.set', { key: 'a', value: 'b' }), null);
      await expectResult(requestOf('storage.get', { key: 'a' }), 'b');
    },
  },
  {
    name: 'unknown fields and params are ignored',
    run: () => expectResult({ ...requestOf('storage.get', { key: 'a', later: 1 }), later: {} }, 'b'),
  },
  {
    name: 'an id of 64 characters works',
    run: () => expectResult({ ...requestOf('storage.get', { key: 'a' }), id: 'i'.repeat(64) }, 'b'),
  },
  {
    name: 'an id is only a text',
    run: async () => {
      for (const id of ['__proto__', 'constructor', '../1', '🔑', ' '])
        await expectResult({ ...requestOf('storage.get', { key: 'a' }), id }, 'b');
    },
  },
  {
    name: 'an id may be used again after its response',
    run: async () => {
      const message = requestOf('storage.get', { key: 'a' });
      await expectResult(message, 'b');
      await expectResult(message, 'b');
    },
  },
  {
    name: 'each of two requests with one id gets a response',
    run: async () => {
      const from = received.length;
      const message = requestOf('storage.get', { key: 'a' });
      sendMessage(message);
      sendMessage(message);
      const isSecond = () => received.slice(from).filter(({ id }) => id === message.id).length === 2;
      expectThat((await awaitMessage(isSecond, from, PATIENCE_MS)) !== undefined, 'there is one response');
    },
  },
  {
    name: 'an unknown operation is unsupported',
    run: async () => {
      for (const operation of ['storage.remove', 'storage', 'toString', '__proto__', 'storage.get '])
        await expectError(requestOf(operation, { key: 'a' }), 'unsupported');
    },
  },
];

const MALFORMED = [
  dropped('a text that is no JSON', '{"type":"request",'),
  dropped('an empty text', ''),
  dropped('null', 'null'),
  dropped('a list', '[{"type":"hello"}]'),
  dropped('an object without a type', '{}'),
  dropped('an unknown type', '{"type":"goodbye"}'),
  dropped('a response', '{"type":"response","protocol":1,"id":"1","result":null}'),
  dropped('hello without versions', '{"type":"hello","sdk":"1.0.0"}'),
  dropped('hello with versions as texts', '{"type":"hello","protocols":["1"],"sdk":"1.0.0"}'),
  dropped('a request without an id', '{"type":"request","protocol":1,"operation":"device.info","params":{}}'),
  dropped('a request with a number as its id', JSON.stringify({ ...requestOf('device.info', {}), id: 7 })),
  dropped('a request with an empty id', JSON.stringify({ ...requestOf('device.info', {}), id: '' })),
  dropped('a request with an id of 65 characters', JSON.stringify({ ...requestOf('a', {}), id: 'i'.repeat(65) })),
  invalid('another version', { protocol: 2 }),
  invalid('no version', { protocol: undefined }),
  invalid('no operation', { operation: undefined }),
  invalid('an operation that is no text', { operation: ['storage.get'] }),
  invalid('no params', { params: undefined }),
  invalid('null as params', { params: null }),
  invalid('a list as params', { params: ['a'] }),
];

const ARGUMENTS = [
  wrong('storage.get', {}),
  wrong('storage.get', { key: 7 }),
  wrong('storage.get', { key: null }),
  wrong('storage.get', { key: ['a'] }),
  wrong('storage.get', { key: { toString: 'a' } }),
  wrong('storage.set', { key: 'a' }),
  wrong('storage.set', { key: 'a', value: 7 }),
  wrong('storage.set', { value: 'b' }),
  wrong('ui.toast', {}),
  wrong('ui.toast', { text: 7 }),
  wrong('ui.toast', { text: '' }),
  {
    name: 'arguments that only __proto__ has are missing',
    run: async () => {
      const params = JSON.parse('{"__proto__":{"key":"a"}}');
      await expectError(requestOf('storage.get', params), 'invalid_argument');
    },
  },
];

/** The manifest of this page lists `storage` and `device.info`. */
const PERMISSIONS = [
  denied('ui.vibrate', { ms: 'wrong' }),
  denied('network.fetch', {}),
  denied('ui.vibrate', { ms: 100 }),
  denied('camera.takePhoto', {}),
  denied('network.fetch', { url: 'https://example.com/' }),
  denied('background.schedule', { taskId: 'a', delayMs: 1000 }),
];

const FLOOD = [
  {
    name: 'a message above 12 M characters is dropped, and the host works afterwards',
    run: async () => {
      const message = requestOf('storage.set', { key: 'a', value: 'v'.repeat(LONGEST_MESSAGE) });
      await expectDropped(JSON.stringify(message));
    },
  },
  {
    name: 'the host works after 5,000 malformed messages',
    run: async () => {
      for (let count = 0; count < 5000; count++) sendText('{');
      await waitForHost();
    },
  },
  {
    name: 'the host works after 2,000 requests at once',
    run: async () => {
      for (let count = 0; count < 2000; count++) sendMessage(requestOf('storage.get', { key: 'a' }));
      await waitForHost();
    },
  },
  {
    name: 'without a common version hello is refused, and so are requests',
    run: async () => {
      const { type, error } = await greet({ ...HELLO, protocols: [99] });
      expectEqual([type, error && error.code], ['refused', 'unsupported']);
      await expectError(requestOf('storage.get', { key: 'a' }), 'unsupported');
      expectWelcome(await greet(HELLO));
    },
  },
];

const QUESTION = [
  {
    name: '70 requests that wait for one question: 6 are busy, and 64 get one answer',
    run: async (extra) => {
      // Waits for the rate limit to recover.
      await pause(1000);
      const messages = Array.from({ length: 70 }, () => requestOf('device.info', {}));
      const from = received.length;
      for (const message of messages) sendMessage(message);
      const responses = () => received.slice(from).filter(({ type }) => type === 'response');
      await awaitMessage(() => responses().length >= 6, from, PATIENCE_MS);
      await pause(2 * SILENCE_MS);
      if (responses().length === 70) return 'The permission was decided before. Reset it, and start again.';
      expectEqual(
        responses().map(({ error }) => error && error.code),
        Array(6).fill('busy'),
      );
      addElement(extra, 'p').textContent = 'Now answer the question.';
      await awaitMessage(() => responses().length === 70, from, 120000);
      expectEqual(responses().length, 70);
      expectEqual(new Set(responses().slice(6).map(({ error }) => error && error.code)).size, 1);
    },
  },
];

const MESSAGE_CHECKS = [
  { title: 'Handshake', checks: HANDSHAKE },
  { title: 'Requests', checks: REQUESTS },
  { title: 'Malformed messages', checks: MALFORMED },
  { title: 'Arguments', checks: ARGUMENTS },
  { title: 'Permissions that the manifest does not list', checks: PERMISSIONS },
  { title: 'Floods and versions', checks: FLOOD },
  { title: 'One question', person: 'Leave the question about the device open for a second.', checks: QUESTION },
];
