/** Relays a body from an origin to a visitor, with back pressure. */
import type { Exchange } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import type { OriginBody } from '../origin/origin.ts';
import { type Gate, Outflow } from './outflow.ts';

/** Selects the trailers that the visitor may receive. */
export interface TrailerFilter {
  trailersOf(fields: FieldList): FieldList;
}

/**
 * Sends a body to an exchange whose head has been sent, and ends the exchange. A body that is
 * completely available, usually a short one, is sent immediately.
 *
 * The caller must call `gate.open` when the visitor disconnects, which cancels the body. Throws or
 * rejects with OriginError if the body ends prematurely. The caller must then abort the exchange,
 * so that the partial body does not look complete.
 */
export function relay(body: OriginBody, exchange: Exchange, filter: TrailerFilter, gate: Gate): void | Promise<void> {
  const whole = exchange.isEnded ? undefined : body.takeWhole?.();
  if (whole !== undefined) {
    gate.bytes += whole.length;
    exchange.end(whole, filter.trailersOf(body.trailers), true);
    return;
  }
  const part = body.readNow();
  const next = part ? body.readNow() : part;
  if (exchange.isEnded) body.cancel();
  else if (part !== undefined && next === null) end(part, body, exchange, filter, gate);
  else return relayParts(part, next, body, exchange, filter, gate);
}

type Part = Uint8Array | null | undefined;

/** Maximum bytes of a body to reserve and read at once. */
const MAX_RESERVED = 256 * 1024;

/**
 * Waits until the exchange has space for more bytes, and returns their number. No data is read from
 * the origin for a blocked visitor.
 */
async function waitForRoom(exchange: Exchange, gate: Gate): Promise<number> {
  for (;;) {
    const room = exchange.reserve(MAX_RESERVED);
    if (room > 0 || exchange.isEnded) return room;
    await gate.wait();
  }
}

/**
 * Relays `first`, `second` and the parts after them. Null: end of the body. Undefined: the part is
 * not available yet.
 */
async function relayParts(
  first: Part,
  second: Part,
  body: OriginBody,
  exchange: Exchange,
  filter: TrailerFilter,
  gate: Gate,
): Promise<void> {
  let part = first;
  let next = second;
  for (;;) {
    if (part === undefined) {
      if (body.flow === undefined) {
        const room = await waitForRoom(exchange, gate);
        if (exchange.isEnded) {
          body.cancel();
          return;
        }
        part = await body.read(room);
      } else part = await new Outflow(body, exchange, gate).finished;
      next = part === null ? null : body.readNow();
    }
    if (exchange.isEnded) {
      body.cancel();
      return;
    }
    if (part === null || next === null) {
      end(part, body, exchange, filter, gate);
      return;
    }
    gate.bytes += part.length;
    if (!exchange.write(part)) await gate.wait();
    part = next;
    next = part === undefined || body.flow !== undefined ? undefined : body.readNow();
  }
}

/** Sends the last part and the end of the body together, in one frame. */
function end(part: Uint8Array | null, body: OriginBody, exchange: Exchange, filter: TrailerFilter, gate: Gate): void {
  if (part !== null) gate.bytes += part.length;
  exchange.end(part ?? undefined, filter.trailersOf(body.trailers));
}
