/**
 * What a request for a transfer is answered, case by case: refusals, forms, datagrams, large
 * records, who waits.
 */
import { setImmediate } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FairSlots } from '../../../../core/base/fair-slots.ts';
import { EDNS_OPTION } from '../../../../core/dns/wire/edns.ts';
import { formatName, parseName } from '../../../../core/dns/wire/name.ts';
import { isSignedResponse, signRequest } from '../../../../core/dns/wire/tsig.ts';
import { findTsig, withoutTsig } from '../../../../core/dns/wire/tsig-record.ts';
import { RCODE, TYPE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { Holds } from '../../../../core/nameserver/transfer/holds.ts';
import { TransferAccess } from '../../../../core/nameserver/transfer/responder.ts';
import { domains, records, spellings } from '../../../../core/store/rows.ts';
import type { HeldKey } from '../../../../core/store/tsig-keys/keyring.ts';
import { decodeMessage } from '../../../support/message.ts';
import { serialOf, transferRequest } from '../../../support/transfer-client.ts';
import { addressRecord, newDomain, newRecord } from '../../journal/fixture.ts';
import { type Transferred, withTransfers } from './fixture.ts';

const test = suite('transfers, responses');
const APEX = 'zone.test.';
const OPT = Buffer.of(0, 0, 41, 0x04, 0xd0, 0, 0, 0, 0, 0, 0);

function withOpt(message: Buffer): Buffer {
  const bytes = Buffer.concat([message, OPT]);
  bytes[11] = 1;
  return bytes;
}

async function withZone({ store }: Transferred, hosts = 3, size = 0): Promise<ReturnType<typeof newDomain>> {
  const domain = newDomain(APEX);
  const text = Buffer.concat(
    Array.from({ length: size }, () => Buffer.concat([Buffer.of(255), Buffer.alloc(255, 0x61)])),
  );
  await write(store.environment, store.journal, 'test', (draft) => {
    draft.put(domains, domain);
    for (let i = 0; i < hosts; i++) draft.put(records, addressRecord(domain, `h${i}`));
    if (size > 0) draft.put(records, newRecord(domain, 'large', TYPE.TXT, text));
  });
  return domain;
}

test('without a listed address or key: REFUSED, with an extended error for clients with EDNS', () =>
  withTransfers(
    async (rig) => {
      await withZone(rig);
      for (const zone of [APEX, 'elsewhere.test.']) {
        const [bare] = await rig.ask(transferRequest(zone));
        assert.is(decodeMessage(bare).rcode, RCODE.REFUSED);
        assert.is(decodeMessage(bare).opt, undefined);
        const [notice] = await rig.ask(withOpt(transferRequest(zone)));
        assert.equal(Buffer.from(decodeMessage(notice).opt!.options), Buffer.of(0, 15, 0, 2, 0, 18));
      }
      assert.is(rig.histories.size.zones, 0);
    },
    { options: { access: new TransferAccess(['192.0.2.0/24', '2001:db8::/32']) } },
  ));

test('owner names have the case of the master file', () =>
  withTransfers(async (rig) => {
    const domain = await withZone(rig);
    await write(rig.store.environment, rig.store.journal, 'test', (draft) => {
      const name = parseName('h1', domain.apex);
      const spelled = Uint8Array.from(name);
      spelled[1] = 'H'.charCodeAt(0);
      draft.put(spellings, { domainId: domain.id, name, spelled });
    });
    const entries = (await rig.ask(transferRequest(APEX))).flatMap((message) => decodeMessage(message).answer);
    const owners = entries.filter(({ type }) => type === TYPE.A).map(({ name }) => formatName(name));
    assert.equal(owners, ['h0.zone.test.', 'H1.zone.test.', 'h2.zone.test.']);
  }));

test('malformed requests and AXFR over UDP are FORMERR', () =>
  withTransfers(async (rig) => {
    await withZone(rig);
    const cut = transferRequest(APEX, 1).subarray(0, -3);
    const twice = Buffer.concat([transferRequest(APEX), Buffer.of(0)]);
    const without = transferRequest(APEX, 1).subarray(0, transferRequest(APEX).length);
    without[9] = 0;
    for (const message of [cut, twice, without]) {
      const answer = await rig.ask(Buffer.from(message));
      assert.equal(
        answer.map((bytes) => decodeMessage(bytes).rcode),
        [RCODE.FORMERR],
      );
    }
    const [overUdp] = await rig.ask(transferRequest(APEX), 'udp');
    assert.is(decodeMessage(overUdp).rcode, RCODE.FORMERR);
    const [overHttps] = await rig.ask(transferRequest(APEX), 'https');
    assert.is(decodeMessage(overHttps).rcode, RCODE.REFUSED);
  }));

test('clients with EDNS get OPT and the question with a refusal, and BADVERS for a later version', () =>
  withTransfers(async (rig) => {
    await withZone(rig);
    const [formerr] = await rig.ask(withOpt(transferRequest(APEX)), 'udp');
    assert.is(decodeMessage(formerr).rcode, RCODE.FORMERR);
    assert.ok(decodeMessage(formerr).opt !== undefined);
    const later = withOpt(transferRequest(APEX));
    later[later.length - 5] = 1;
    const message = decodeMessage((await rig.ask(later))[0]);
    assert.is(message.rcode, RCODE.BADVERS);
    assert.is(message.opt?.version, 0);
    assert.ok(message.question.length > 0);
  }));

test('a signed answer without room for its signature keeps its code and options, and has TC', async () => {
  const key: HeldKey = {
    name: parseName('key.test.'),
    algorithm: 'hmac-sha256',
    secret: Buffer.alloc(32, 7),
    row: {
      id: 0,
      accountId: 0,
      name: 'key.test',
      algorithm: 'hmac-sha256',
      sealed: '',
      scopes: [],
      domains: null,
      createdAt: 0,
    },
    account: {
      id: 0,
      username: '',
      email: '',
      role: 'user',
      plan: '',
      passwordHash: '',
      apiEnabled: true,
      createdAt: 0,
      updatedAt: 0,
    },
  };
  const options = Buffer.of(0, EDNS_OPTION.NSID, 0, 2, 0x6e, 0x31);
  // 480 bytes fit, and with the signature they don't. What is behind the OPT record is not looked
  // at.
  const respond = ({ message }: { readonly message: Uint8Array }): Uint8Array => {
    const response = Buffer.alloc(480);
    response.set(message);
    response[2] = 0x84;
    response[3] = RCODE.NXDOMAIN;
    if (message[11] === 0) return response;
    response.writeUInt16BE(options.length, message.length - 2);
    response.set(options, message.length);
    return response;
  };
  const query = transferRequest('missing.zone.test.');
  query[query.length - 3] = TYPE.TXT;
  const now = Math.floor(Date.now() / 1000);
  const signed = signRequest(query, key, now);
  await withTransfers(
    async (rig) => {
      const [response] = await rig.ask(signed.message, 'udp');
      assert.ok(response.length <= 512);
      // QR, AA and TC; the code; one question, no record but the signature.
      assert.equal([...response.subarray(2, 12)], [0x86, RCODE.NXDOMAIN, 0, 1, 0, 0, 0, 0, 0, 1]);
      assert.ok(isSignedResponse(response, key, signed.mac, now));
      const [whole] = await rig.ask(signed.message, 'tcp');
      assert.is(whole.length > 480, true);
      const small = withOpt(query);
      small.writeUInt16BE(512, small.length - 8);
      const [cut] = await rig.ask(signRequest(small, key, now).message, 'udp');
      const found = findTsig(cut);
      if (found.kind !== 'found') throw new Error(found.kind);
      const { header, rcode, opt } = decodeMessage(withoutTsig(cut, found.start));
      assert.equal([header.tc, rcode], [true, RCODE.NXDOMAIN]);
      assert.equal(Buffer.from(opt!.options), options);
    },
    { options: { findKey: () => [key], respond } },
  );
});

test('AXFR: AA, the question and OPT in the first message only, every message within 16 KB', () =>
  withTransfers(async (rig) => {
    await withZone(rig, 2000);
    const request = withOpt(transferRequest(APEX));
    request[request.length - 4] = 0x80;
    const messages = await rig.ask(request);
    assert.ok(messages.length > 1);
    for (const [i, bytes] of messages.entries()) {
      const message = decodeMessage(bytes);
      assert.ok(message.header.aa);
      assert.is(message.question.length > 0, i === 0);
      assert.is(message.opt !== undefined, i === 0);
      assert.is(message.opt?.do, i === 0 ? true : undefined);
      assert.ok(bytes.length <= 16 * 1024);
      assert.ok(message.answer.length > 0);
    }
  }));

test('a record larger than the target size has its own message', () =>
  withTransfers(async (rig) => {
    await withZone(rig, 3, 180);
    const all = await rig.records(transferRequest(APEX));
    assert.is(all.length, 3 + 2 + 2 + 1);
    assert.is(Math.max(...all.map(({ rdata }) => rdata.length)), 180 * 256);
  }));

test('IXFR over UDP: the difference if it fits, else the SOA alone', () =>
  withTransfers(async (rig) => {
    const { environment, journal, reader } = rig.store;
    const domain = await withZone(rig);
    const { serial } = reader.zoneState(domain.id);
    await rig.records(transferRequest(APEX));
    const put = (from: number, to: number): Promise<unknown> =>
      write(environment, journal, 'test', (draft) => {
        for (let i = from; i < to; i++) draft.put(records, addressRecord(domain, `more${i}`));
      });
    await put(0, 1);
    const small = await rig.records(transferRequest(APEX, serial), 'udp');
    assert.equal(
      small.map(({ type }) => type),
      [TYPE.SOA, TYPE.SOA, TYPE.SOA, TYPE.A, TYPE.SOA],
    );
    await put(1, 30);
    const current = reader.zoneState(domain.id).serial;
    // Without EDNS a datagram has 512 bytes.
    const [plain] = await rig.ask(transferRequest(APEX, serial), 'udp');
    assert.equal(decodeMessage(plain).answer.map(serialOf), [current]);
    const [large] = await rig.ask(withOpt(transferRequest(APEX, serial)), 'udp');
    assert.ok(large.length > 512 && large.length <= 1232);
    await put(30, 200);
    const [more] = await rig.ask(withOpt(transferRequest(APEX, serial)), 'udp');
    assert.is(decodeMessage(more).answer.length, 1);
  }));

/** What one account has of three. */
const TWO_SLOTS = { options: { slots: new FairSlots({ slots: 3, queue: 10 }) } };

test('concurrent transfers are limited; a waiting client that leaves frees no slot, a finished one does', () =>
  withTransfers(async (rig) => {
    await withZone(rig, 2000);
    const begin = (cancelled: AbortSignal) =>
      rig
        .answer({ message: transferRequest(APEX), address: '127.0.0.1', port: 53, transport: 'tcp', cancelled })
        [Symbol.asyncIterator]();
    const never = new AbortController().signal;
    const [first, second] = [begin(never), begin(never)];
    assert.not.ok((await first.next()).done);
    assert.not.ok((await second.next()).done);
    const leaving = new AbortController();
    const left = begin(leaving.signal).next();
    let third = 'waits';
    const waiting = begin(never);
    const begun = waiting.next().then(() => {
      third = 'goes';
    });
    await setImmediate();
    leaving.abort();
    assert.ok((await left).done);
    assert.is(third, 'waits');
    await first.return?.();
    await begun;
    assert.is(third, 'goes');
    await waiting.return?.();
    await second.return?.();
  }, TWO_SLOTS));

for (const kind of ['AXFR', 'IXFR'])
  test(`${kind}: a client that reads too slowly is disconnected`, () => {
    let now = 0;
    return withTransfers(
      async (rig) => {
        const { environment, journal, reader } = rig.store;
        const domain = await withZone(rig);
        await rig.records(transferRequest(APEX));
        const { serial } = reader.zoneState(domain.id);
        await write(environment, journal, 'test', (draft) => {
          for (let i = 0; i < 3000; i++) draft.put(records, addressRecord(domain, `more${i}`));
        });
        const request = kind === 'AXFR' ? transferRequest(APEX) : transferRequest(APEX, serial);
        const take = async (step: number): Promise<number> => {
          let messages = 0;
          const cancelled = new AbortController().signal;
          const client = { address: '127.0.0.1', port: 53, transport: 'tcp', cancelled } as const;
          for await (const message of rig.answer({ message: request, ...client })) {
            assert.ok(message.length > 0);
            messages++;
            now += step;
          }
          return messages;
        };
        assert.ok((await take(5000)) > 2);
        for (let i = 0; i < 3; i++)
          await take(61_000).then(
            () => assert.unreachable(),
            (error: Error) => assert.match(error.message, /too slowly/),
          );
        assert.ok((await take(0)) > 2, 'its slot is free again');
      },
      { options: { now: () => now } },
    );
  });

test('a held zone is SERVFAIL with an extended error, and transferred when it is published', async () => {
  const holds = new Holds(50);
  await withTransfers(
    async (rig) => {
      const { id } = await withZone(rig);
      const reason = {};
      holds.loaded();
      holds.hold(reason, id);
      for (const request of [transferRequest(APEX), transferRequest(APEX, 1)]) {
        const [message] = await rig.ask(withOpt(request));
        const { rcode, opt } = decodeMessage(message);
        assert.equal([rcode, Buffer.from(opt!.options)], [RCODE.SERVFAIL, Buffer.of(0, 15, 0, 2, 0, 14)]);
      }
      assert.is(rig.histories.size.zones, 0);
      holds.release(reason);
      assert.is((await rig.records(transferRequest(APEX))).filter(({ type }) => type === TYPE.A).length, 3);
    },
    { options: { holds } },
  );
});

test('a request waits for the publication of a zone', async () => {
  const holds = new Holds();
  await withTransfers(
    async (rig) => {
      const { id } = await withZone(rig);
      const reason = {};
      holds.hold(reason, id);
      const transfer = rig.records(transferRequest(APEX));
      await setImmediate();
      holds.loaded();
      await setImmediate();
      holds.release(reason);
      assert.is((await transfer).filter(({ type }) => type === TYPE.A).length, 3);
    },
    { options: { holds } },
  );
});

test.run();
