/** The relay fetches a body only as fast as the visitor reads it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OriginBody } from '../../../edge/origin/origin.ts';
import { Gate } from '../../../edge/proxy/outflow.ts';
import { relay, type TrailerFilter } from '../../../edge/proxy/relay.ts';
import { FakeExchange } from './fake-exchange.ts';

const ALL: TrailerFilter = { trailersOf: (fields) => fields };
const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

/** A body whose parts must be fetched. */
class FetchedBody implements OriginBody {
  readonly length = undefined;
  readonly trailers = [];
  readonly limits: (number | undefined)[] = [];
  isCancelled = false;
  #left: number;

  constructor(parts: number) {
    this.#left = parts;
  }

  readNow(): undefined {}

  async read(most?: number): Promise<Uint8Array | null> {
    this.limits.push(most);
    return this.#left-- > 0 ? Buffer.from('part') : null;
  }

  cancel(): void {
    this.isCancelled = true;
  }
}

/** A visitor with the capacities in `rooms`, then with none until `open`. */
class LimitedExchange extends FakeExchange {
  readonly rooms: number[] = [];
  override reserve(): number {
    return this.rooms.shift() ?? 0;
  }
}

test('parts are fetched only when the visitor has capacity, and no more than that', async () => {
  const exchange = new LimitedExchange();
  const body = new FetchedBody(3);
  const gate = new Gate(exchange);
  exchange.respond(200, []);
  const relayed = relay(body, exchange, ALL, gate);
  await turn();
  assert.equal(body.limits, []);
  exchange.rooms.push(4096, 65_536);
  exchange.drain();
  await turn();
  assert.equal(body.limits, [4096, 65_536]);
  exchange.rooms.push(1, 1);
  exchange.drain();
  await relayed;
  assert.is(exchange.text, 'partpartpart');
  assert.ok(exchange.isEnded);
});

test('a visitor who disconnects while blocked', async () => {
  const exchange = new LimitedExchange();
  const body = new FetchedBody(3);
  const gate = new Gate(exchange);
  exchange.respond(200, []);
  const relayed = relay(body, exchange, ALL, gate);
  await turn();
  exchange.isEnded = true;
  gate.open();
  await relayed;
  assert.ok(body.isCancelled);
  assert.equal(body.limits, []);
});

test.run();
