/**
 * WebSocket frames (RFC 6455 section 5) as far as an echo needs them: whole messages, close and
 * ping.
 */
import { createHash } from 'node:crypto';
import type { Exchange, RequestBody } from '../../../../edge/http/exchange/exchange.ts';

const OPCODE = { close: 8, ping: 9, pong: 10 } as const;
const FIN = 0x80;

/** What HTTP/1.1 has to answer a key with (section 4.2.2). */
export const acceptOf = (key: string): string =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');

/**
 * A frame in the clear, as a server sends it; with `mask` as a client has to. Fewer than 2^16
 * bytes.
 */
export function frame(opcode: number, payload: Uint8Array, mask?: Uint8Array): Buffer {
  const { length } = payload;
  const short = length < 126;
  const head = Buffer.from(short ? [FIN | opcode, length] : [FIN | opcode, 126, length >> 8, length & 255]);
  if (mask === undefined) return Buffer.concat([head, payload]);
  head[1] |= 0x80;
  return Buffer.concat([head, mask, unmasked(payload, mask)]);
}

const unmasked = (bytes: Uint8Array, mask: Uint8Array): Uint8Array => bytes.map((byte, i) => byte ^ mask[i & 3]);

/** The message that asks over which version of HTTP it came. */
export const VERSION_QUESTION = 'version?';

/**
 * Gives back what a client sends, message by message, until it closes; but for VERSION_QUESTION,
 * which it answers. The tunnel is not accepted yet.
 */
export async function echoMessages(exchange: Exchange): Promise<void> {
  const key = fieldOf(exchange.headers, 'sec-websocket-key');
  exchange.upgrade(exchange.version === '2' ? [] : ['sec-websocket-accept', acceptOf(key)]);
  for await (const { opcode, payload } of frames(exchange.body)) {
    if (opcode === OPCODE.close) {
      exchange.end(frame(OPCODE.close, payload));
      return;
    }
    const isQuestion = Buffer.from(payload).toString() === VERSION_QUESTION;
    const reply = isQuestion ? Buffer.from(exchange.version) : payload;
    const isRoomy = exchange.write(frame(opcode === OPCODE.ping ? OPCODE.pong : opcode, reply));
    if (!isRoomy) await new Promise<void>((done) => exchange.onDrain(done));
  }
  exchange.end();
}

export function fieldOf(fields: readonly string[], name: string): string {
  for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) return fields[i + 1];
  return '';
}

export async function* frames(
  body: Pick<RequestBody, 'read'>,
): AsyncGenerator<{ opcode: number; payload: Uint8Array }> {
  let waiting: Buffer = Buffer.alloc(0);
  for (let part = await body.read(); part !== null; part = await body.read()) {
    waiting = Buffer.concat([waiting, part]);
    for (;;) {
      const length = frameLength(waiting);
      if (length === undefined || waiting.length < length.head + length.payload) break;
      const mask = waiting.subarray(length.head - 4, length.head);
      const payload = unmasked(waiting.subarray(length.head, length.head + length.payload), mask);
      yield { opcode: waiting[0] & 15, payload };
      waiting = waiting.subarray(length.head + length.payload);
    }
  }
}

/** Bytes of a masked frame's head and of its payload; undefined before enough of it has come. */
function frameLength(bytes: Buffer): { head: number; payload: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes[1] & 127;
  if (short < 126) return { head: 6, payload: short };
  if (short === 126) return bytes.length < 4 ? undefined : { head: 8, payload: bytes.readUInt16BE(2) };
  throw new Error('A longer message than tests send.');
}
