/** EDNS options in the query path, over each transport. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EDNS_OPTION, EXTENDED_ERROR } from '../../../../core/dns/wire/edns.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { RCODE, TYPE } from '../../../../core/dns/wire/types.ts';
import { TRANSPORT } from '../../../../core/net/address/client.ts';
import { ANSWER_AA, ANSWER_STALE, encodeNode } from '../../../../core/store/answers.ts';
import { COOKIE } from '../../../../core/zone/answer/query.ts';
import { DEFERRED } from '../../../../core/zone/answer/responder.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { decodeMessage, type Message } from '../../../support/message.ts';
import { a, putZone, record, ZONE } from '../../nameserver/fixture.ts';
import { Asker, extendedError, option, type QueryFields, queryWith, readOptions } from './fixture.ts';

const { UDP, TCP, TLS, HTTPS } = TRANSPORT;
const TRANSPORTS = [UDP, TCP, TLS, HTTPS];
const CLIENT_COOKIE = [1, 2, 3, 4, 5, 6, 7, 8];

const plain = new Asker({ cookies: 'off' });
const on = new Asker({ cookies: 'on' });
const strict = new Asker({ cookies: 'require' });

function send(asker: Asker, options: readonly number[], fields: QueryFields = {}, transport: number = UDP): Message {
  return decodeMessage(asker.ask(queryWith(options, fields), transport).response);
}

const codes = (message: Message): number[] => readOptions(message.opt!.options).map(([code]) => code);
const cookieIn = (message: Message): number[] | undefined => {
  const found = readOptions(message.opt!.options).find(([code]) => code === EDNS_OPTION.COOKIE)?.[1];
  return found === undefined ? undefined : [...found];
};
const cookie = (data: readonly number[]): number[] => option(EDNS_OPTION.COOKIE, data);

/** Cookies that `on` and `strict` gave to their client. */
const GIVEN = cookieIn(send(on, cookie(CLIENT_COOKIE)))!;
const FORGED = [...GIVEN.slice(0, -1), GIVEN[GIVEN.length - 1] ^ 1];

test('a client cookie is answered by a full cookie, which is valid from then on', () => {
  assert.is(on.query.cookie, COOKIE.CLIENT);
  assert.equal(GIVEN.slice(0, 8), CLIENT_COOKIE);
  assert.is(GIVEN.length, 24);
  for (const transport of TRANSPORTS) {
    const message = send(on, cookie(GIVEN), {}, transport);
    assert.is(on.query.cookie, COOKIE.VALID);
    assert.equal([message.rcode, message.answer.length, cookieIn(message)], [RCODE.NOERROR, 1, GIVEN]);
  }
  send(on, []);
  assert.is(on.query.cookie, COOKIE.NONE);
});

test('an invalid cookie is answered as if the client had none', () => {
  for (const data of [FORGED, GIVEN.slice(0, 16), [...GIVEN, ...new Array<number>(16).fill(0)]]) {
    const message = send(on, cookie(data));
    assert.is(on.query.cookie, COOKIE.BAD);
    assert.equal([message.rcode, message.answer.length], [RCODE.NOERROR, 1]);
    assert.equal(cookieIn(message)!.length, 24);
    send(on, cookie(cookieIn(message)!));
    assert.is(on.query.cookie, COOKIE.VALID);
  }
});

test('when cookies are required, a client that sends a cookie over UDP needs a valid one', () => {
  for (const data of [CLIENT_COOKIE, FORGED]) {
    const message = send(strict, cookie(data));
    assert.equal([message.rcode, message.header.aa, message.answer.length], [RCODE.BADCOOKIE, false, 0]);
    assert.is(strict.query.rcode, RCODE.BADCOOKIE);
    const again = send(strict, cookie(cookieIn(message)!));
    assert.equal([again.rcode, again.answer.length], [RCODE.NOERROR, 1]);
    for (const transport of [TCP, TLS, HTTPS])
      assert.is(send(strict, cookie(data), {}, transport).rcode, RCODE.NOERROR);
  }
  assert.is(send(strict, []).rcode, RCODE.NOERROR);
});

test('a cookie with an invalid length is FORMERR; of two cookies, the first counts', () => {
  for (let length = 0; length <= 44; length++) {
    const isSound = length === 8 || (length >= 16 && length <= 40);
    const message = send(on, cookie(new Array<number>(length).fill(9)));
    assert.is(message.rcode, isSound ? RCODE.NOERROR : RCODE.FORMERR, `${length} bytes`);
    assert.equal(codes(message), isSound ? [EDNS_OPTION.COOKIE] : [], `${length} bytes`);
    assert.is(send(plain, cookie(new Array<number>(length).fill(9))).rcode, RCODE.NOERROR);
  }
  const message = send(on, [...cookie(GIVEN), ...cookie([1])]);
  assert.equal([on.query.cookie, cookieIn(message)], [COOKIE.VALID, GIVEN]);
  assert.is(send(on, [...cookie([1]), ...cookie(GIVEN)]).rcode, RCODE.FORMERR);
});

