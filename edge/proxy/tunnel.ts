/** WebSocket through the edge (RFC 6455, RFC 8441): the opening, and the bytes both ways. */
import { createHash, randomBytes } from 'node:crypto';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { OriginBody, OriginTunnel } from '../origin/origin.ts';
import { Gate } from './gate.ts';

/** RFC 6455 section 1.3. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** RFC 6455 section 4.1: 16 random bytes. An extended CONNECT has none (RFC 8441 section 5.1), and an origin of HTTP/1.1 asks for one. */
export const webSocketKey = (): string => randomBytes(16).toString('base64');

/** RFC 6455 section 4.2.1: one line with the base64 of 16 bytes. */
export const isWebSocketKey = (key: string): boolean => /^[A-Za-z0-9+/]{22}==$/.test(key);

/** RFC 6455 section 4.2.2: what shows that the other side has understood. */
export const webSocketAccept = (key: string): string => createHash('sha1').update(`${key}${GUID}`).digest('base64');

/** What both ways of a tunnel share. */
interface Carriage {
  readonly exchange: Exchange;
  readonly body: OriginBody;
  readonly tunnel: OriginTunnel;
  /** Opens when the visitor takes more. */
  readonly gate: Gate;
  /** Goes on with the way up: the origin takes more. */
  resume: (() => void) | null;
  isBroken: boolean;
}

/**
 * Carries bytes both ways until both have ended; `exchange` has been upgraded. An end of one side is passed on as one, a break of either breaks both.
 * Returns the bytes that went to the visitor. Never rejects.
 */
export async function carry(exchange: Exchange, body: OriginBody, tunnel: OriginTunnel): Promise<number> {
  const carriage = { exchange, body, tunnel, gate: new Gate(exchange), resume: null, isBroken: false };
  const onBreak = (): void => breakOff(carriage);
  exchange.onAbort(onBreak);
  await Promise.all([upstream(carriage).catch(onBreak), downstream(carriage).catch(onBreak)]);
  return carriage.gate.bytes;
}

function breakOff(carriage: Carriage): void {
  if (carriage.isBroken) return;
  carriage.isBroken = true;
  carriage.tunnel.destroy();
  carriage.body.cancel();
  carriage.exchange.abort();
  carriage.gate.open();
  carriage.resume?.();
}

async function upstream(carriage: Carriage): Promise<void> {
  const { exchange, tunnel } = carriage;
  tunnel.onDrain(() => carriage.resume?.());
  for (;;) {
    const part = await exchange.body.read();
    if (carriage.isBroken) return;
    if (part === null) break;
    if (tunnel.write(part)) continue;
    await new Promise<void>((resolve) => {
      carriage.resume = resolve;
    });
    if (carriage.isBroken) return;
  }
  tunnel.end();
}

async function downstream(carriage: Carriage): Promise<void> {
  const { exchange, body } = carriage;
  for (;;) {
    const part = await body.read();
    if (carriage.isBroken) return;
    if (part === null) break;
    carriage.gate.bytes += part.length;
    if (!exchange.write(part)) await carriage.gate.wait();
  }
  exchange.end();
}
