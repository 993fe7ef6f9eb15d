import { closeSync, fstatSync, openSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger, type LogFields, type LogLevel } from '../../../../core/base/log/index.ts';
import { isJournal } from '../../../../core/base/log/logger.ts';

const test = suite('core/base/log');
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must not occur
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e]|\p{Surrogate}/u;

function capture(format: 'text' | 'json', level: LogLevel = 'debug') {
  const lines: string[] = [];
  return { lines, log: createLogger({ level, format, write: (line) => lines.push(line) }) };
}

function json(fields: LogFields, message = 'm'): { [key: string]: unknown } {
  const { lines, log } = capture('json');
  log.info(message, fields);
  assert.is(lines.length, 1);
  return JSON.parse(lines[0]);
}

test('a JSON entry has time, level, message and its fields', () => {
  const entry = json({ port: 53, on: true, none: null, left: undefined, big: 10n, when: new Date(0) }, 'listening');
  assert.match(String(entry.time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  delete entry.time;
  assert.equal(entry, {
    level: 'info',
    message: 'listening',
    port: 53,
    on: true,
    none: null,
    big: '10',
    when: '1970-01-01T00:00:00.000Z',
  });
});

test('a field cannot replace time, level or message', () => {
  const entry = json({ level: 'error', message: 'x' });
  assert.is(entry.level, 'info');
  assert.is(entry.message, 'm');
  assert.is(entry.field_level, 'error');
});

test('text has time, level, message and key=value', () => {
  const { lines, log } = capture('text');
  log.warn('slow client', { address: '192.0.2.1', note: 'two words', list: [1, 'a'] });
  assert.match(lines[0], /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} WARN {2}slow client address=192\.0\.2\.1 /);
  assert.ok(lines[0].endsWith(' note="two words" list=[1,"a"]\n'));
});

test('levels below the minimum are not logged', () => {
  const { lines, log } = capture('json', 'warn');
  log.debug('1');
  log.info('2');
  log.warn('3');
  log.error('4');
  assert.equal(
    lines.map((line) => JSON.parse(line).message),
    ['3', '4'],
  );
});

test('a child adds its fields, and an entry may override them', () => {
  const { lines, log } = capture('json');
  log.child({ part: 'udp', worker: 1 }).child({ worker: 2 }).info('a', { query: 3 });
  log.info('b');
  const [a, b] = lines.map((line) => JSON.parse(line));
  assert.equal([a.part, a.worker, a.query], ['udp', 2, 3]);
  assert.not('part' in b);
});

test('secrets are redacted at every depth and in every spelling', () => {
  const secret = 'hunter2';
  const names = [
    'password',
    'token',
    'secret',
    'authorization',
    'private_key',
    'Authorization',
    'privateKey',
    'adminPassword',
  ];
  for (const format of ['json', 'text'] as const) {
    for (const name of names) {
      const { lines, log } = capture(format);
      log.info('m', { [name]: secret, inner: { list: [{ [name]: secret }] }, map: new Map([[name, secret]]) });
      log.child({ [name]: { value: secret } }).info('m');
      assert.not(lines.join('').includes(secret), `${format} ${name}`);
      assert.is(lines.join('').match(/\[redacted\]/g)?.length, 4, `${format} ${name}`);
    }
  }
  assert.is(json({ tokens: 3 }).tokens, 3);
});

test('no message, key or field can start a line, move the cursor or reorder text', () => {
  const evil = 'a\nb\r\u001b[2J\u0085\u2028\u2029\u202e\u009b\u0000\u007f\ud800z';
  for (const format of ['json', 'text'] as const) {
    const { lines, log } = capture(format);
    log.info(evil, {
      [evil]: evil,
      inner: { [evil]: [evil] },
      error: Object.assign(new Error(evil), { stack: `Error\n at ${evil}` }),
    });
    assert.is(lines.length, 1);
    const body = lines[0].slice(0, -1);
    assert.not.match(body.replace(/\n {4}(?=at )/g, ''), UNSAFE);
    if (format === 'json') assert.is(JSON.parse(body).message.slice(0, 3), 'a\nb');
  }
});

test('an error is logged with name, message, code, stack and cause, and no other fields', () => {
  const cause = new Error('inner');
  const error = Object.assign(new Error('outer', { cause }), { code: 'E_OUT', request: { big: 'thing' } });
  const shown = json({ error }).error as { [key: string]: unknown };
  assert.equal(Object.keys(shown), ['name', 'message', 'code', 'stack', 'cause']);
  assert.is(shown.message, 'outer');
  assert.is(shown.code, 'E_OUT');
  assert.match(String(shown.stack), /logger\.test/);
  assert.is((shown.cause as { message: string }).message, 'inner');
});

test('text has the frames of a stack below the entry, indented', () => {
  const { lines, log } = capture('text');
  log.error('failed', { error: new Error('why\n    at forged (nowhere)') });
  const [head, ...frames] = lines[0].trimEnd().split('\n');
  assert.match(head, /ERROR failed error=\{"name":"Error","message":"why\\n/);
  assert.ok(frames.length > 1);
  assert.ok(frames.every((line) => line.startsWith('    at ')));
});

test('it never throws, whatever the fields are', () => {
  const circular: { [key: string]: unknown } = { a: 1 };
  circular.self = circular;
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const throwing = {
    get bad() {
      throw new Error('no');
    },
    toJSON() {
      throw new Error('no');
    },
  };
  const deep: { [key: string]: unknown } = {};
  let at = deep;
  for (let i = 0; i < 10_000; i++) {
    const next = {};
    at.next = next;
    at = next;
  }
  const values = [
    circular,
    revoked.proxy,
    throwing,
    deep,
    Symbol('s'),
    () => 1,
    new Set([1]),
    Number.NaN,
    new Date(Number.NaN),
  ];
  for (const format of ['json', 'text'] as const) {
    const { lines, log } = capture(format);
    for (const value of values) log.child({ value }).info('m', { value, inner: { value } });
    log.info('m', revoked.proxy);
    log.child(revoked.proxy).info('m');
    assert.is(lines.length, values.length + 2, format);
  }
  createLogger({
    level: 'info',
    format: 'json',
    write() {
      throw new Error('disk full');
    },
  }).error('m');
});

test('the size of an entry is limited', () => {
  const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i]));
  assert.ok(JSON.stringify(json({ text: 'x'.repeat(1e6), list: new Array(1e5).fill(1), wide })).length < 20_000);
  assert.is(json({ bytes: Uint8Array.of(1, 255) }).bytes, '01ff');
});

