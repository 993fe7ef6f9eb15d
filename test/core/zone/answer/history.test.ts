/**
 * One object answers all packets of a thread. The response to a packet, and the data for counters
 * and rate limits, must not depend on earlier packets.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EDNS_OPTION } from '../../../../core/dns/wire/edns.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { TRANSPORT } from '../../../../core/net/address/client.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { Asker, option, queryWith } from './fixture.ts';

const asker = new Asker({ cookies: 'require', nsid: 'node', version: 'v', identity: 'i' });

// The clock is frozen, since cookies contain the current second.
const now = Date.now();
Date.now = () => now;

/** A cookie of ours, which is the last option of the response. */
const GIVEN = asker
  .ask(queryWith(option(EDNS_OPTION.COOKIE, [1, 2, 3, 4, 5, 6, 7, 8])), TRANSPORT.TCP)
  .response.slice(-24);

const TSIG = [0, 0, TYPE.TSIG, 0, 255, 0, 0, 0, 0, 0, 0];
const options = fc.array(
  fc.oneof(
    fc.constantFrom(
      option(EDNS_OPTION.COOKIE, GIVEN),
      option(EDNS_OPTION.COOKIE, [...GIVEN.slice(0, 23), 0]),
      option(EDNS_OPTION.COOKIE, GIVEN.slice(0, 8)),
      option(EDNS_OPTION.COOKIE, [1]),
      option(EDNS_OPTION.NSID),
      option(EDNS_OPTION.TCP_KEEPALIVE),
      option(EDNS_OPTION.TCP_KEEPALIVE, [0]),
      option(EDNS_OPTION.PADDING, [0, 0]),
      [0, 3, 0],
    ),
  ),
  { maxLength: 4 },
);
const query = fc
  .record({
    options,
    name: fc.constantFrom('host1', 'none', 'medium', 'long', 'a.b.c.d').map((name) => `${name}.example.test`),
    elsewhere: fc.constantFrom(undefined, undefined, 'elsewhere.test', 'version.bind'),
    type: fc.constantFrom(TYPE.A, TYPE.A, TYPE.TXT, TYPE.ANY, TYPE.DS, TYPE.AXFR, TYPE.OPT, 250),
    class: fc.constantFrom(1, 1, 1, 3, 255),
    version: fc.constantFrom(0, 0, 0, 1),
    size: fc.constantFrom(0, 512, 1232, 65_535),
    bare: fc.constantFrom(false, false, false, true),
    hasOpt: fc.constantFrom(true, true, false),
    dnssecOk: fc.boolean(),
    isSigned: fc.constantFrom(false, false, false, true),
    flags: fc.constantFrom(0, 0, 0, 0x01, 0x20, 0x28, 0x30, 0x80),
    /** Bytes to cut off the end, and a byte to change. */
    cut: fc.constantFrom(0, 0, 0, 1, 5, 12, 30),
    change: fc.constantFrom(null, null, [4, 1], [5, 2], [7, 1], [9, 1], [11, 0], [11, 3], [12, 0xc0]),
  })
  .map((packet) => {
    const list = packet.options.flat();
    const whole = [...queryWith(list, { ...packet, name: packet.elsewhere ?? packet.name })];
    // The flags of OPT, before RDLENGTH (RFC 6891 section 6.1.3).
    if (packet.dnssecOk) whole[whole.length - list.length - 4] = 0x80;
    if (!packet.hasOpt) {
      whole.length -= 11 + list.length;
      whole[11] = 0;
    }
    if (packet.isSigned) {
      whole.push(...TSIG);
      whole[11]++;
    }
    whole[2] = packet.flags;
    if (packet.change !== null) whole[packet.change[0]] = packet.change[1];
    return Uint8Array.from(whole.slice(0, whole.length - packet.cut));
  });
const transport = fc.constantFrom(...Object.values(TRANSPORT));

function respond(packet: Uint8Array, over: number): unknown {
  const { length, response } = asker.ask(packet, over);
  const { query: state } = asker;
  const { cookie, account, requestedOptions, hasOpt, dnssecOk, questionEnd } = state;
  // A deferred message has no response yet, and an ignored message never has one.
  const rcode = length > 0 ? state.rcode : null;
  const type = questionEnd === 0 ? null : state.type;
  return {
    length,
    hex: Buffer.from(response).toString('hex'),
    cookie,
    account,
    asked: requestedOptions,
    hasOpt,
    dnssecOk,
    rcode,
    type,
  };
}

test('earlier packets do not affect a response', () => {
  const run = fc.check(
    fc.property(
      fc.array(fc.tuple(query, transport), { minLength: 1, maxLength: 3 }),
      query,
      transport,
      (before, packet, over) => {
        for (const [earlier, way] of before) respond(earlier, way);
        const after = respond(packet, over);
        asker.reset();
        assert.equal(after, respond(packet, over));
      },
    ),
    { numRuns: depth({ quick: 500, moderate: 1250, full: 100_000 }) },
  );
  assert.not.ok(run.failed, `seed ${run.seed}: ${JSON.stringify(run.counterexample)} ${String(run.errorInstance)}`);
});

test.run();
