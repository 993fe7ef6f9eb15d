/** Full transfers take turns by account and client network, whatever others read. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FairSlots } from '../../../../core/base/fair-slots.ts';
import { RCODE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { TransferAccess } from '../../../../core/nameserver/transfer/responder.ts';
import { type Domain, domains, records } from '../../../../core/store/rows.ts';
import { decodeMessage } from '../../../support/message.ts';
import { transferRequest } from '../../../support/transfer-client.ts';
import { untilPasses } from '../../../support/until.ts';
import { addressRecord, newDomain } from '../../journal/fixture.ts';
import { type Transferred, withTransfers } from './fixture.ts';

const test = suite('transfers, turns');
const HOSTS = 2000;

async function createZone({ store }: Transferred, apex: string, accountId: number): Promise<void> {
  const domain: Domain = { ...newDomain(apex), accountId };
  await write(store.environment, store.journal, 'test', (draft) => {
    draft.put(domains, domain);
    for (let i = 0; i < HOSTS; i++) draft.put(records, addressRecord(domain, `h${i}`));
  });
}

interface Reading {
  readonly messages: AsyncIterator<Uint8Array>;
  isAbandoned: boolean;
}

function begin({ answer }: Transferred, zone: string, address: string): Reading {
  const reading = {
    isAbandoned: false,
    messages: answer({
      ...{
        message: transferRequest(zone),
        address,
        port: 53,
        transport: 'tcp',
        cancelled: new AbortController().signal,
      },
      abandon: () => {
        reading.isAbandoned = true;
      },
    })[Symbol.asyncIterator](),
  };
  return reading;
}

async function readAll({ messages }: Reading): Promise<number> {
  for (let count = 0; ; count++) if ((await messages.next()).done) return count;
}

/** Also those that wait: each gets the slot of one that ends, and ends after its first message. */
const endAll = (held: readonly Reading[]): Promise<unknown> =>
  Promise.all(held.map(({ messages }) => messages.return?.()));

const setup = (slots: FairSlots) => ({ options: { slots, access: new TransferAccess(['0.0.0.0/0']) } });

test('clients of one account that read nothing delay no transfer of another account', () => {
  const slots = new FairSlots({ slots: 8, queue: 100 });
  return withTransfers(async (rig) => {
    await createZone(rig, 'attacker.test.', 1);
    await createZone(rig, 'tenant.test.', 2);
    const held = Array.from({ length: 64 }, (_, i) => begin(rig, 'attacker.test.', `192.0.2.${i}`));
    for (const { messages } of held) void messages.next();
    await untilPasses(() => assert.equal([slots.inUse, slots.waiting], [4, 60]));
    assert.ok((await readAll(begin(rig, 'tenant.test.', '198.51.100.1'))) > 2);
    assert.equal([slots.inUse, slots.waiting], [4, 60]);
    await endAll(held);
  }, setup(slots));
});

test('one network that transfers zones of many accounts leaves others half of the slots', () => {
  const slots = new FairSlots({ slots: 4, queue: 100 });
  return withTransfers(async (rig) => {
    for (let i = 0; i < 5; i++) await createZone(rig, `zone${i}.test.`, 10 + i);
    const held = [0, 1, 2, 3].map((i) => begin(rig, `zone${i}.test.`, '192.0.2.1'));
    for (const { messages } of held) void messages.next();
    await untilPasses(() => assert.equal([slots.inUse, slots.waiting], [2, 2]));
    assert.ok((await readAll(begin(rig, 'zone4.test.', '198.51.100.1'))) > 2);
    await endAll(held);
  }, setup(slots));
});

test('a client below the minimum rate is disconnected while another account waits', () => {
  let now = 0;
  const minimumRate = { perSecond: 1000, windowMs: 1000 };
  const slots = new FairSlots({ slots: 2, queue: 10, minimumRate, now: () => now });
  return withTransfers(async (rig) => {
    for (let i = 0; i < 3; i++) await createZone(rig, `zone${i}.test.`, 10 + i);
    const [deaf, reader] = [begin(rig, 'zone0.test.', '192.0.2.1'), begin(rig, 'zone1.test.', '192.0.2.2')];
    await deaf.messages.next();
    await reader.messages.next();
    const tenant = begin(rig, 'zone2.test.', '192.0.2.3');
    const first = tenant.messages.next();
    await reader.messages.next();
    now += 1000;
    slots.enforceMinimumRate();
    assert.equal([deaf.isAbandoned, reader.isAbandoned], [true, false]);
    // As the server of deferred messages ends it.
    await deaf.messages.return?.();
    assert.not.ok((await first).done);
    assert.ok((await readAll(tenant)) > 1);
    assert.ok((await readAll(reader)) > 0);
    assert.is(slots.inUse, 0);
  }, setup(slots));
});

test('when too many wait, the last of the account with most of them gets SERVFAIL', () => {
  const slots = new FairSlots({ slots: 1, queue: 2 });
  return withTransfers(async (rig) => {
    await createZone(rig, 'attacker.test.', 1);
    await createZone(rig, 'tenant.test.', 2);
    const held = [0, 1, 2].map((i) => begin(rig, 'attacker.test.', `192.0.2.${i}`));
    const [, , third] = held.map(({ messages }) => messages.next());
    const tenant = begin(rig, 'tenant.test.', '198.51.100.1');
    const first = tenant.messages.next();
    assert.is(decodeMessage((await third).value as Uint8Array).rcode, RCODE.SERVFAIL);
    await held[0].messages.return?.();
    assert.is(decodeMessage((await first).value as Uint8Array).rcode, RCODE.NOERROR);
    await tenant.messages.return?.();
    await held[1].messages.next();
    await held[1].messages.return?.();
  }, setup(slots));
});

test.run();
