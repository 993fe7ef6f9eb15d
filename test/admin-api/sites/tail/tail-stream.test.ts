/** The stream of one client: rate, a client that does not read, and several nodes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Caller } from '../../../../admin-api/http/caller.ts';
import { MAX_RATE, TailStream } from '../../../../admin-api/sites/tail/tail-stream.ts';
import { RequestTail } from '../../../../core/observe/tail/request-tail.ts';

interface Sent {
  readonly node: string;
  readonly omitted: number;
  readonly requests: readonly { readonly n: number }[];
}

const test = suite('tail stream');

function rig(heartbeat?: number) {
  const tail = new RequestTail('n1');
  const clock = { now: 1_000 };
  const state = { isRevoked: false, open: 0 };
  const caller = { account: { id: 1 } } as unknown as Caller;
  const stream = new TailStream({
    streams: {
      enter: () => {
        state.open++;
        return () => {
          state.open = 0;
        };
      },
    },
    authorize: () => {
      if (state.isRevoked) throw new Error('revoked');
      return caller;
    },
    domainId: 7,
    watch: tail.watch,
    now: () => clock.now,
    random: () => 0,
    heartbeat,
  });
  const publish = (count: number, omitted = 0): void =>
    tail.publish(
      7,
      Array.from({ length: count }, (_, n) => JSON.stringify({ n })),
      omitted,
    );
  const read = async (): Promise<string> => String((await stream.next()).value);
  return { tail, clock, state, stream, publish, read };
}

const eventsOf = (text: string): Sent[] =>
  text.split('\n\n').flatMap((block) => {
    const data = /^event: requests\ndata: (.*)$/.exec(block)?.[1];
    return data === undefined ? [] : [JSON.parse(data)];
  });

test('starts at once, then sends what the edge publishes', async () => {
  const { tail, publish, read } = rig();
  assert.is(await read(), 'retry: 2000\n\n');
  assert.equal(tail.watched, [7]);
  publish(2, 5);
  assert.equal(eventsOf(await read()), [{ node: 'n1', omitted: 5, requests: [{ n: 0 }, { n: 1 }] }]);
});

test('at most 50 requests in a second; the others are counted', async () => {
  const { clock, publish, read } = rig();
  await read();
  publish(30);
  const [first] = eventsOf(await read());
  assert.equal([first.requests.length, first.omitted], [10, 20]);
  clock.now += 1000;
  publish(100);
  const [second] = eventsOf(await read());
  assert.equal([second.requests.length, second.omitted], [MAX_RATE, 50]);
  clock.now += 100_000;
  publish(100);
  assert.is(eventsOf(await read())[0].requests.length, MAX_RATE, 'silence saves nothing up');
});

test('a client that does not read costs no more than 200 requests', async () => {
  const { clock, publish, read } = rig();
  await read();
  for (let i = 0; i < 1000; i++) publish(10);
  clock.now += 60_000;
  const [sent] = eventsOf(await read());
  assert.is(sent.requests.length + sent.omitted, 10_000);
});

test('an event for each node; one that was too busy may have no requests', async () => {
  const { tail, publish, read } = rig();
  await read();
  publish(1);
  tail.publish(7, [], 9);
  assert.equal(eventsOf(await read()), [{ node: 'n1', omitted: 9, requests: [{ n: 0 }] }]);
});

test('a comment keeps a quiet stream open', async () => {
  const { read } = rig(5);
  await read();
  assert.is(await read(), ': heartbeat\n\n');
});

test('ends with the right to read, with the client, and with the service; then there are no watchers', async () => {
  for (const end of [
    ({ state, publish }: ReturnType<typeof rig>) => {
      state.isRevoked = true;
      publish(1);
    },
    ({ stream }: ReturnType<typeof rig>) => void stream.return(),
    ({ stream }: ReturnType<typeof rig>) => stream.end(),
  ]) {
    const world = rig();
    await world.read();
    const pending = world.stream.next();
    await new Promise((resolve) => setImmediate(resolve));
    end(world);
    assert.equal(await pending, { done: true, value: undefined });
    assert.equal([world.tail.watched, world.state.open], [[], 0]);
  }
});

test.run();
