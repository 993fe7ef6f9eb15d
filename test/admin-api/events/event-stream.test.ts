/** One stream without HTTP: heartbeats, and a client that does not read. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type EntryChanges,
  EventStream,
  type EventStreamOptions,
  type EventStreams,
} from '../../../admin-api/events/event-stream.ts';
import type { Caller } from '../../../admin-api/http/caller.ts';

const test = suite('event stream');

/** A journal whose entry `n` changes the records of the domain `n`. */
class History {
  head = 10;
  oldest = 1;
  open = 0;
  accountId = 1;
  isRevoked = false;

  stream(options: Partial<EventStreamOptions> = {}): EventStream {
    const changesOf = (sequence: number): EntryChanges =>
      sequence < this.oldest
        ? 'gone'
        : [{ kind: 'records', id: sequence, domainId: null, accountId: this.accountId, scope: 'dns' as const }];
    const enter = (): (() => void) => {
      this.open++;
      return () => {
        this.open = 0;
      };
    };
    const history = this;
    return new EventStream({
      streams: { changesOf, enter } as unknown as EventStreams,
      journal: {
        get head() {
          return history.head;
        },
        latest: async () => history.head,
      },
      lastEventId: undefined,
      authorize: () => {
        if (this.isRevoked) throw new Error('revoked');
        return { caller: { account: { id: 1 }, token: { scopes: ['dns'] } } as unknown as Caller, accountId: 1 };
      },
      ...options,
    });
  }
}

const textOf = async (stream: EventStream): Promise<string> => String((await stream.next()).value);

test('begins with the position of the journal', async () => {
  const history = new History();
  assert.is(await textOf(history.stream()), 'retry: 2000\nid: 10\n\n');
});

test('a comment with the current position keeps the connection of a quiet account open', async () => {
  const history = new History();
  history.accountId = 2;
  const stream = history.stream({ heartbeat: 5 });
  await stream.next();
  history.head = 12;
  assert.is(await textOf(stream), ': heartbeat\nid: 12\n\n');
});

test('a client that reads late gets chunks of limited size, and in the end a reload', async () => {
  const history = new History();
  const stream = history.stream();
  await stream.next();
  history.head = 5000;
  const chunk = await textOf(stream);
  assert.ok(chunk.length > 16_000 && chunk.length < 17_000, `${chunk.length}`);
  assert.ok(chunk.startsWith('event: change\nid: 11\ndata: {"seq":11,"kind":"records","id":11}\n\n'));
  history.head = 20_000;
  history.oldest = 10_000;
  assert.is(await textOf(stream), 'event: reload\nid: 20000\ndata: {"seq":20000}\n\n');
  history.head = 20_001;
  assert.is(await textOf(stream), 'event: change\nid: 20001\ndata: {"seq":20001,"kind":"records","id":20001}\n\n');
});

test('an entry with several objects has its id in the last event', async () => {
  const history = new History();
  const changes: EntryChanges = [
    { kind: 'domain', id: 7, domainId: null, accountId: 1, scope: 'dns' },
    { kind: 'token', id: 8, domainId: null, accountId: 1, scope: 'account' },
    { kind: 'records', id: 7, domainId: null, accountId: 1, scope: 'dns' },
  ];
  const streams = { changesOf: () => changes, enter: () => () => {} } as unknown as EventStreams;
  const stream = history.stream({ streams, lastEventId: '9' });
  await stream.next();
  assert.is(
    await textOf(stream),
    'event: change\ndata: {"seq":10,"kind":"domain","id":7}\n\nevent: change\nid: 10\ndata: {"seq":10,"kind":"records","id":7}\n\n',
  );
});

test('waits for entries of other nodes before it sends reload', async () => {
  const history = new History();
  const journal = {
    get head() {
      return history.head;
    },
    latest: async () => {
      history.head = 12;
      return 12;
    },
  };
  assert.is(await textOf(history.stream({ journal, lastEventId: '12' })), 'retry: 2000\nid: 12\n\n');
  assert.match(await textOf(history.stream({ journal, lastEventId: '13' })), /event: reload\nid: 12\n/);
});

test('ends when the client must not read any more, is gone, or the service stops', async () => {
  for (const end of [
    (history: History) => {
      history.isRevoked = true;
    },
    (_: History, stream: EventStream) => void stream.return(),
    (_: History, stream: EventStream) => stream.end(),
  ]) {
    const history = new History();
    const stream = history.stream();
    await stream.next();
    const pending = stream.next();
    await new Promise((resolve) => setImmediate(resolve));
    history.head = 11;
    end(history, stream);
    stream.wake();
    assert.equal(await pending, { done: true, value: undefined });
    assert.is(history.open, 0);
  }
});

test.run();
