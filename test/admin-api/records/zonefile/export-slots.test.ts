import { setImmediate } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Caller } from '../../../../admin-api/http/caller.ts';
import { HttpError } from '../../../../admin-api/http/errors.ts';
import { discard } from '../../../../admin-api/http/transport.ts';
import { ExportSlots } from '../../../../admin-api/records/zonefile/export-slots.ts';

const from = (id: number, remoteAddress: string) => ({ caller: { account: { id } } as Caller, remoteAddress });

async function* chunks(fault?: Error): AsyncGenerator<string> {
  yield 'a';
  if (fault !== undefined) throw fault;
  yield 'b';
}

/** Starts exports until one is refused. */
function fill(slots: ExportSlots, account: number, address: string): AsyncIterableIterator<string>[] {
  const held: AsyncIterableIterator<string>[] = [];
  for (;;)
    try {
      held.push(slots.hold(from(account, address), chunks()));
    } catch (error) {
      assert.ok(error instanceof HttpError && error.status === 503 && error.code === 'busy');
      return held;
    }
}

test('an account, and a network, leaves as many exports to others as it has', async () => {
  const slots = new ExportSlots();
  const held = fill(slots, 1, '192.0.2.1');
  assert.is(held.length, 64);
  assert.is(fill(slots, 2, '192.0.2.1').length, 0, 'another account in that network');
  assert.is(fill(slots, 3, '192.0.2.3').length, 32);
  for (const export_ of held) await export_.return?.();
  slots.hold(from(2, '192.0.2.1'), chunks());
});

test('a slot is free when the export is read, fails, is left, or is never read', async () => {
  const slots = new ExportSlots();
  const ends = [
    async (export_: AsyncIterableIterator<string>) => {
      for await (const _ of export_);
    },
    async (export_: AsyncIterableIterator<string>) => {
      for await (const _ of export_) break;
    },
    async (export_: AsyncIterableIterator<string>) => discard(export_),
  ];
  for (const end of ends) {
    for (const held of fill(slots, 1, '192.0.2.1')) await end(held);
    await setImmediate();
    const again = fill(slots, 1, '192.0.2.1');
    assert.is(again.length, 64);
    for (const held of again) await held.return?.();
  }
  for (let i = 0; i < 65; i++) {
    const failing = slots.hold(from(1, '192.0.2.1'), chunks(new Error('broken')));
    await failing.next();
    const fault: Error = await failing.next().then(
      () => new Error('no fault'),
      (error) => error,
    );
    assert.is(fault.message, 'broken');
  }
});

test.run();
