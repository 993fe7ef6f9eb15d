import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BUFFER } from '../../../edge/http/transport/buffers.ts';
import { WriteBuffer } from '../../../edge/origin/body-sender.ts';
import type { OriginSocket } from '../../../edge/origin/sockets.ts';
import fc from '../../support/fc.ts';

/** A socket that keeps what it is given until it drains, as one does whose origin is slow. */
function slowSocket() {
  let waiting: Uint8Array[] = [];
  const arrived: Buffer[] = [];
  const socket = {
    isFull: false,
    write(bytes: Uint8Array): boolean {
      waiting.push(bytes);
      return !socket.isFull;
    },
  };
  /** What waits is looked at only now. */
  const drain = (): void => {
    arrived.push(...waiting.map((bytes) => Buffer.from(bytes)));
    waiting = [];
    socket.isFull = false;
  };
  return { socket: socket as unknown as OriginSocket & { isFull: boolean }, arrived, drain };
}

test('added data arrives in order, and memory is reused only after its data was sent', () => {
  const step = fc.record({
    bytes: fc.oneof(fc.nat(300), fc.nat(3 * BUFFER)),
    isText: fc.boolean(),
    after: fc.constantFrom('nothing', 'flush', 'drain'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const { socket, arrived, drain } = slowSocket();
      const buffer = new WriteBuffer(socket);
      const given: Buffer[] = [];
      socket.isFull = true;
      steps.forEach(({ bytes: data, isText, after }, i) => {
        const part = Buffer.alloc(data, 1 + i);
        given.push(Buffer.from(part));
        if (isText) buffer.addText(part.toString('latin1'));
        else buffer.addBytes(part);
        part.fill(0);
        if (after === 'nothing') return;
        buffer.flush();
        if (after === 'flush') return;
        drain();
        buffer.left();
        socket.isFull = true;
      });
      buffer.flush();
      drain();
      assert.ok(Buffer.concat(given).equals(Buffer.concat(arrived)));
    }),
    { numRuns: 200 },
  );
});

test('many parts are one write', () => {
  const { socket, arrived, drain } = slowSocket();
  const buffer = new WriteBuffer(socket);
  buffer.flush();
  buffer.addText('head ');
  for (let n = 0; n < 9; n++) buffer.addBytes(Buffer.of(0x30 + n));
  buffer.flush();
  drain();
  assert.equal(arrived.map(String), ['head 012345678']);
});

test.run();
