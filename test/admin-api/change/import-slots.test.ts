/** Imports take turns: one at a time for each account, two at a time in all. */
import { setImmediate } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { importMemory, type MemoryRoom } from '../../../admin-api/change/import-memory.ts';
import { ImportSlots } from '../../../admin-api/change/import-slots.ts';
import { IMPORT_PHASES, RunningImport } from '../../../admin-api/change/running-import.ts';
import type { Caller } from '../../../admin-api/http/caller.ts';
import { HttpError } from '../../../admin-api/http/errors.ts';
import { Aborted } from '../../../admin-api/http/transport.ts';
import { PROMETHEUS, Registry } from '../../../core/base/metrics/index.ts';
import { until } from '../../support/until.ts';

/** Imports that run until the test ends them. */
class Imports {
  readonly slots: ImportSlots;
  readonly running: { readonly account: number; end(): void }[] = [];
  readonly order: number[] = [];
  highest = 0;

  constructor(memory?: MemoryRoom) {
    this.slots = new ImportSlots(memory);
  }

  /** The import of a file with this number of lines. */
  startFile(account: number, lines: number, signal = new AbortController().signal): Promise<string> {
    const caller = { account: { id: account } } as Caller;
    const context = { caller, client: { signal }, requestId: `${account}/${lines}` };
    const target = { accountId: account, domain: 'example.com', domainId: null };
    return this.slots.runImport(context, { file: Buffer.alloc(lines, '\n'), ...target }, () => this.#work(account));
  }

  start(account: number, signal = new AbortController().signal): Promise<string> {
    const caller = { account: { id: account } } as Caller;
    return this.slots.run({ caller, client: { signal } }, () => this.#work(account));
  }

  async #work(account: number): Promise<string> {
    this.order.push(account);
    await new Promise<void>((end) => {
      this.running.push({ account, end });
      this.highest = Math.max(this.highest, this.running.length);
    });
    return 'done';
  }

  get accounts(): number[] {
    return this.running.map(({ account }) => account).sort();
  }

  endFirst(): void {
    this.running.shift()?.end();
  }
}

test('one account has one import at a time, and does not delay the first of another one', async () => {
  const imports = new Imports();
  const all = [1, 1, 1, 1, 2, 2, 3].map((account) => imports.start(account));
  await setImmediate();
  assert.equal(imports.accounts, [1, 2]);
  for (let left = all.length; left > 0; left--) {
    await until(() => imports.running.length > 0);
    assert.is(new Set(imports.accounts).size, imports.running.length, 'two imports of one account');
    imports.endFirst();
    await setImmediate();
  }
  assert.equal(await Promise.all(all), Array(all.length).fill('done'));
  assert.is(imports.highest, 2);
  assert.equal(imports.order.slice(0, 3).sort(), [1, 2, 3]);
});

test('a full queue is 503 busy with Retry-After for the account that fills it, not for others', async () => {
  const imports = new Imports();
  const refused: unknown[] = [];
  for (let i = 0; i < 400; i++) imports.start(1).catch((reason: unknown) => refused.push(reason));
  await setImmediate();
  assert.is(refused.length, 400 - 256 - 1);
  const [error] = refused;
  assert.ok(error instanceof HttpError && error.status === 503 && error.code === 'busy');
  assert.is(error.headers['Retry-After'], '10');
  void imports.start(2);
  await setImmediate();
  assert.equal(imports.accounts, [1, 2]);
});

test('an import whose client has disconnected leaves the queue and never runs', async () => {
  const imports = new Imports();
  void imports.start(1);
  const client = new AbortController();
  const waiting = imports.start(1, client.signal).catch((error: unknown) => error);
  await setImmediate();
  client.abort(new Aborted());
  assert.instance(await waiting, Aborted);
  imports.endFirst();
  await setImmediate();
  assert.equal(imports.order, [1]);
});

test('imports are listed from their arrival to their end, with places in the queue by turns of accounts', async () => {
  const imports = new Imports();
  const all = [1, 1, 1, 2, 3, 3].map((account, i) => imports.startFile(account, i + 1));
  const listed = () =>
    imports.slots.list().map(({ running, position }) => `${running.requestId} ${running.phase} ${position}`);
  await until(() => imports.running.length === 2);
  assert.equal(listed(), [
    '1/1 reading null',
    '1/2 queued 2',
    '1/3 queued 4',
    '2/4 reading null',
    '3/5 queued 1',
    '3/6 queued 3',
  ]);
  for (let left = all.length; left > 0; left--) {
    await until(() => imports.running.length > 0);
    imports.endFirst();
    await setImmediate();
  }
  await Promise.all(all);
  assert.equal(listed(), []);
});

test('an import that fails or is refused is no longer listed, and metrics count those that run and wait', async () => {
  const imports = new Imports();
  const registry = new Registry();
  imports.slots.register(registry);
  const client = new AbortController();
  const running = imports.startFile(1, 1);
  const waiting = imports.startFile(1, 2, client.signal).catch(() => {});
  await until(() => imports.running.length === 1);
  assert.match(
    registry.expose(PROMETHEUS),
    /waypost_imports\{state="running"\} 1\nwaypost_imports\{state="queued"\} 1\n/,
  );
  client.abort(new Aborted());
  await waiting;
  assert.is(imports.slots.list().length, 1);
  imports.endFirst();
  await running;
  assert.match(
    registry.expose(PROMETHEUS),
    /waypost_imports\{state="running"\} 0\nwaypost_imports\{state="queued"\} 0\n/,
  );
});

test('the progress of an import grows over its phases', () => {
  const running = new RunningImport('1', 1, { accountId: 1, domain: 'example.com', domainId: 1 });
  const seen: number[] = [];
  const note = (): unknown => seen.push(running.percent);
  for (const phase of IMPORT_PHASES) {
    running.begin(phase, 10);
    for (const done of [0, 5, 10]) {
      running.done = done;
      note();
    }
  }
  assert.equal(
    seen,
    [...seen].sort((a, b) => a - b),
  );
  assert.equal([seen[0], seen.at(-1)], [0, 100]);
});

test('a failure frees the slot', async () => {
  const slots = new ImportSlots();
  const caller = { account: { id: 1 } } as Caller;
  const context = { caller, client: new AbortController() };
  for (let i = 0; i < 5; i++)
    assert.is(
      await slots.run(context, () => Promise.reject(new Error('x'))).catch((error: Error) => error.message),
      'x',
    );
  assert.is(await slots.run(context, () => 'done'), 'done');
});

const LINES = 100_000;

class Room implements MemoryRoom {
  asked = 0;