test('a query may consist of a cookie without a question (RFC 7873 section 5.4)', () => {
  for (const asker of [on, strict])
    for (const [data, rcode] of [
      [CLIENT_COOKIE, RCODE.NOERROR],
      [GIVEN, RCODE.NOERROR],
      [FORGED, RCODE.BADCOOKIE],
    ] as const) {
      const message = send(asker, cookie(data), { bare: true });
      assert.equal([message.rcode, message.question.length, codes(message)], [rcode, 0, [EDNS_OPTION.COOKIE]]);
      send(asker, cookie(cookieIn(message)!), { bare: true });
      assert.is(asker.query.cookie, COOKIE.VALID);
    }
  for (const [options, asker] of [
    [[], on],
    [option(EDNS_OPTION.NSID), on],
    [cookie([1]), on],
    [cookie(CLIENT_COOKIE), plain],
  ] as const) {
    const message = send(asker, options, { bare: true });
    assert.equal([message.rcode, codes(message).includes(EDNS_OPTION.COOKIE)], [RCODE.FORMERR, false]);
  }
  // Not in a later EDNS version, whose options are unknown.
  assert.is(send(on, cookie(CLIENT_COOKIE), { bare: true, version: 1 }).rcode, RCODE.BADVERS);
});

test('a malformed OPT has no cookie: its response has none, and rate limits apply', () => {
  for (const rest of [[0], [0, 3, 0, 1], option(EDNS_OPTION.NSID).slice(0, 3)]) {
    const message = send(on, [...cookie(GIVEN), ...rest]);
    assert.equal([message.rcode, message.opt, on.query.cookie], [RCODE.FORMERR, undefined, COOKIE.NONE]);
  }
});

test('a signed query with only a cookie has no question and cannot be verified', () => {
  const packet = queryWith(cookie(CLIENT_COOKIE), { bare: true });
  packet[11] = 2;
  const tsig = [0, 0, 250, 0, 255, 0, 0, 0, 0, 0, 0];
  const { length, response } = on.ask(Uint8Array.from([...packet, ...tsig]), UDP);
  assert.is.not(length, DEFERRED);
  assert.is(decodeMessage(response).rcode, RCODE.FORMERR);
});

test('NSID is returned to clients that request it', () => {
  const named = new Asker({ nsid: 'nöde' });
  const options = readOptions(send(named, option(EDNS_OPTION.NSID)).opt!.options);
  assert.equal(options, [[EDNS_OPTION.NSID, new Uint8Array(Buffer.from('nöde'))]]);
  assert.equal(codes(send(named, [])), []);
  assert.equal(codes(send(named, option(EDNS_OPTION.NSID), { version: 1 })), []);
  assert.equal(codes(send(plain, option(EDNS_OPTION.NSID))), []);
});

test('keepalive over TCP and TLS, in units of 100 ms', () => {
  const keepalive = (data: readonly number[]): number[] => option(EDNS_OPTION.TCP_KEEPALIVE, data);
  const asker = new Asker({ tcpIdleTimeout: 25_678 });
  for (const transport of TRANSPORTS)
    for (const data of [[], [0, 0], [1], [1, 2, 3]]) {
      const isHeeded = transport === TCP || transport === TLS;
      const isSound = data.length === 0 || data.length === 2;
      const message = send(asker, keepalive(data), {}, transport);
      assert.is(message.rcode, isHeeded && !isSound ? RCODE.FORMERR : RCODE.NOERROR);
      const expected = isHeeded && isSound ? [[EDNS_OPTION.TCP_KEEPALIVE, Uint8Array.of(1, 0)]] : [];
      assert.equal(readOptions(message.opt!.options), expected);
    }
  const long = send(new Asker({ tcpIdleTimeout: 3_600_000 * 24 }), keepalive([]), {}, TCP);
  assert.equal(readOptions(long.opt!.options)[0][1], Uint8Array.of(0xff, 0xff));
});

