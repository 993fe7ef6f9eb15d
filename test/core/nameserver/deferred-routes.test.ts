/** Deferred messages are routed to the right handler. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { RCODE } from '../../../core/dns/wire/types.ts';
import type { AnswerDeferred } from '../../../core/nameserver/deferred.ts';
import { DeferredRoutes } from '../../../core/nameserver/deferred-server.ts';
import { encodeUpdate } from '../../support/update-message.ts';

const saying = (byte: number): AnswerDeferred =>
  async function* () {
    yield Uint8Array.of(byte);
  };
const UPDATE = encodeUpdate({ zone: parseName('example.net.'), id: 7 });
const QUERY = UPDATE.map((byte, i) => (i === 2 ? 0 : byte));

async function first(answer: AnswerDeferred, message: Uint8Array): Promise<Uint8Array> {
  const { signal } = new AbortController();
  for await (const response of answer({ message, address: '192.0.2.1', port: 1, transport: 'udp', cancelled: signal }))
    return response;
  return new Uint8Array(0);
}

test('updates go to the update handler, all other messages to the other, regardless of other header bits', async () => {
  const routes = new DeferredRoutes(saying(1));
  routes.update = saying(2);
  assert.equal(await first(routes.answer, QUERY), Uint8Array.of(1));
  assert.equal(await first(routes.answer, UPDATE), Uint8Array.of(2));
  const flags = UPDATE.map((byte, i) => (i === 2 ? byte | 0x07 : byte));
  assert.equal(await first(routes.answer, flags), Uint8Array.of(2));
});

test('before a handler is set and after it is removed, updates get SERVFAIL', async () => {
  const routes = new DeferredRoutes(saying(1));
  const refused = async (): Promise<void> => {
    const response = await first(routes.answer, UPDATE);
    assert.equal([response[0], response[1], response[2] & 0x80, response[3] & 15], [0, 7, 0x80, RCODE.SERVFAIL]);
  };
  await refused();
  routes.update = saying(2);
  routes.stopUpdates();
  await refused();
});

test.run();
