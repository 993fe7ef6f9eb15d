'use strict';

/**
 * Checks that use Host like an app. Each check is independent, and leaves small values in storage.
 */
const APP_ID = 'org.waypost.conformance';
const KB = 1024;
const MB = 1024 * KB;
const DAY_MS = 24 * 60 * 60 * 1000;

async function expectCode(promise, code) {
  let value;
  try {
    value = await promise;
  } catch (error) {
    expectThat(error.code === code, 'expected ' + code + ', and got ' + error.code + ': ' + error.message);
    expectThat(typeof error.message === 'string' && error.message !== '', code + ' comes without a message');
    return;
  }
  throw new Error('expected ' + code + ', and got the result ' + JSON.stringify(value));
}

async function expectRoundTrip(key, value) {
  expectEqual(await Host.storage.set(key, value), null);
  const found = await Host.storage.get(key);
  expectThat(found === value, 'another value comes back for the key ' + JSON.stringify(key.slice(0, 40)));
}

const invalid = (name, start) => ({ name, run: () => expectCode(start(), 'invalid_argument') });

const STORAGE = [
  {
    name: 'a value of the page before is there',
    run: async () => expectEqual(await Host.storage.get('first page'), 'was here'),
  },
  { name: 'a missing key gives null', run: async () => expectEqual(await Host.storage.get('never stored'), null) },
  { name: 'a value comes back, and replaces the one before', run: () => replaceValue() },
  { name: 'an empty value comes back', run: () => expectRoundTrip('empty', '') },
  { name: 'texts of all languages come back', run: () => expectRoundTrip('Schlüssel 鍵 🔑', 'é 漢字 🎉 \u0000 \u2028 "\\') },
  { name: 'keys are not paths, and not names of the language', run: () => useOddKeys() },
  { name: 'a key of 1 KB is stored', run: () => expectRoundTrip('k'.repeat(KB), 'long key') },
  invalid('a key above 1 KB', () => Host.storage.get('k'.repeat(KB + 1))),
  invalid('a key above 1 KB of UTF-8', () => Host.storage.set('é'.repeat(KB / 2 + 1), '')),
  invalid('a key with half of a surrogate pair', () => Host.storage.get('\ud83d')),
  invalid('a value with half of a surrogate pair', () => Host.storage.set('count', '\udf89')),
  { name: 'a value of 1 MB is stored', run: () => useLargeValue() },
  {
    name: 'a value above 1 MB is quota_exceeded, and the value before stays',
    run: async () => {
      await Host.storage.set('large', 'before');
      await expectCode(Host.storage.set('large', 'v'.repeat(MB + 1)), 'quota_exceeded');
      await expectCode(Host.storage.set('large', 'é'.repeat(MB / 2 + 1)), 'quota_exceeded');
      expectEqual(await Host.storage.get('large'), 'before');
    },
  },
  { name: 'more than 5 MB is quota_exceeded, and what is stored stays', run: () => fillStorage() },
];

async function replaceValue() {
  await expectRoundTrip('count', '1');
  await expectRoundTrip('count', '2');
}

async function useOddKeys() {
  const keys = ['', '.', '..', '../count', '/etc/hosts', 'a/b', 'a\\b', 'A', 'a', '%2e', "'; --", '__proto__', 'toString'];
  await Promise.all(keys.map((key) => Host.storage.set(key, 'value of ' + key)));
  const values = await Promise.all(keys.map((key) => Host.storage.get(key)));
  expectEqual(
    values,
    keys.map((key) => 'value of ' + key),
  );
  expectEqual(await Host.storage.get('count'), '2');
}

async function useLargeValue() {
  await expectRoundTrip('large', 'v'.repeat(MB));
  await Host.storage.set('large', '');
}

async function fillStorage() {
  let stored = 0;
  try {
    for (; stored < 6; stored++) await Host.storage.set('part ' + stored, String(stored).repeat(MB));
    throw new Error('6 MB were stored');
  } catch (error) {
    expectThat(error.code === 'quota_exceeded', error.code + ': ' + error.message);
    expectThat(stored >= 4, 'only ' + stored + ' MB were stored');
    const first = await Host.storage.get('part 0');
    expectThat(first === '0'.repeat(MB), 'a value was lost');
  } finally {
    for (let part = 0; part < stored; part++) await Host.storage.set('part ' + part, '');
  }
}

