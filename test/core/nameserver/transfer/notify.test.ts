/** What the log says of secondaries: of keys that cannot be used, and of those that refuse. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { formatName, nameAt } from '../../../../core/dns/wire/name.ts';
import type { TsigKey } from '../../../../core/dns/wire/tsig.ts';
import { RCODE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { Holds } from '../../../../core/nameserver/transfer/holds.ts';
import { Notifier } from '../../../../core/nameserver/transfer/notify.ts';
import { domains } from '../../../../core/store/rows.ts';
import { untilIs } from '../../../support/until.ts';
import { embedded, newDomain, withStore } from '../../journal/fixture.ts';

const test = suite('NOTIFY, log');

async function logOf(keyByName: () => TsigKey | undefined): Promise<string[]> {
  const log: string[] = [];
  const secondary = createSocket('udp4').bind(0, '127.0.0.1');
  await once(secondary, 'listening');
  await withStore(embedded, async ({ environment, journal, reader }) => {
    await write(environment, journal, 'test', (draft) => {
      for (const name of ['a.test.', 'b.test.']) draft.put(domains, newDomain(name));
    });
    const notifier = new Notifier({
      targets: [{ address: '127.0.0.1', port: secondary.address().port, family: 4, key: 'transfer.test' }],
      reader,
      keyByName,
      log: createLogger({ level: 'info', format: 'text', write: (line) => log.push(line) }),
    });
    notifier.start();
    notifier.close();
  });
  secondary.close();
  return log;
}

test('an unknown key in transfer.notify is logged at start, once for all zones', async () => {
  const log = await logOf(() => undefined);
  assert.is(log.length, 1);
  assert.match(log[0], /transfer\.notify.*transfer\.test.*the key does not exist/);
});

test('a key that cannot be decrypted stops NOTIFY to its own secondary only', async () => {
  const log = await logOf(() => {
    throw new Error('sealed by another key');
  });
  assert.is(log.length, 1);
  assert.match(log[0], /transfer\.test.*sealed by another key/);
});

test('a secondary that refuses every zone is one warning', async () => {
  const log: string[] = [];
  const secondary = createSocket('udp4').bind(0, '127.0.0.1');
  await once(secondary, 'listening');
  secondary.on('message', (message, { port, address }) => {
    message[2] |= 0x80;
    message[3] = RCODE.REFUSED;
    secondary.send(message, port, address);
  });
  await withStore(embedded, async ({ environment, journal, reader }) => {
    await write(environment, journal, 'test', (draft) => {
      for (let i = 0; i < 80; i++) draft.put(domains, newDomain(`z${i}.test.`));
    });
    let refused = 0;
    const notifier = new Notifier({
      targets: [{ address: '127.0.0.1', port: secondary.address().port, family: 4, key: null }],
      reader,
      keyByName: () => undefined,
      log: createLogger({ level: 'info', format: 'text', write: (line) => log.push(line) }),
      observer: {
        notified(outcome) {
          if (outcome === 'refused') refused++;
        },
      },
    });
    notifier.start();
    for (let i = 0; i < 500 && refused < 80; i++) await sleep(10);
    notifier.close();
    assert.is(refused, 80);
  });
  secondary.close();
  assert.is(log.length, 1);
  assert.match(log[0], /NOTIFY refused/);
});

test('secondaries of one zone get NOTIFY for its changes only', async () => {
  const secondary = createSocket('udp4').bind(0, '127.0.0.1');
  await once(secondary, 'listening');
  const names: string[] = [];
  let answered = (): void => {};
  const seen = new Promise<void>((resolve) => {
    answered = resolve;
  });
  secondary.on('message', (message, { port: sender, address }) => {
    names.push(formatName(nameAt(message, 12)));
    message[2] |= 0x80;
    secondary.send(message, sender, address);
    answered();
  });
  const { port } = secondary.address();
  const [own, other] = [newDomain('own.test.'), newDomain('other.test.')];
  await withStore(embedded, async ({ environment, journal, reader }) => {
    await write(environment, journal, 'test', (draft) => {
      for (const domain of [own, other]) draft.put(domains, domain);
    });
    const notifier = new Notifier({
      targets: [],
      zoneTargets: {
        exist: () => true,
        sourcesOf: () => [],
        of: (id) => (id === own.id ? [{ address: '127.0.0.1', port, family: 4, key: null }] : []),
      },
      reader,
      keyByName: () => undefined,
      log: createLogger({ level: 'error', format: 'text', write: () => {} }),
    });
    for (const { id, apex } of [other, own])
      notifier.onChange({ domainId: id, apex, serial: 2 } as Parameters<typeof notifier.onChange>[0]);
    await seen;
    while (notifier.waiting > 0) await sleep(5);
    notifier.onChange({ domainId: own.id, apex: own.apex, serial: 0 } as Parameters<typeof notifier.onChange>[0]);
    notifier.close();
  });
  secondary.close();
  assert.equal(names, ['own.test.']);
});

test('silent secondaries of one account do not delay NOTIFY of another', async () => {
  const secondary = createSocket('udp4').bind(0, '127.0.0.1');
  await once(secondary, 'listening');
  // A socket that answers nothing.
  const silent = createSocket('udp4').bind(0, '127.0.0.1');
  await once(silent, 'listening');
  const tenant = { ...newDomain('tenant.test.'), accountId: 2 };
  const attackers = Array.from({ length: 110 }, (_, i) => ({ ...newDomain(`a${i}.test.`), accountId: 1 }));
  await withStore(embedded, async ({ environment, journal, reader }) => {
    await write(environment, journal, 'test', (draft) => {
      for (const domain of [tenant, ...attackers]) draft.put(domains, domain);
    });
    const target = (address: string, { port } = silent.address()) => ({ address, port, family: 4 as const, key: null });
    const notifier = new Notifier({
      targets: [],
      zoneTargets: {
        exist: () => true,
        sourcesOf: () => [],
        of(id) {
          if (id === tenant.id) return [target('127.0.0.1', secondary.address())];
          const n = attackers.findIndex((domain) => domain.id === id);
          return Array.from({ length: 10 }, (_, i) => target(`127.1.${n}.${i + 1}`));
        },
      },
      reader,
      keyByName: () => undefined,
      log: createLogger({ level: 'error', format: 'text', write: () => {} }),
    });
    for (const { id, apex } of attackers) notifier.notify(id, apex);
    const received = once(secondary, 'message');
    notifier.notify(tenant.id, tenant.apex);
    const [message] = (await received) as [Buffer];
    assert.is(formatName(nameAt(message, 12)), 'tenant.test.');
    assert.is(notifier.waiting, 1000);
    notifier.close();
  });
  for (const socket of [secondary, silent]) socket.close();
});

test('secondaries are notified of a held zone when it is published', async () => {
  const secondary = createSocket('udp4').bind(0, '127.0.0.1');
  await once(secondary, 'listening');
  const names: string[] = [];
  secondary.on('message', (message, { port, address }) => {
    names.push(formatName(nameAt(message, 12)));
    message[2] |= 0x80;
    secondary.send(message, port, address);
  });
  const [held, started, other] = [newDomain('held.test.'), newDomain('started.test.'), newDomain('other.test.')];
  await withStore(embedded, async ({ environment, journal, reader }) => {
    await write(environment, journal, 'test', (draft) => draft.put(domains, started));
    const holds = new Holds();
    const notifier = new Notifier({
      targets: [{ address: '127.0.0.1', port: secondary.address().port, family: 4, key: null }],
      holds,
      reader,
      keyByName: () => undefined,
      log: createLogger({ level: 'error', format: 'text', write: () => {} }),
    });
    holds.hold(started, started.id);
    holds.hold(held, held.id);
    notifier.start();
    holds.loaded();
    for (const { id, apex } of [held, other]) notifier.onChange({ domainId: id, apex, serial: 2, difference: null });
    await untilIs(() => names, ['other.test.']);
    holds.release(started);
    await untilIs(() => names, ['other.test.', 'started.test.']);
    holds.release(held);
    await untilIs(() => names, ['other.test.', 'started.test.', 'held.test.']);
    notifier.close();
  });
  secondary.close();
});

test.run();