test('padding: only over encrypted transports, for clients that pad', () => {
  const padding = option(EDNS_OPTION.PADDING, new Array<number>(5).fill(0));
  for (const transport of TRANSPORTS) {
    const isPadded = transport === TLS || transport === HTTPS;
    assert.equal(codes(send(on, padding, {}, transport)), isPadded ? [EDNS_OPTION.PADDING] : []);
    assert.equal(codes(send(on, [], {}, transport)), []);
  }
  for (let i = 0; i < 600; i++) {
    // Names of many lengths, so that every remainder of a block occurs.
    const name = `${'a'.repeat(1 + (i % 60))}.${'b'.repeat(1 + Math.floor(i / 60))}.example.test`;
    const { response } = on.ask(queryWith([...padding, ...cookie(CLIENT_COOKIE)], { name }), TLS);
    assert.is(response.length % 468, 0, `${response.length} bytes`);
    const options = readOptions(decodeMessage(response).opt!.options);
    assert.equal(
      options.map(([code]) => code),
      [EDNS_OPTION.COOKIE, EDNS_OPTION.PADDING],
    );
    assert.ok(options[1][1].every((byte) => byte === 0));
  }
  const { response } = on.ask(queryWith(padding, { name: 'largest.example.test', type: TYPE.TXT }), TLS);
  assert.ok(response.length > 65_000 && response.length <= 65_535, `${response.length} bytes`);
  assert.not.ok(decodeMessage(response).header.tc);
});

test('an extended error gives the reason to clients with EDNS', () => {
  const error = (query: QueryFields): number | undefined => extendedError(send(on, [], query).opt!.options);
  assert.is(error({ name: 'elsewhere.test' }), EXTENDED_ERROR.NOT_AUTHORITATIVE);
  assert.is(error({ type: 128 }), EXTENDED_ERROR.NOT_SUPPORTED);
  assert.is(error({}), undefined);
  assert.is(error({ name: 'none.example.test' }), undefined);
  // The error of the previous packet is cleared.
  error({ name: 'elsewhere.test' });
  assert.is(error({}), undefined);
  assert.is(error({ name: 'elsewhere.test', version: 1 }), undefined);
});

test('extended errors of answers: stale, or a target that could not be resolved', () => {
  const asker = new Asker();
  const dname = record('moved', TYPE.DNAME, parseName('place.example.test.'));
  putZone(asker.index, [...ZONE, dname, a('stale.place', 192, 0, 2, 1), a('failed.place', 192, 0, 2, 1)]);
  const address = Uint8Array.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 1, 44, 0, 4, 192, 0, 2, 1]);
  const empty = { flags: 0, ancount: 0, nscount: 0, arcount: 0, moves: [], drops: [], body: new Uint8Array(0) };
  for (const [name, answer] of [
    ['stale', { ...empty, rcode: RCODE.NOERROR, flags: ANSWER_AA | ANSWER_STALE, ancount: 1, body: address }],
    ['failed', { ...empty, rcode: RCODE.SERVFAIL }],
  ] as const)
    asker.index.put(encodeNode(0, parseName(`${name}.place.example.test.`), 14, [[TYPE.A, answer]]), false);
  asker.index.publish();
  // Under its own name, and at the end of a chain that is followed per query.
  for (const above of ['place', 'moved']) {
    const stale = send(asker, [], { name: `stale.${above}.example.test` });
    assert.equal([stale.rcode, stale.header.aa, stale.answer.length], [RCODE.NOERROR, true, above === 'place' ? 1 : 3]);
    assert.is(extendedError(stale.opt!.options), EXTENDED_ERROR.STALE_ANSWER);
    const failed = send(asker, [], { name: `failed.${above}.example.test` });
    assert.equal([failed.rcode, failed.header.aa, failed.answer.length], [RCODE.SERVFAIL, false, 0]);
    assert.is(extendedError(failed.opt!.options), EXTENDED_ERROR.NO_REACHABLE_AUTHORITY);
  }
  assert.is(extendedError(send(asker, [], { name: 'other.moved.example.test' }).opt!.options), undefined);
});