const CONCURRENCY = [
  {
    name: '50 concurrent calls get their own responses',
    run: async () => {
      const numbers = Array.from({ length: 25 }, (_, index) => index);
      await Promise.all(numbers.map((index) => Host.storage.set('own ' + index, 'value ' + index)));
      const values = await Promise.all(numbers.map((index) => Host.storage.get('own ' + index)));
      expectEqual(
        values,
        numbers.map((index) => 'value ' + index),
      );
    },
  },
  {
    name: 'errors and results do not mix',
    run: async () => {
      const calls = [Host.ui.toast(''), Host.storage.get('count'), Host.ui.vibrate(0), Host.storage.get('empty')];
      const settled = await Promise.all(calls.map((call) => call.catch((error) => error.code + ' ' + error.operation)));
      expectEqual(settled, ['invalid_argument ui.toast', '2', 'invalid_argument ui.vibrate', '']);
    },
  },
  {
    name: 'a flood of 400 calls: each is settled, some with busy, and the host works afterwards',
    run: async () => {
      const calls = Array.from({ length: 400 }, () => Host.storage.get('count'));
      const outcomes = await Promise.all(calls.map((call) => call.catch((error) => error.code)));
      const busy = outcomes.filter((outcome) => outcome === 'busy').length;
      expectThat(outcomes.every((outcome) => outcome === 'busy' || outcome === '2'), 'other outcomes came');
      expectThat(busy > 0, 'the host did not limit the page');
      expectThat(busy < 400, 'the host served none of the calls');
      await waitForHost();
    },
  },
];

/** Waits until the host serves a call, for at most 5 seconds. */
async function waitForHost() {
  for (let tries = 0; tries < 50; tries++) {
    await pause(100);
    const value = await Host.storage.get('count').catch((error) => error.code);
    if (value !== 'busy') return expectEqual(value, '2');
  }
  throw new Error('the host stays busy');
}

const ARGUMENTS = [
  invalid('an empty toast', () => Host.ui.toast('')),
  invalid('a toast above 1 KB', () => Host.ui.toast('t'.repeat(KB + 1))),
  invalid('a vibration of 0 ms', () => Host.ui.vibrate(0)),
  invalid('a vibration above 5 seconds', () => Host.ui.vibrate(5001)),
  invalid('a vibration of 1.5 ms', () => Host.ui.vibrate(1.5)),
];

const SEEN = [
  {
    name: 'ui.toast shows its text',
    run: async (extra) => {
      expectEqual(await Host.ui.toast('Conformance 🎉'), null);
      await confirmByPerson(extra, 'Did a message "Conformance 🎉" appear?');
    },
  },
  {
    name: 'ui.vibrate moves the motor',
    run: async (extra) => {
      expectEqual(await Host.ui.vibrate(1000), null);
      await confirmByPerson(extra, 'Did the device vibrate for a second?');
    },
  },
];

const DEVICE_DENIED = [
  {
    name: 'device.info: denied once is permission_denied',
    run: async () => {
      const info = await Host.device.info().catch((error) => error);
      if (info.code === undefined) return 'The permission was granted before. Reset it, and start again.';
      expectEqual(info.code, 'permission_denied');
    },
  },
];

const DEVICE_GRANTED = [
  {
    name: 'device.info: the question comes again; two calls share it, and get all fields',
    run: async () => {
      const [first, second] = await Promise.all([Host.device.info(), Host.device.info()]);
      for (const { model, osVersion, batteryLevel } of [first, second]) {
        expectThat(typeof model === 'string' && model !== '', 'model is no text');
        expectThat(typeof osVersion === 'string' && osVersion !== '', 'osVersion is no text');
        expectThat(typeof batteryLevel === 'number', 'batteryLevel is no number');
        expectThat(batteryLevel >= 0 && batteryLevel <= 100, 'batteryLevel is not 0 to 100');
      }
    },
  },
];

const PHOTO_TAKEN = [
  {
    name: 'camera.takePhoto gives the photo as a JPEG in Base64',
    run: async (extra) => {
      const photo = await Host.camera.takePhoto();
      expectThat(photo.startsWith('/9j/'), 'the result does not begin as a JPEG in Base64');
      const image = addElement(extra, 'img');
      image.alt = 'The photo';
      image.src = 'data:image/jpeg;base64,' + photo;
      await confirmByPerson(extra, 'Is this the photo?');
    },
  },
];

const PHOTO_CANCELLED = [
  {
    name: 'camera.takePhoto: going back is cancelled',
    run: () => expectCode(Host.camera.takePhoto(), 'cancelled'),
  },
];

const unreachable = (url) => ({
  name: url + ' is network_error',
  run: () => expectCode(Host.network.fetch(url), 'network_error'),
});

