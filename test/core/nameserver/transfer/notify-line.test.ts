/**
 * The notices of a secondary: once for a change, again until it answers, and no more at a time than
 * it should be.
 */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName, parseName } from '../../../../core/dns/wire/name.ts';
import { type TsigKey, TsigSigner, verifyTsig } from '../../../../core/dns/wire/tsig.ts';
import { NotifyLine, type NotifyLineOptions } from '../../../../core/nameserver/transfer/notify-line.ts';
import { until } from '../../../support/until.ts';

const test = suite('NOTIFY, one secondary');
const APEX = parseName('zone.test.');
const KEY: TsigKey = { name: parseName('key.test.'), algorithm: 'hmac-sha256', secret: randomBytes(32) };
/** Nothing is tried again while a test looks. */
const PATIENT = { answer: 100_000, retry: 100_000, tries: 3, probe: 100_000 };

function lineOf(options: Partial<NotifyLineOptions> = {}) {
  const sent: Buffer[] = [];
  const settled: string[] = [];
  const line = new NotifyLine({
    times: PATIENT,
    send: (message) => sent.push(Buffer.from(message)),
    key: () => null,
    settled: (apex, rcode) => settled.push(`${formatName(apex)} ${rcode}`),
    ...options,
  });
  return { line, sent, settled };
}

/** As a secondary answers: the request with QR set. */
function answerTo(request: Buffer, rcode = 0): Buffer {
  const response = Buffer.from(request);
  response[2] |= 0x80;
  response[3] = rcode;
  return response;
}

test('a NOTIFY has the opcode, AA, and the zone and SOA in question (RFC 1996 3.6)', () => {
  const { line, sent } = lineOf();
  line.add(1, APEX);
  const [message] = sent;
  assert.equal(
    message.subarray(2),
    Buffer.concat([Buffer.of(0x24, 0, 0, 1, 0, 0, 0, 0, 0, 0), APEX, Buffer.of(0, 6, 0, 1)]),
  );
  line.close();
});

test('one NOTIFY at a time for each zone; a change meanwhile is sent after the answer', () => {
  const { line, sent, settled } = lineOf();
  for (let i = 0; i < 5; i++) line.add(1, APEX);
  assert.is(sent.length, 1);
  line.receive(answerTo(sent[0]));
  assert.is(sent.length, 2);
  line.receive(answerTo(sent[1], 5));
  assert.equal(settled, ['zone.test. 0', 'zone.test. 5']);
  assert.is(line.waiting, 0);
  line.close();
});

test('messages that do not answer it are ignored', () => {
  const { line, sent } = lineOf();
  line.add(1, APEX);
  const wrong = answerTo(sent[0]);
  wrong.writeUInt16BE(wrong.readUInt16BE(0) ^ 1, 0);
  const query = answerTo(sent[0]);
  query[2] = 0x80;
  for (const message of [wrong, query, sent[0], Buffer.alloc(3)]) line.receive(message);
  assert.is(line.waiting, 1);
  line.remove(1);
  assert.is(line.waiting, 0);
  line.close();
});

test('64 are in flight, and the next is sent after an answer', () => {
  const { line, sent } = lineOf();
  for (let i = 0; i < 200; i++) line.add(i, parseName(`z${i}.test.`));
  assert.is(sent.length, 64);
  line.receive(answerTo(sent[3]));
  assert.is(sent.length, 65);
  for (let i = 0; i < sent.length; i++) line.receive(answerTo(sent[i]));
  assert.is(sent.length, 200);
  assert.is(line.waiting, 0);
  line.close();
});

test('without an answer it is retried with a new id, and given up at the end', async () => {
  const { line, sent, settled } = lineOf({ times: { ...PATIENT, answer: 1, retry: 1, tries: 4 } });
  line.add(1, APEX);
  await until(() => settled.length > 0);
  assert.is(sent.length, 4);
  assert.equal(settled, ['zone.test. null']);
  assert.is(line.waiting, 0);
  line.close();
});

test('a secondary that answered nothing is asked about one zone, and then gets what it missed', async () => {
  const sent: Buffer[] = [];
  let isUp = false;
  const { line, settled } = lineOf({
    times: { answer: 1, retry: 1, tries: 2, probe: 1 },
    send(message) {
      sent.push(Buffer.from(message));
      if (isUp) queueMicrotask(() => line.receive(answerTo(Buffer.from(message))));
    },
  });
  const names = ['one', 'two', 'three'].map((label) => parseName(`${label}.test.`));
  for (const [id, name] of names.entries()) line.add(id, name);
  await until(() => settled.length === 3);
  assert.is(line.unanswered, 3);
  const before = sent.length;
  await until(() => sent.length > before + 3);
  assert.equal([line.unanswered, settled.length], [3, 3], 'probes are not reported');
  const probes = sent.slice(before).map((message) => message.subarray(2).toString('hex'));
  assert.is(new Set(probes).size, 1, 'they are about one zone');
  line.remove(0);
  isUp = true;
  await until(() => settled.length === 5);
  assert.equal(settled.slice(3), ['two.test. 0', 'three.test. 0']);
  assert.equal([line.unanswered, line.waiting], [0, 0]);
  line.close();
});

test('a zone that changes all the time is unanswered after as many attempts', async () => {
  const { line, sent, settled } = lineOf({ times: { ...PATIENT, answer: 1, retry: 1, tries: 4 } });
  await until(() => {
    line.add(1, APEX);
    return line.unanswered === 1;
  });
  assert.ok(sent.length >= 4);
  assert.equal(settled, [], 'it is tried again for each change');
  line.close();
});

test('signed with a key, only an answer signed with it counts; without the key nothing is sent', () => {
  const { line, sent } = lineOf({ key: () => KEY });
  line.add(1, APEX);
  const now = Math.floor(Date.now() / 1000);
  const verdict = verifyTsig(sent[0], () => [KEY], now);
  if (verdict.kind !== 'ok') throw new Error(verdict.kind);
  const response = answerTo(Buffer.from(verdict.message));
  line.receive(response);
  line.receive(Buffer.from(new TsigSigner({ ...KEY, secret: randomBytes(32) }, verdict.mac).sign(response, now)));
  assert.is(line.waiting, 1);
  line.receive(Buffer.from(new TsigSigner(KEY, verdict.mac).sign(response, now)));
  assert.is(line.waiting, 0);
  line.close();
  const without = lineOf({ key: () => undefined });
  without.line.add(1, APEX);
  assert.equal([without.sent.length, without.line.waiting], [0, 1]);
  without.line.close();
});

test('with more zones than ids, an id is reused from a NOTIFY that waits, not from one in flight', async () => {
  const ids = [7, 7, 8, 7, 9];
  const { line, sent, settled } = lineOf({
    times: { ...PATIENT, answer: 20, tries: 2 },
    newId: () => ids.shift()!,
  });
  const idOf = (message: Buffer): number => message.readUInt16BE(0);
  line.add(1, parseName('one.test.'));
  line.add(2, parseName('two.test.'));
  assert.equal(sent.map(idOf), [7, 8], 'the first is under way');
  // Nothing is pending once both have had no answer.
  await sleep(100);
  line.add(3, parseName('three.test.'));
  assert.is(idOf(sent[2]), 7);
  line.receive(answerTo(sent[0]));
  assert.equal(settled, [], 'a late answer to the one whose id was taken names another zone');
  line.remove(1);
  line.receive(answerTo(sent[2]));
  assert.equal(settled, ['three.test. 0'], 'the id belongs to its new holder');
  line.close();
});

test.run();
