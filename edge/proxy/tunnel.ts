/**
 * WebSocket through the edge (RFC 6455, RFC 8441): the handshake, and the bytes in both directions.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { OriginBody, OriginTunnel } from '../origin/origin.ts';
import { Gate } from './gate.ts';

/** RFC 6455 section 1.3. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/**
 * 16 random bytes (RFC 6455 section 4.1). An extended CONNECT has no key (RFC 8441 section 5.1),
 * but an HTTP/1.1 origin requires one.
 */
export const webSocketKey = (): string => randomBytes(16).toString('base64');

/** RFC 6455 section 4.2.1: one line with the base64 of 16 bytes. */
export const isWebSocketKey = (key: string): boolean => /^[A-Za-z0-9+/]{22}==$/.test(key);

/** RFC 6455 section 4.2.2: proves that the other side has understood the handshake. */
export const webSocketAccept = (key: string): string => createHash('sha1').update(`${key}${GUID}`).digest('base64');

/** Shared by both directions of a tunnel. */
interface TunnelState {
  readonly exchange: Exchange;
  readonly body: OriginBody;
  readonly tunnel: OriginTunnel;
  /** Opens when the visitor's connection accepts more data. */
  readonly gate: Gate;
  /** Resumes sending upstream when the origin accepts more data. */
  resume: (() => void) | null;
  isBroken: boolean;
}

/**
 * Transfers bytes in both directions until both have ended. `exchange` has been upgraded. If one
 * side ends, the end is passed on; if one side breaks, both are closed. Returns the number of bytes
 * sent to the visitor. Never rejects.
 */
export async function pipeTunnel(exchange: Exchange, body: OriginBody, tunnel: OriginTunnel): Promise<number> {
  const state = { exchange, body, tunnel, gate: new Gate(exchange), resume: null, isBroken: false };
  const onBreak = (): void => breakTunnel(state);
  exchange.onAbort(onBreak);
  await Promise.all([pipeUpstream(state).catch(onBreak), pipeDownstream(state).catch(onBreak)]);
  return state.gate.bytes;
}

function breakTunnel(state: TunnelState): void {
  if (state.isBroken) return;
  state.isBroken = true;
  state.tunnel.destroy();
  state.body.cancel();
  state.exchange.abort();
  state.gate.open();
  state.resume?.();
}

async function pipeUpstream(state: TunnelState): Promise<void> {
  const { exchange, tunnel } = state;
  tunnel.onDrain(() => state.resume?.());
  for (;;) {
    const part = await exchange.body.read();
    if (state.isBroken) return;
    if (part === null) break;
    if (tunnel.write(part)) continue;
    await new Promise<void>((resolve) => {
      state.resume = resolve;
    });
    if (state.isBroken) return;
  }
  tunnel.end();
}

async function pipeDownstream(state: TunnelState): Promise<void> {
  const { exchange, body } = state;
  for (;;) {
    const part = await body.read();
    if (state.isBroken) return;
    if (part === null) break;
    state.gate.bytes += part.length;
    if (!exchange.write(part)) await state.gate.wait();
  }
  exchange.end();
}
