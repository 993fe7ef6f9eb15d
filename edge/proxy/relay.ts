/** The way of a body from an origin to a visitor, as fast as the visitor takes it and no faster. */
import type { Exchange } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import type { OriginBody } from '../origin/origin.ts';
import type { Gate } from './gate.ts';
import { Outflow } from './outflow.ts';

/** Trailers as the visitor may have them. */
export interface TrailerFilter {
  trailersOf(fields: FieldList): FieldList;
}

/**
 * Gives all of a body to an exchange whose head has been given, and ends it: at once when it is here as a whole, as small ones are. `gate.open` is to be called when the visitor goes, which cancels the body. Throws, or
 * rejects with, OriginError when the body breaks off: the exchange is the caller's to abort, so that what came is not taken for the whole.
 */
export function relay(body: OriginBody, exchange: Exchange, filter: TrailerFilter, gate: Gate): void | Promise<void> {
  const part = body.readNow();
  const next = part ? body.readNow() : part;
  if (exchange.isEnded) body.cancel();
  else if (part !== undefined && next === null) end(part, body, exchange, filter, gate);
  else return relayParts(part, next, body, exchange, filter, gate);
}

type Part = Uint8Array | null | undefined;

/** Bytes of a body that are fetched at a time for a visitor who takes them fast. */
const STRETCH = 256 * 1024;

/** Nothing is fetched for a visitor who takes nothing. */
async function roomFor(exchange: Exchange, gate: Gate): Promise<number> {
  for (;;) {
    const room = exchange.reserve(STRETCH);
    if (room > 0 || exchange.isEnded) return room;
    await gate.wait();
  }
}

/** `first` and what comes behind it: null at the end, undefined where one has to wait. */
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
        const room = await roomFor(exchange, gate);
        if (exchange.isEnded) {
          body.cancel();
          return;
        }
        part = await body.read(room);
      } else part = await new Outflow(body, exchange, gate).over;
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

/** What ends with a part ends in one frame with it. */
function end(part: Uint8Array | null, body: OriginBody, exchange: Exchange, filter: TrailerFilter, gate: Gate): void {
  if (part !== null) gate.bytes += part.length;
  exchange.end(part ?? undefined, filter.trailersOf(body.trailers));
}
