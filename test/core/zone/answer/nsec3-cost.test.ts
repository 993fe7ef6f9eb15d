/** The cost of proofs, which the primary of a zone decides, is bounded in SHA-1 blocks. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { costInIterations, saltedHashBlocks } from '../../../../core/dns/dnssec/nsec3.ts';
import { EDNS_OPTION, EXTENDED_ERROR } from '../../../../core/dns/wire/edns.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { RCODE, type ResourceRecord, TYPE } from '../../../../core/dns/wire/types.ts';
import { TCP_LIMIT, UDP_LIMIT } from '../../../reference/compare.ts';
import { presign } from '../../../reference/presigned.ts';
import { expensiveZone } from '../../../support/expensive-zone.ts';
import { InProcess } from '../../../support/in-process.ts';
import { decodeMessage, encodeQuery, type Message } from '../../../support/message.ts';

const apex = parseName('costly.test.');
const server = new InProcess();

function ask(owner: string, type: number, limit = TCP_LIMIT, dnssecOk = true): Message {
  const edns = { version: 0, size: 4096, do: dnssecOk };
  const name = owner === '@' ? apex : parseName(owner, apex);
  return decodeMessage(server.answer(encodeQuery({ name, type, class: 1, edns }, 1), limit)!);
}

/** INFO-CODE of the extended error (RFC 8914); undefined: there is none. */
function errorOf({ opt }: Message): number | undefined {
  const options = Buffer.from(opt!.options);
  assert.ok(options.length === 0 || options.readUInt16BE(0) === EDNS_OPTION.EXTENDED_ERROR);
  return options.length === 0 ? undefined : options.readUInt16BE(4);
}

const deep = (labels: number): string => Array.from({ length: labels }, () => 'a').join('.');

function optOutZone(owner: string, iterations: number): ResourceRecord[] {
  const at = (name: string, type: number, rdata: Uint8Array): ResourceRecord => ({
    name: name === '@' ? apex : parseName(name, apex),
    type,
    ttl: 300,
    rdata,
  });
  const records = [
    at('@', TYPE.SOA, Buffer.concat([apex, apex, Buffer.alloc(20, 1)])),
    at('@', TYPE.NS, parseName('ns.example.')),
    at(owner, TYPE.NS, parseName('ns.example.')),
  ];
  return presign(records, { denial: 'nsec3', iterations, salt: new Uint8Array(0), isOptOut: true, keys: 1 });
}

test('the salt counts in the cost of a hash', () => {
  assert.is(saltedHashBlocks(20, 0, 0), 1);
  assert.is(saltedHashBlocks(255, 255, 0), 9);
  assert.is(saltedHashBlocks(20, 35, 50), 51);
  assert.is(saltedHashBlocks(20, 36, 50), 102);
  assert.is(saltedHashBlocks(20, 255, 500), 5 * 501);
  assert.is(costInIterations({ iterations: 50, salt: new Uint8Array(35) }), 50);
  assert.is(costInIterations({ iterations: 20, salt: new Uint8Array(255) }), 104);
});

test('a chain of wildcards with many iterations and a large salt is SERVFAIL, over UDP and TCP', () => {
  server.loadSigned(expensiveZone(apex, { iterations: 500, salt: 255, links: 9 }));
  for (const limit of [UDP_LIMIT, TCP_LIMIT]) {
    const message = ask('q.0', TYPE.A, limit);
    assert.is(message.rcode, RCODE.SERVFAIL);
    assert.is(errorOf(message), EXTENDED_ERROR.UNSUPPORTED_NSEC3_ITERATIONS);
    assert.equal([message.answer.length, message.authority.length, message.header.aa], [0, 0, false]);
  }
  assert.is(ask('x.ns', TYPE.A).rcode, RCODE.SERVFAIL);
});

test('names of such a zone whose answers need no hash are answered', () => {
  assert.is(ask('q.0', TYPE.A, TCP_LIMIT, false).answer.length, 10);
  assert.is(ask('ns', TYPE.A).answer.length, 1);
  assert.is(ask('@', TYPE.SOA).rcode, RCODE.NOERROR);
  server.loadSigned(optOutZone('a.b.sub', 500));
  const noData = ask('@', TYPE.MX);
  assert.equal([noData.rcode, noData.authority.length], [RCODE.NOERROR, 4]);
  assert.is(ask('absent', TYPE.A).rcode, RCODE.SERVFAIL);
});

test('the bound is of the whole chain', () => {
  for (const [links, rcode] of [
    [2, RCODE.NOERROR],
    [3, RCODE.SERVFAIL],
  ] as const) {
    server.loadSigned(expensiveZone(apex, { iterations: 50, salt: 0, links }));
    assert.is(ask('q.0', TYPE.A).rcode, rcode, `${links} links`);
  }
  server.loadSigned(expensiveZone(apex, { iterations: 0, salt: 0, links: 15 }));
  const message = ask('q.0', TYPE.A);
  assert.is(message.rcode, RCODE.NOERROR);
  assert.is(message.answer.length, 16);
});

test('with 50 iterations, each kind of denial is answered, also in an opt-out span', () => {
  server.loadSigned(optOutZone('a.b.sub', 50));
  for (const [name, type, rcode] of [
    ['absent', TYPE.A, RCODE.NXDOMAIN],
    ['@', TYPE.MX, RCODE.NOERROR],
    ['x.b.sub', TYPE.A, RCODE.NXDOMAIN],
    ['a.b.sub', TYPE.DS, RCODE.NOERROR],
    ['x.a.b.sub', TYPE.A, RCODE.NOERROR],
  ] as const) {
    const message = ask(name, type);
    assert.is(message.rcode, rcode, name);
    assert.ok(
      message.authority.some(({ type: shown }) => shown === TYPE.NSEC3),
      name,
    );
  }
});

test('a walk to a far closest encloser is bounded, also without iterations', () => {
  for (const [labels, iterations, rcode] of [
    [10, 0, RCODE.NOERROR],
    [110, 0, RCODE.SERVFAIL],
    [10, 50, RCODE.SERVFAIL],
  ] as const) {
    server.loadSigned(optOutZone(deep(labels), iterations));
    const message = ask(deep(labels), TYPE.DS);
    assert.is(message.rcode, rcode, `${labels} labels`);
    if (rcode !== RCODE.SERVFAIL) continue;
    const { OTHER, UNSUPPORTED_NSEC3_ITERATIONS } = EXTENDED_ERROR;
    assert.is(errorOf(message), iterations === 0 ? OTHER : UNSUPPORTED_NSEC3_ITERATIONS);
  }
});

test.run();