  constructor(readonly wholeRoom: number) {}

  /** `room`: in imports of LINES. */
  static async for(room: number): Promise<Room> {
    return new Room(room * (await importMemory(Buffer.alloc(LINES, '\n'))));
  }

  room(): number {
    this.asked++;
    return this.wholeRoom;
  }
}

test('the memory of an import grows with its lines, and with its bytes', async () => {
  const [none, lines, bytes] = await Promise.all(
    [Buffer.alloc(0), Buffer.alloc(LINES, '\n'), Buffer.alloc(LINES, 'x')].map((file) => importMemory(file)),
  );
  assert.ok(none < bytes && bytes < lines);
  assert.ok(lines - none > 200 * 2 ** 20, 'two kilobytes a record');
  assert.ok((await importMemory(Buffer.alloc(0), { hasSmallHeaps: true })) < none, 'small heaps keep less garbage');
});

test('the records of $GENERATE, of JSON, and those that are replaced count for the memory of an import', async () => {
  const ofLines = async (lines: number): Promise<number> => importMemory(Buffer.alloc(lines, '\n'));
  const generated = await importMemory(Buffer.from('$TTL 60\n$GENERATE 1-100000/2 n$ A 192.0.2.1\n'));
  assert.ok(generated > (await ofLines(50_000)) - 300_000 && generated < (await ofLines(51_000)));
  const json = JSON.stringify({ records: Array.from({ length: 1000 }, () => ({ content: 'x' })) });
  assert.ok((await importMemory(Buffer.from(json))) > (await ofLines(1000)));
  const text = JSON.stringify({ zone: 'a 60 A 192.0.2.1\n'.repeat(1000) });
  assert.ok((await importMemory(Buffer.from(text))) > (await ofLines(1000)));
  assert.ok(
    (await importMemory(Buffer.alloc(0), { replaced: 100_000 })) > (await importMemory(Buffer.alloc(0))) + 30_000_000,
  );
});

test('an import waits while the memory that it needs is reserved for another account', async () => {
  const room = await Room.for(1.5);
  const imports = new Imports(room);
  const first = imports.startFile(1, LINES);
  await until(() => imports.running.length > 0);
  const second = imports.startFile(2, LINES);
  await until(() => room.asked === 2);
  await setImmediate();
  assert.equal(imports.accounts, [1]);
  imports.endFirst();
  await until(() => imports.running.length > 0);
  assert.equal(imports.accounts, [2]);
  imports.endFirst();
  assert.equal(await Promise.all([first, second]), ['done', 'done']);
  assert.is(imports.highest, 1);
});

test('an import that waits for memory ends with its client', async () => {
  const room = await Room.for(1.5);
  const imports = new Imports(room);
  const first = imports.startFile(1, LINES);
  await until(() => imports.running.length > 0);
  const client = new AbortController();
  const waiting = imports.startFile(2, LINES, client.signal).catch((error: unknown) => error);
  await until(() => room.asked === 2);
  client.abort(new Aborted());
  imports.endFirst();
  assert.instance(await waiting, Aborted);
  assert.is(await first, 'done');
  assert.equal(imports.order, [1]);
});

test('an import that the node can never hold is 507; one that it cannot hold now is 503', async () => {
  const refusal = async (memory: MemoryRoom): Promise<string> => {
    const error = await new Imports(memory).startFile(1, LINES).catch((reason: unknown) => reason);
    assert.instance(error, HttpError);
    const { status, code, headers } = error as HttpError;
    return `${status} ${code} ${headers['Retry-After'] ?? 'never'}`;
  };
  assert.is(await refusal(await Room.for(0.9)), '507 insufficient_memory never');
  assert.is(await refusal({ wholeRoom: (await Room.for(2)).wholeRoom, room: () => 0 }), '503 overloaded 30');
});

test.run();
