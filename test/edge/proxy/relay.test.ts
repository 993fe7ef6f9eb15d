/** What is given to a visitor is fetched as the visitor takes it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OriginBody } from '../../../edge/origin/origin.ts';
import { Gate } from '../../../edge/proxy/gate.ts';
import { relay, type TrailerFilter } from '../../../edge/proxy/relay.ts';
import { FakeExchange } from './fake-exchange.ts';

const ALL: TrailerFilter = { trailersOf: (fields) => fields };
const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

/** Parts that have to be fetched. */
class Fetched implements OriginBody {
  readonly length = undefined;
  readonly trailers = [];
  readonly asked: (number | undefined)[] = [];
  isCancelled = false;
  #left: number;

  constructor(parts: number) {
    this.#left = parts;
  }

  readNow(): undefined {}

  async read(most?: number): Promise<Uint8Array | null> {
    this.asked.push(most);
    return this.#left-- > 0 ? Buffer.from('part') : null;
  }

  cancel(): void {
    this.isCancelled = true;
  }
}

/** Takes what `rooms` says, then nothing more until `open`. */
class Measured extends FakeExchange {
  readonly rooms: number[] = [];
  override reserve(): number {
    return this.rooms.shift() ?? 0;
  }
}

test('no part is fetched before there is room, and no more than there is room for', async () => {
  const exchange = new Measured();
  const body = new Fetched(3);
  const gate = new Gate(exchange);
  exchange.respond(200, []);
  const relayed = relay(body, exchange, ALL, gate);
  await turn();
  assert.equal(body.asked, []);
  exchange.rooms.push(4096, 65_536);
  exchange.drain();
  await turn();
  assert.equal(body.asked, [4096, 65_536]);
  exchange.rooms.push(1, 1);
  exchange.drain();
  await relayed;
  assert.is(exchange.text, 'partpartpart');
  assert.ok(exchange.isEnded);
});

test('a visitor who goes while there is no room', async () => {
  const exchange = new Measured();
  const body = new Fetched(3);
  const gate = new Gate(exchange);
  exchange.respond(200, []);
  const relayed = relay(body, exchange, ALL, gate);
  await turn();
  exchange.isEnded = true;
  gate.open();
  await relayed;
  assert.ok(body.isCancelled);
  assert.equal(body.asked, []);
});

test.run();
