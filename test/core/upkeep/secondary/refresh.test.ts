/** A refresh and its primaries on loopback: some drip, one answers. No store. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FairSlots, type Slot } from '../../../../core/base/fair-slots.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { type Domain, newSecondary, PRIMARY, type Primary } from '../../../../core/store/rows.ts';
import { TransferMemory } from '../../../../core/upkeep/secondary/memory.ts';
import { type Outcome, type RefreshParts, refresh } from '../../../../core/upkeep/secondary/refresh.ts';
import { until } from '../../../support/until.ts';

const APEX = parseName('example.test.');
const LIMIT = 1000;
const test = suite('refresh of a secondary zone');
const closing: (() => void)[] = [];
test.after.each(() => {
  for (const close of closing.splice(0)) close();
});

/** A primary that begins its zone and never ends it. */
async function drippingPrimary(record = 100): Promise<{ primary: Primary; requests: () => number }> {
  let requests = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
    socket.once('data', (query) => {
      requests++;
      socket.write(messageOf(query.subarray(2), record));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return { primary: { address: '127.0.0.1', port, tsigKeyId: null, tls: null }, requests: () => requests };
}

/** An SOA record and a TXT record of some bytes: the beginning of a zone. */
function messageOf(query: Buffer, bytes: number): Buffer {
  const end = 12 + APEX.length + 4;
  const head = Buffer.from(query.subarray(0, end));
  head[2] = 0x84;
  head.fill(0, 6, 12);
  head[7] = 2;
  const record = (type: number, rdata: Buffer): Buffer => {
    const fields = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 1, 44, 0, 0]);
    fields.writeUInt16BE(rdata.length, 10);
    return Buffer.concat([fields, rdata]);
  };
  const soa = record(6, Buffer.concat([Buffer.from([0xc0, 12, 0xc0, 12]), Buffer.alloc(20, 1)]));
  const message = Buffer.concat([head, soa, record(16, Buffer.alloc(bytes))]);
  return Buffer.concat([Uint8Array.of(message.length >> 8, message.length & 0xff), message]);
}

const memory = new TransferMemory(LIMIT);

function begin(primaries: readonly Primary[], slot: Slot, first = 0): Promise<Outcome> {
  const parts = {
    exemptions: true,
    maxBytes: 1 << 20,
    sourceOf: () => Promise.resolve(undefined),
    memory,
    keyOf: () => null,
    now: () => 0,
  } as unknown as RefreshParts;
  const domain = { ...PRIMARY, id: 1, accountId: 7, apex: APEX, kind: 'secondary', primaries } as unknown as Domain;
  const { signal } = new AbortController();
  return refresh(parts, domain, newSecondary(1), { force: false, isNotified: true, signal, slot, first });
}

/** A slot of an account next to which another account waits, and a pass of the minimum rate. */
function contested(): { slot: Slot; enforce: () => void } {
  let now = 0;
  const slots = new FairSlots({ slots: 1, queue: 1, minimumRate: { perSecond: 1000, windowMs: 1000 }, now: () => now });
  const slot = slots.tryAcquire({ account: '7', network: '' })!;
  void slots.acquire({ account: '8', network: '' });
  const enforce = (): void => {
    now += 1000;
    slots.enforceMinimumRate();
  };
  closing.push(() => slot.release());
  return { slot, enforce };
}

test('a slow primary loses the slot while others wait; the next one is first at the retry', async () => {
  const [a, b] = [await drippingPrimary(), await drippingPrimary()];
  const primaries = [a.primary, b.primary];
  for (const first of [0, 1]) {
    const { slot, enforce } = contested();
    const outcome = begin(primaries, slot, first);
    await until(() => slot.progress > 0, 'the first message');
    enforce();
    const { kind, error, slow } = (await outcome) as Extract<Outcome, { kind: 'failed' }>;
    assert.equal([kind, slow], ['failed', first]);
    assert.match(error, /^127\.0\.0\.1: it sent less than 64 KiB a second while zones of others waited/);
  }
  assert.equal([a.requests(), b.requests()], [1, 1]);
  assert.is(memory.used, 0);
});

test('a primary that sends more than there is memory for is left', async () => {
  const { primary } = await drippingPrimary(LIMIT);
  const outcome = (await begin([primary], contested().slot)) as Extract<Outcome, { kind: 'failed' }>;
  assert.match(outcome.error, /^127\.0\.0\.1: the memory of this server for transfers is used up/);
  assert.is(outcome.slow, undefined);
  assert.is(memory.used, 0);
});

test.run();