const NETWORK = [
  invalid('a URL that is none', () => Host.network.fetch('weather')),
  invalid('a URL of files', () => Host.network.fetch('file:///etc/hosts')),
  invalid('a URL with credentials', () => Host.network.fetch('https://user:word@example.com/')),
  invalid('a URL above 8 KB', () => Host.network.fetch('https://example.com/' + 'a'.repeat(8 * KB))),
  invalid('the method POST', () => Host.network.fetch('https://example.com/', { method: 'POST' })),
  unreachable('http://127.0.0.1/'),
  unreachable('http://localhost:8300/'),
  unreachable('http://[::1]/'),
  unreachable('http://[::ffff:127.0.0.1]/'),
  unreachable('http://2130706433/'),
  unreachable('http://10.0.0.1/'),
  unreachable('http://192.168.0.1/'),
  unreachable('http://169.254.169.254/'),
  unreachable('http://conformance.invalid/'),
  { name: 'GET https://example.com/ gives all fields', run: () => fetchExample() },
  {
    name: 'HEAD https://example.com/ gives no body',
    run: async () => {
      const response = await Host.network.fetch('https://example.com/', { method: 'HEAD' }).catch((error) => error);
      if (response.code === 'network_error') return 'No response: is the device online?';
      expectEqual([response.status, response.body], [200, '']);
    },
  },
];

async function fetchExample() {
  const response = await Host.network.fetch('https://example.com/').catch((error) => error);
  if (response.code === 'network_error') return 'No response: is the device online?';
  const { ok, status, url, headers, body, encoding } = response;
  expectEqual([ok, status, url, encoding], [true, 200, 'https://example.com/', 'utf-8']);
  expectThat(body.includes('<html'), 'the body is not the page');
  const names = Object.keys(headers);
  expectThat(names.includes('content-type'), 'the headers have no content-type');
  expectThat(!names.includes('set-cookie'), 'the headers have set-cookie');
  expectThat(names.every((name) => name === name.toLowerCase()), 'names of headers are not in lower case');
}

const BACKGROUND = [
  invalid('an empty taskId', () => Host.background.schedule('', 1000)),
  invalid('a taskId of 65 characters', () => Host.background.schedule('t'.repeat(65), 1000)),
  invalid('a negative delay', () => Host.background.schedule('task', -1)),
  invalid('a delay of 1.5 ms', () => Host.background.schedule('task', 1.5)),
  invalid('a delay above 30 days', () => Host.background.schedule('task', 30 * DAY_MS + 1)),
  { name: 'a task runs the background file, which has the same storage', run: () => runTask() },
];

async function runTask() {
  await Host.storage.set('for the background', 'from the page');
  await Host.storage.set('from the background', '');
  const scheduledAt = Date.now();
  // The same taskId replaces the task: the event arrives after the second delay.
  expectEqual(await Host.background.schedule('conformance', 0), null);
  expectEqual(await Host.background.schedule('conformance', 2000), null);
  let text = '';
  for (let tries = 0; text === '' && tries < 60; tries++) {
    await pause(250);
    text = await Host.storage.get('from the background');
  }
  if (text === '') return 'Not run within 15 seconds. A system may run it later: start again with more patience.';
  const [event, page, missing] = text.split('\n');
  const { type, timestamp, appId } = JSON.parse(event);
  expectEqual([type, appId, page, missing], ['schedule', APP_ID, 'from the page', 'null']);
  expectThat(timestamp >= scheduledAt + 1900, 'the task ran ' + (timestamp - scheduledAt) + ' ms after it was scheduled');
}

const TASK_LIMIT = [
  {
    name: 'more than 100 tasks are quota_exceeded; a task that is there can be replaced',
    run: async () => {
      await scheduleMany(30 * DAY_MS);
      await expectCode(Host.background.schedule('one more', 30 * DAY_MS), 'quota_exceeded');
      await scheduleMany(0);
    },
  },
];

/** Schedules 100 tasks within the rate limit of a host. */
async function scheduleMany(delayMs) {
  for (let first = 0; first < 100; first += 20) {
    const ids = Array.from({ length: 20 }, (_, index) => 'task ' + (first + index));
    await Promise.all(ids.map((taskId) => Host.background.schedule(taskId, delayMs)));
    await pause(250);
  }
}

const OPERATION_CHECKS = [
  { title: 'Storage', checks: STORAGE },
  { title: 'Arguments', checks: ARGUMENTS },
  { title: 'Concurrency', checks: CONCURRENCY },
  { title: 'Seen and felt', person: 'Look at the device, and hold it in your hand.', checks: SEEN },
  { title: 'Denied', person: 'Deny the question about the device, for this time only.', checks: DEVICE_DENIED },
  { title: 'Granted', person: 'Grant the question about the device.', checks: DEVICE_GRANTED },
  { title: 'Photo', person: 'Grant the question about the camera, and take a photo.', checks: PHOTO_TAKEN },
  { title: 'No photo', person: 'Leave the camera without a photo.', checks: PHOTO_CANCELLED },
  { title: 'Network', person: 'Grant the question about the network. The device is online.', checks: NETWORK },
  { title: 'Background', person: 'Grant the question about background tasks.', checks: BACKGROUND },
  { title: 'Many tasks', person: 'Schedules 100 tasks, and runs them at the end.', checks: TASK_LIMIT },
];