test('JSON has the component right after the message, text does not have it', () => {
  const { lines, log } = capture('json');
  log.child({ component: 'edge' }).info('m', { a: 1 });
  assert.equal(Object.keys(JSON.parse(lines[0])), ['time', 'level', 'message', 'component', 'a']);
  const text = capture('text');
  text.log.child({ component: 'edge' }).info('m', { a: 1 });
  assert.match(text.lines[0], / INFO {2}m a=1\n$/);
});

test('each line for the journal has the priority of its level', () => {
  const lines: string[] = [];
  const log = createLogger({
    level: 'debug',
    format: 'text',
    hasPriorities: true,
    write: (line) => void lines.push(line),
  });
  log.debug('m');
  log.info('m');
  log.warn('m');
  log.error('m', { error: new Error('e') });
  assert.equal(
    lines.slice(0, 3).map((line) => line.slice(0, 3)),
    ['<7>', '<6>', '<4>'],
  );
  const frames = lines[3].split('\n');
  assert.is(frames.pop(), '');
  assert.ok(frames.length > 1);
  assert.ok(frames.every((line) => line.startsWith('<3>')));
});

test('the journal is what systemd has connected', () => {
  const file = openSync('/dev/null', 'r');
  try {
    const { dev, ino } = fstatSync(file, { bigint: true });
    assert.ok(isJournal(`${dev}:${ino}`, file));
    assert.not(isJournal(`${dev}:${ino + 1n}`, file));
    assert.not(isJournal(undefined, file));
  } finally {
    closeSync(file);
  }
  assert.not(isJournal('1:2', -1));
});

test.run();
