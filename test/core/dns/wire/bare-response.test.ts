/** Responses without records, as bytes. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bareResponse, questionEnd } from '../../../../core/dns/wire/bare-response.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { RCODE } from '../../../../core/dns/wire/types.ts';
import fc from '../../../support/fc.ts';
import { decodeMessage } from '../../../support/message.ts';
import { SEED } from '../../../support/seed.ts';
import { deleteName, encodeUpdate } from '../../../support/update-message.ts';

const ZONE = parseName('example.net.');
const OPT = { udpSize: 4096, dnssecOk: false };
const hex = (response: Uint8Array): string => Buffer.from(response).toString('hex');

/** A query of type A with RD, CD and AD. */
const query = (name: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(0xbe, 0xef, 0x01, 0x30, 0, 1, 0, 0, 0, 0, 0, 0), name, Buffer.of(0, 1, 0, 1)]);

test('id, opcode, question and RD are returned, and no other flag', () => {
  const text = Buffer.from('\x07eXAMple\x03Net\0', 'latin1');
  assert.is(hex(bareResponse(query(text), RCODE.REFUSED)), `beef81050001000000000000${hex(text)}00010001`);
});

test('the response to an update has its zone, and no RD', () => {
  const message = encodeUpdate({ zone: ZONE, updates: [deleteName('a.example.net.')], id: 0xbeef });
  message[2] |= 1;
  assert.is(hex(bareResponse(message, RCODE.NOTZONE)), `beefa80a0001000000000000${hex(ZONE)}00060001`);
});

test('OPT takes the upper bits of the code, and options', () => {
  const start = `beef81000001000000000001${hex(ZONE)}00010001`;
  assert.is(hex(bareResponse(query(ZONE), RCODE.BADVERS, OPT)), `${start}00002904d0010000000000`);
  // DO comes back (RFC 3225).
  const signed = { ...OPT, dnssecOk: true };
  assert.is(hex(bareResponse(query(ZONE), RCODE.REFUSED, signed)).slice(-22), '00002904d0000080000000');
  const option = Uint8Array.of(0, 15, 0, 2, 0, 18);
  assert.is(
    hex(bareResponse(query(ZONE), RCODE.REFUSED, OPT, option)),
    `beef81050001000000000001${hex(ZONE)}0001000100002904d0000000000006000f00020012`,
  );
});

test('without one question that can be read it is the header alone', () => {
  const two = query(ZONE);
  two[5] = 2;
  const pointer = query(Buffer.of(0xc0, 0));
  const long = query(Buffer.concat([...Array.from({ length: 130 }, () => Buffer.of(1, 0x61)), Buffer.of(0)]));
  for (const message of [two, pointer, long, query(ZONE).subarray(0, -1), query(ZONE).subarray(0, 12)]) {
    assert.is(questionEnd(message), 12);
    assert.is(hex(bareResponse(message, RCODE.FORMERR)), 'beef81010000000000000000');
  }
});

test(`any bytes give a readable response, and are not changed, seed ${SEED}`, () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 12, maxLength: 60 }), fc.boolean(), (bytes, edns) => {
      const before = hex(bytes);
      const { header, rcode } = decodeMessage(bareResponse(bytes, RCODE.SERVFAIL, edns ? OPT : null));
      assert.is(header.qr, true);
      assert.is(rcode, RCODE.SERVFAIL);
      assert.is(hex(bytes), before);
    }),
    { seed: SEED },
  );
});

test.run();
