import { setImmediate } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HttpError } from '../../../admin-api/http/errors.ts';
import { StreamSlots, type StreamSource } from '../../../admin-api/http/stream-slots.ts';
import { Aborted, discard } from '../../../admin-api/http/transport.ts';
import type { SlotOwner } from '../../../core/base/fair-slots.ts';

type Opened = AsyncIterableIterator<string>;

const owner = (id: number, network: string): SlotOwner => ({ account: `account ${id}`, network });
const logged: unknown[] = [];
const LOG = { error: (event: string) => void logged.push(event) };
const CLIENT = { signal: new AbortController().signal };

async function* chunks(fault?: Error): AsyncGenerator<string> {
  yield 'a';
  if (fault !== undefined) throw fault;
  yield 'b';
}

const open = (slots: StreamSlots, of: SlotOwner, source: StreamSource = { chunks: chunks() }): Promise<Opened> =>
  slots.open(of, CLIENT, () => source);

/** Opens streams until one waits, which then disconnects. */
async function fill(slots: StreamSlots, of: SlotOwner): Promise<Opened[]> {
  const held: Opened[] = [];
  for (;;) {
    const client = new AbortController();
    const opening = slots.open(of, client, () => ({ chunks: chunks() }));
    const opened = await Promise.race([opening, setImmediate(null)]);
    if (opened === null) {
      client.abort(new Aborted());
      await opening.then(
        () => assert.unreachable(),
        (error) => assert.instance(error, Aborted),
      );
      return held;
    }
    held.push(opened);
  }
}

test('an account, and a network, leaves as many streams to others as it has', async () => {
  const slots = new StreamSlots(LOG);
  const held = await fill(slots, owner(1, '192.0.2.1'));
  assert.is(held.length, 64);
  assert.is((await fill(slots, owner(2, '192.0.2.1'))).length, 0, 'another account in that network');
  assert.is((await fill(slots, owner(3, '192.0.2.3'))).length, 32);
  for (const stream of held) await stream.return?.();
  await open(slots, owner(2, '192.0.2.1'));
});

test('a stream waits for its slot; when too many wait, the account with most of them gets 503', async () => {
  const slots = new StreamSlots(LOG);
  const held = await fill(slots, owner(1, '192.0.2.1'));
  const outcomes: string[] = [];
  const waiting = Array.from({ length: 257 }, (_, i) =>
    open(slots, owner(1, '192.0.2.1')).then(
      () => void outcomes.push('opened'),
      (error) => {
        assert.ok(error instanceof HttpError && error.status === 503 && error.code === 'busy', `${i}`);
        assert.is(error.headers?.['Retry-After'], '10');
        outcomes.push('busy');
      },
    ),
  );
  await setImmediate();
  assert.equal(outcomes, ['busy']);
  const other = open(slots, owner(2, '192.0.2.2'));
  await other;
  for (const stream of held) await stream.return?.();
  await waiting[0];
  assert.ok(outcomes.includes('opened'));
});

test('a slot is released, and its source closed once, when the stream is read, fails, is aborted, or is never read', async () => {
  const slots = new StreamSlots(LOG);
  const ends: readonly ((stream: Opened) => Promise<void>)[] = [
    async (stream) => {
      for await (const _ of stream);
    },
    async (stream) => {
      for await (const _ of stream) break;
    },
    async (stream) => discard(stream),
    async (stream) => {
      await stream.return?.();
      await stream.return?.();
    },
  ];
  for (const end of ends) {
    let closed = 0;
    const of = owner(1, '192.0.2.1');
    const stream = await open(slots, of, { chunks: chunks(), close: () => void closed++ });
    await end(stream);
    await setImmediate();
    assert.is(closed, 1);
    const again = await fill(slots, of);
    assert.is(again.length, 64);
    for (const each of again) await each.return?.();
  }
  for (let i = 0; i < 65; i++) {
    const failing = await open(slots, owner(1, '192.0.2.1'), { chunks: chunks(new Error('broken')) });
    await failing.next();
    const fault: Error = await failing.next().then(
      () => new Error('no fault'),
      (error) => error,
    );
    assert.is(fault.message, 'broken');
  }
  assert.equal(new Set(logged), new Set(['response aborted']));
  assert.is(logged.length, 65);
  const failing = slots.open(owner(1, '192.0.2.1'), CLIENT, () => {
    throw new HttpError(400, 'invalid_cursor', 'No.');
  });
  await failing.then(
    () => assert.unreachable(),
    (error) => assert.is(error.code, 'invalid_cursor'),
  );
  assert.is((await fill(slots, owner(1, '192.0.2.1'))).length, 64);
});

test('a reader below the minimum rate gives its slot to others that wait; one that is alone keeps it', async () => {
  let now = 0;
  const slots = new StreamSlots(LOG, () => now);
  const of = owner(1, '192.0.2.1');
  let closed = 0;
  async function* endless(): AsyncGenerator<string> {
    for (;;) yield 'x'.repeat(64 * 1024);
  }
  const close = (): void => void closed++;
  const slow = await open(slots, of, { chunks: endless(), close });
  const fast = await open(slots, of, { chunks: endless(), close });
  await slow.next();
  await fast.next();
  const window = async (): Promise<void> => {
    for (let i = 0; i < 10; i++) await fast.next();
    now += 10_000;
    slots.enforceMinimumRate();
    await setImmediate();
  };
  await window();
  assert.is(closed, 0, 'no request waits');
  // Nine accounts, of which each next one holds half of what is left, take the other slots.
  for (let id = 2; id <= 9; id++) await fill(slots, owner(id, `192.0.2.${id}`));
  const waiting = open(slots, owner(10, '192.0.2.10'));
  assert.is(await Promise.race([waiting, setImmediate(null)]), null);
  await window();
  await waiting;
  assert.is(closed, 1);
  const fault = await slow.next().then(
    () => null,
    (error) => error,
  );
  assert.ok(fault instanceof HttpError && fault.code === 'too_slow');
  await fast.next();
});

test('a reader that is slow for minutes is disconnected', async () => {
  let now = 0;
  const slots = new StreamSlots(LOG, () => now);
  const stream = await open(slots, owner(1, ''));
  await stream.next();
  now += 60_001;
  await stream.next().then(
    () => assert.unreachable(),
    (error) => assert.is(error.code, 'too_slow'),
  );
  assert.is((await fill(slots, owner(1, ''))).length, 64);
});

test('empty chunks are not sent', async () => {
  async function* some(): AsyncGenerator<string> {
    yield* ['', 'a', '', '', 'b', ''];
  }
  const found: string[] = [];
  for await (const chunk of await open(new StreamSlots(LOG), owner(1, ''), { chunks: some() })) found.push(chunk);
  assert.equal(found, ['a', 'b']);
});

test('chunks are made one at a time, in turns of the accounts', async () => {
  const slots = new StreamSlots(LOG);
  const made: number[] = [];
  let inTheMaking = 0;
  async function* slow(account: number): AsyncGenerator<string> {
    for (let i = 0; i < 4; i++) {
      assert.is(++inTheMaking, 1);
      await setImmediate();
      inTheMaking--;
      made.push(account);
      yield 'x';
    }
  }
  const read = async (account: number): Promise<void> => {
    for await (const _ of await open(slots, owner(account, ''), { chunks: slow(account) }));
  };
  await Promise.all([read(1), read(1), read(1), read(2)]);
  assert.is(made.length, 16);
  assert.ok(made.lastIndexOf(2) < 10, `the account with one stream waits for those of the other: ${made}`);
});

test.run();
