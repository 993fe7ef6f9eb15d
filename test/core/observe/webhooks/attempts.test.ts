/** Attempts of many receivers take turns by account. No store, and no sockets. */
import { setImmediate } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Attempt, Message } from '../../../../core/net/delivery/sender.ts';
import { Attempts, type AttemptsOptions } from '../../../../core/observe/webhooks/attempts.ts';
import { Receivers } from '../../../../core/observe/webhooks/receivers.ts';
import type { Session } from '../../../../core/observe/webhooks/session.ts';
import type { WebhookRow } from '../../../../core/store/rows.ts';

const ACCOUNTS = 12;
const SLOTS = 64;

test('slow receivers of some accounts delay no other account', async () => {
  const receivers = new Receivers(5);
  const put = (id: number, accountId: number): void => {
    const row = { id, accountId, enabled: true, url: '', sealed: '', sealedBefore: '' } as unknown as WebhookRow;
    receivers.put(row).schedule.put({ id, nextAt: 0, attemptedAt: null });
  };
  const ends: ((attempt: Attempt) => void)[] = [];
  const sent: number[] = [];
  const session = { receivers, results: new Map(), resultsSince: 0 } as unknown as Session;
  const attempts = new Attempts({
    reader: { row: () => ({ state: 'pending', body: '', attempts: 0, queuedAt: 0 }) },
    secrets: { unseal: () => Buffer.alloc(32) },
    sender: {
      send: ({ receiverId }: Message) => {
        sent.push(receiverId);
        return new Promise<Attempt>((resolve) => ends.push(resolve));
      },
      release: () => {},
      close: () => {},
    },
    ...{ retries: { first: 5, total: 100 }, userAgent: '', now: () => 1, random: () => 0.5 },
    isCurrent: () => true,
    onResult: () => {},
  } as unknown as AttemptsOptions);
  put(1, 1);
  for (let account = 2; account < 2 + ACCOUNTS; account++)
    for (let i = 0; i < 100; i++) put(account * 1000 + i, account);
  // Its event is later than those that wait.
  receivers.get(1)!.schedule.remove(1);
  attempts.sendDue(session);
  assert.is(sent.length, SLOTS);
  assert.is(sent.filter((id) => id >= 2000 && id < 3000).length, SLOTS / 2, 'one account has half');
  put(1, 1);
  attempts.sendDue(session);
  assert.is(sent.length, SLOTS);
  ends[0]({ status: 500, error: 'status 500', milliseconds: 1 });
  await setImmediate();
  // Accounts without a slot are first, in their order.
  ends[1]({ status: 500, error: 'status 500', milliseconds: 1 });
  for (let i = 2; i < 2 + ACCOUNTS; i++) {
    ends[i]({ status: 500, error: 'status 500', milliseconds: 1 });
    await setImmediate();
  }
  assert.ok(sent.includes(1), 'within one turn of the accounts');
  attempts.stop();
});

test.run();