test('class CHAOS returns the configured texts, and nothing else', () => {
  const shown = new Asker({ version: 'waypost', identity: 'ns1 of two' });
  const chaos = (asker: Asker, name: string, type: number): { rcode: number; aa: boolean; rest: string } => {
    const packet = queryWith([], { name, type, class: 3 });
    const { response } = asker.ask(packet, UDP);
    const question = packet.length - 11;
    assert.is(response[11], 1);
    return {
      rcode: response[3] & 15,
      aa: (response[2] & 4) !== 0,
      rest: Buffer.from(response.slice(question, -11)).toString('latin1'),
    };
  };
  const txt = (text: string): string =>
    `\xc0\x0c\0\x10\0\x03\0\0\0\0\0${String.fromCharCode(text.length + 1, text.length)}${text}`;
  const refused = { rcode: RCODE.REFUSED, aa: false, rest: '' };
  for (const [name, text] of [
    ['version.bind', 'waypost'],
    ['version.server', 'waypost'],
    ['id.server', 'ns1 of two'],
    ['hostname.bind', 'ns1 of two'],
  ]) {
    for (const type of [TYPE.TXT, TYPE.ANY])
      assert.equal(chaos(shown, name, type), { rcode: RCODE.NOERROR, aa: true, rest: txt(text) });
    assert.equal(chaos(shown, name, TYPE.A), { rcode: RCODE.NOERROR, aa: true, rest: '' });
    assert.equal(chaos(on, name, TYPE.TXT), refused);
  }
  assert.is(chaos(shown, 'VeRsIoN.BiNd', TYPE.TXT).rest, txt('waypost'));
  for (const name of ['authors.bind', 'x.version.bind', 'version.binx', 'bind', 'example.test'])
    assert.equal(chaos(shown, name, TYPE.TXT), refused, name);
});

test('transfers and signed messages, including updates, are not changed', () => {
  const tsig = [0, 0, 250, 0, 255, 0, 0, 0, 0, 0, 0];
  const signed = Uint8Array.from([...queryWith([]), ...tsig]);
  signed[11] = 2;
  const update = signed.slice();
  update[2] = 0x28;
  for (const packet of [signed, update, queryWith([], { type: TYPE.AXFR }), queryWith([], { type: TYPE.IXFR })])
    for (const transport of TRANSPORTS) assert.is(on.ask(packet, transport).length, DEFERRED);
  const expire = queryWith(option(EDNS_OPTION.EXPIRE), { type: TYPE.SOA });
  for (const transport of TRANSPORTS) {
    const isDeferred = transport !== HTTPS;
    assert.is(on.ask(expire, transport).length === DEFERRED, isDeferred, `EXPIRE over ${transport}`);
  }
});

test('with any options, the response is complete, within its limit, and otherwise the same', () => {
  const full = new Asker({ cookies: 'on', nsid: 'n'.repeat(128), version: 'v', identity: 'i' });
  const knownOption = fc.record({
    code: fc.oneof(fc.constantFrom(...Object.values(EDNS_OPTION)), fc.nat(0xffff)),
    data: fc.oneof(fc.constantFrom([], CLIENT_COOKIE, GIVEN, [0, 0]), fc.array(fc.nat(255), { maxLength: 50 })),
  });
  const queries = fc.record({
    name: fc.constantFrom('host1', 'none', 'medium', 'long', 'largest', '@', 'a.b.c.d'),
    type: fc.constantFrom(TYPE.A, TYPE.TXT, TYPE.SOA, TYPE.ANY, TYPE.NS),
    size: fc.integer({ min: 0, max: 1500 }),
  });
  fc.assert(
    fc.property(
      fc.array(knownOption, { maxLength: 6 }),
      queries,
      fc.constantFrom(...TRANSPORTS),
      (list, query, transport) => {
        const options = list.flatMap(({ code, data }) => option(code, data));
        const name = query.name === '@' ? 'example.test' : `${query.name}.example.test`;
        const limit = transport === UDP ? Math.min(Math.max(query.size, 512), 1232) : 65_535;
        const { response, length } = full.ask(queryWith(options, { ...query, name }), transport);
        // EXPIRE.
        if (length === DEFERRED) return;
        assert.ok(response.length <= limit, `${response.length} of ${limit} bytes`);
        const message = decodeMessage(response);
        const heeded = readOptions(message.opt!.options).map(([code]) => code);
        assert.is(new Set(heeded).size, heeded.length);
        for (const code of heeded) assert.ok(list.some((candidate) => candidate.code === code));
        if (message.rcode === RCODE.FORMERR) return;
        const without = decodeMessage(full.ask(queryWith([], { ...query, name }), transport).response);
        assert.is(message.rcode, without.rcode);
        if (message.header.tc) assert.is(message.answer.length, 0);
        else assert.equal([message.answer, message.authority], [without.answer, without.authority]);
      },
    ),
    { numRuns: depth({ quick: 300, moderate: 750, full: 60_000 }) },
  );
});

test('random bytes as options', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.constantFrom(...TRANSPORTS), (rdata, transport) => {
      const { length, response } = on.ask(queryWith([...rdata]), transport);
      assert.ok(length > 0);
      const { rcode } = decodeMessage(response);
      assert.ok(rcode === RCODE.NOERROR || rcode === RCODE.FORMERR);
    }),
    { numRuns: depth({ quick: 300, moderate: 750, full: 60_000 }) },
  );
});

test.run();
