/**
 * Keys of session tickets that nodes share: one writes, all take; a rotation is made once; keys
 * that cannot be opened do no harm.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { openSecrets } from '../../../../core/base/secrets.ts';
import { SharedTicketKeys } from '../../../../core/site/tls/shared-ticket-keys.ts';
import type { TicketKeys } from '../../../../core/site/tls/ticket-keys.ts';
import { ticketKeys } from '../../../../core/store/rows.ts';
import { singleNodeTasks } from '../../../support/tasks.ts';
import { embedded, type Store, withStore } from '../../journal/fixture.ts';

const hex = ({ current, previous }: TicketKeys): string[] =>
  [current, previous].map((key) => (key === null ? '' : Buffer.from(key).toString('hex')));

function nodesOf(store: Store, keyFile = 'secret.key') {
  const logged: string[] = [];
  const log = createLogger({ level: 'info', format: 'json', write: (line) => void logged.push(line) });
  const secrets = openSecrets(join(store.folder, keyFile));
  const { environment, journal } = store;
  const open = (now?: () => number, rotation = 3600) =>
    SharedTicketKeys.open({ environment, journal, secrets, rotation, tasks: singleNodeTasks(), log, now });
  return { open, logged };
}

test('the first node makes a key, the others use it, also after a restart; it is stored sealed', () =>
  withStore(embedded, async (store) => {
    const { open } = nodesOf(store);
    const [keys, other] = [await open(), await open()];
    assert.equal(hex(keys.keys), hex(other.keys));
    assert.is(keys.keys.current.length, 48);
    assert.is(keys.keys.previous, null);
    assert.is(store.journal.head, 1, 'one write');
    const stored = store.environment.rows.get(ticketKeys.number)!.get(Buffer.alloc(8))!.toString('latin1');
    assert.not.match(
      stored,
      new RegExp(Buffer.from(keys.keys.current).toString('base64').slice(0, 20).replace(/[+/]/g, '.')),
    );
    keys.close();
    other.close();
  }));

test('one node replaces a due key, and all nodes get it with the previous one', () =>
  withStore(embedded, async (store) => {
    const { open } = nodesOf(store);
    let now = 1_000_000;
    const keys = await open(() => now);
    const [first] = hex(keys.keys);
    const notices: string[][] = [];
    keys.follow((current) => notices.push(hex(current)));
    assert.equal(notices.splice(0), [hex(keys.keys)]);
    now += 3_599_000;
    (await open(() => now)).close();
    assert.equal(notices, [], 'not due');
    now += 2000;
    const nodes = await Promise.all([open(() => now), open(() => now), open(() => now)]);
    assert.is(store.journal.head, 2, 'one of them has written');
    for (const node of [keys, ...nodes]) {
      const [current, previous] = hex(node.keys);
      assert.is(previous, first);
      assert.is.not(current, first);
      assert.equal(hex(node.keys), hex(keys.keys));
    }
    assert.is(notices.length, 1);
    // A clock that ran ahead by days does not keep a key for days.
    now -= 10 * 86_400_000;
    const late = await open(() => now);
    assert.is(hex(late.keys)[1], notices[0][0]);
    assert.is(store.journal.head, 3);
    for (const node of [keys, late, ...nodes]) node.close();
  }));

test('keys rotate automatically', () =>
  withStore(embedded, async (store) => {
    const { open } = nodesOf(store);
    const node = await open(undefined, 1);
    const [first] = hex(node.keys);
    for (let i = 0; i < 100 && hex(node.keys)[0] === first; i++) await sleep(50);
    assert.is(hex(node.keys)[1], first);
    node.close();
  }));

test('a node with another secret key uses its own keys, logs that once, and keeps the shared ones', () =>
  withStore(embedded, async (store) => {
    const good = await nodesOf(store).open();
    const { open, logged } = nodesOf(store, 'other.key');
    const [bad, again] = [await open(), await open()];
    assert.is.not(hex(bad.keys)[0], hex(good.keys)[0]);
    assert.is(store.journal.head, 1);
    assert.is(logged.length, 2, 'once a node');
    assert.match(logged[0], /secrets\.key_file/);
    for (const node of [good, bad, again]) node.close();
  }));

test.run();
