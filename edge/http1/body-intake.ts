/** The body of a request on its way from node's parser to the exchange, and what of it is dropped. */
import type { Http1Connection } from './connection.ts';
import type { Http1Exchange } from './exchange.ts';
import type { Incoming } from './incoming.ts';
import type { Http1Limits } from './limits.ts';
import { bodyTrailers } from './request-trailers.ts';

/** Parts of a body, of whatever size, that wait before no more are read: each takes memory beside its octets. */
const MOST_PARTS = 64;

/** No more of the body is to be read for now. */
export function isFull(exchange: Http1Exchange, limits: Http1Limits): boolean {
  const queue = exchange.queue!;
  return queue.buffered >= limits.bodyBuffered || queue.parts >= MOST_PARTS;
}

/** `onEnd`: all of it has come. */
export function takeBody(
  connection: Http1Connection,
  exchange: Http1Exchange,
  message: Incoming,
  onEnd: () => void,
): void {
  const { limits, counters } = connection.context;
  const queue = exchange.queue!;
  message.on('data', (part: Buffer) => {
    queue.push(part);
    if (!queue.isDiscarding) {
      if (isFull(exchange, limits)) message.pause();
    } else if (!connection.isLingering && queue.received - queue.receivedBefore > limits.discardedOctets) {
      counters.ended('unread_body', connection.client);
      connection.close();
    }
  });
  message.on('end', () => {
    queue.finish(bodyTrailers(message.rawTrailers));
    onEnd();
  });
}
