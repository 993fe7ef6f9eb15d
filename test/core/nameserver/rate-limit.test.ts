/**
 * The account of a response and the verdict on it: the query path over a zone, followed by the
 * limit, with a clock of the test.
 */
import { MessageChannel } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import {
  createRateLimit,
  RateLimiter,
  type RateLimitOptions,
  truncate,
  VERDICT,
} from '../../../core/nameserver/rate-limit.ts';
import { Client } from '../../../core/net/address/client.ts';
import { IndexWriter } from '../../../core/store/index/writer.ts';
import { IndexReader } from '../../../core/zone/answer/index-reader.ts';
import { COOKIE } from '../../../core/zone/answer/query.ts';
import { Responder } from '../../../core/zone/answer/responder.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { APEX, a, putZone, record, UDP_PAYLOAD, ZONE } from './fixture.ts';

const RATE = 5;
const OPTIONS: RateLimitOptions = { rate: RATE, slip: 0, allow: false, ipv4Prefix: 24, ipv6Prefix: 56 };

const RECORDS = [
  ...ZONE,
  a('*.wild', 192, 0, 2, 9),
  a('*.wild2', 192, 0, 2, 9),
  a('deep.er.branch', 192, 0, 2, 9),
  record('cut', TYPE.NS, parseName('ns.elsewhere.test.')),
  record('cut2', TYPE.NS, parseName('ns.elsewhere.test.')),
  record('moved', TYPE.DNAME, parseName(`branch.${APEX}.`)),
];

/** 192.0.2.1, or an IPv6 address, as bytes. */
const bytesOf = (address: string): Uint8Array => {
  const groups = address.split(address.includes(':') ? ':' : '.');
  return groups.length === 4
    ? Uint8Array.from(groups, Number)
    : Uint8Array.from(groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]));
};

class Path {
  readonly responder: Responder;
  readonly bytes = new Uint8Array(UDP_PAYLOAD + 512);
  readonly #reader: IndexReader;
  readonly #limiter: RateLimiter;
  readonly #client = new Client();

  constructor(options: Partial<RateLimitOptions> = {}) {
    const index = new IndexWriter(16 << 20);
    putZone(index, RECORDS);
    const { port1, port2 } = new MessageChannel();
    port1.unref();
    port2.unref();
    this.#reader = new IndexReader(index.share(port1), 1, port2, {
      refresh: () => {},
      fetch: () => 0,
      fetchEntry: () => 0,
    });
    this.responder = new Responder(this.#reader, UDP_PAYLOAD);
    this.#limiter = new RateLimiter(createRateLimit({ ...OPTIONS, ...options })!);
    this.#limiter.startBatch(0);
  }

  at(milliseconds: number): void {
    this.#limiter.startBatch(milliseconds);
  }

  respond(name: string, type: number, edns = false, start = 0): number {
    const packet = encodeQuery(
      { name: parseName(`${name}.`), type, class: 1, edns: edns ? { version: 0, size: 1232, do: true } : undefined },
      7,
    );
    // parseName converts to lower case; a client need not.
    if (/^[A-Z]/.test(name)) for (let i = 13; packet[i] !== 0; i++) if (packet[i] >= 0x61) packet[i] -= 0x20;
    this.bytes.set(packet, start);
    this.#reader.enter();
    const length = this.responder.respond(this.bytes, start, packet.length, this.#client);
    this.#reader.leave();
    return length;
  }

  /** The verdict on the response to one query. */
  ask(name: string, type: number, from: string, cookie: number = COOKIE.NONE): number {
    const address = bytesOf(from);
    this.#client.setAddress(address, 0, address.length);
    this.respond(name, type);
    this.responder.query.cookie = cookie;
    return this.#limiter.judge(this.bytes, 0, this.responder.query, this.#client);
  }

  /** The number of sent responses to `count` queries. */
  sent(count: number, name: (i: number) => string, type: number, from: (i: number) => string): number {
    let sent = 0;
    for (let i = 0; i < count; i++) if (this.ask(name(i), type, from(i)) === VERDICT.SEND) sent++;
    return sent;
  }
}

const V4 = '192.0.2.1';
const test = suite('rate limit');

interface Case {
  readonly what: string;
  readonly name: (i: number) => string;
  readonly type: number;
  /** True if all names share one account. Otherwise each has its own. */
  readonly shared: boolean;
}

const CASES: readonly Case[] = [
  { what: 'one name', name: () => `host1.${APEX}`, type: TYPE.A, shared: true },
  {
    what: 'one name in upper and lower case',
    name: (i) => `${i % 2 ? 'HOST1' : 'host1'}.${APEX}`,
    type: TYPE.A,
    shared: true,
  },
  { what: 'existing names', name: (i) => `host${i}.${APEX}`, type: TYPE.A, shared: false },
  { what: 'NODATA of one name', name: () => `host1.${APEX}`, type: TYPE.MX, shared: true },
  { what: 'NODATA of existing names', name: (i) => `host${i}.${APEX}`, type: TYPE.MX, shared: false },
  { what: 'random names', name: (i) => `x${i}.${APEX}`, type: TYPE.A, shared: true },
  { what: 'random names at any depth', name: (i) => `x.host${i}.${APEX}`, type: TYPE.A, shared: true },
  {
    what: 'random names below an empty non-terminal',
    name: (i) => `x${i}.er.branch.${APEX}`,
    type: TYPE.A,
    shared: true,
  },
  { what: 'random names of a wildcard', name: (i) => `x${i}.wild.${APEX}`, type: TYPE.A, shared: true },
  { what: 'NODATA of a wildcard', name: (i) => `x${i}.wild.${APEX}`, type: TYPE.TXT, shared: true },
  { what: 'random names below a delegation', name: (i) => `x${i}.cut.${APEX}`, type: TYPE.A, shared: true },
  { what: 'random names below a DNAME', name: (i) => `x${i}.moved.${APEX}`, type: TYPE.A, shared: true },
  { what: 'names outside of all zones', name: (i) => `x${i}.elsewhere.test`, type: TYPE.A, shared: true },
  { what: 'names whose answer is truncated', name: () => `long.${APEX}`, type: TYPE.TXT, shared: true },
];

for (const { what, name, type, shared } of CASES)
  test(`${what}: ${shared ? 'one account' : 'separate accounts'}`, () => {
    const count = RATE * 6;
    assert.is(
      new Path().sent(count, name, type, () => V4),
      shared ? RATE : count,
    );
  });

test('the cases have the expected response codes', () => {
  const path = new Path();
  const codeOf = (name: string, type: number): number => {
    const length = path.respond(name, type);
    return decodeMessage(path.bytes.slice(0, length)).rcode;
  };
  assert.is(codeOf(`x.host3.${APEX}`, TYPE.A), RCODE.NXDOMAIN);
  assert.is(codeOf(`x.er.branch.${APEX}`, TYPE.A), RCODE.NXDOMAIN);
  assert.is(codeOf(`x.wild.${APEX}`, TYPE.A), RCODE.NOERROR);
  assert.is(codeOf('x.elsewhere.test', TYPE.A), RCODE.REFUSED);
});

test('accounts of other classes, wildcards, delegations and networks are not affected', () => {
  const path = new Path();
  const exhaust: readonly [string, number][] = [
    [`x.${APEX}`, TYPE.A],
    [`host1.${APEX}`, TYPE.A],
    [`x.wild.${APEX}`, TYPE.A],
    [`x.cut.${APEX}`, TYPE.A],
    ['elsewhere.test', TYPE.A],
  ];
  for (const [name, type] of exhaust) for (let i = 0; i < RATE * 3; i++) path.ask(name, type, V4);
  for (const [name, type] of exhaust) assert.is(path.ask(name, type, V4), VERDICT.DROP, name);
  for (const [name, type] of [
    [`host1.${APEX}`, TYPE.MX],
    [`host2.${APEX}`, TYPE.A],
    [`x.wild2.${APEX}`, TYPE.A],
    [`x.cut2.${APEX}`, TYPE.A],
  ] as const)
    assert.is(path.ask(name, type, V4), VERDICT.SEND, name);
  for (const [name, type] of exhaust) assert.is(path.ask(name, type, '192.0.3.1'), VERDICT.SEND, name);
});

test('a network is a /24 or a /56 unless configured; an IPv4-mapped address is IPv4', () => {
  const name = (): string => `host1.${APEX}`;
  const at = (options: Partial<RateLimitOptions>, from: (i: number) => string): number =>
    new Path(options).sent(40, name, TYPE.A, from);
  assert.is(
    at({}, (i) => `192.0.2.${i}`),
    RATE,
  );
  assert.is(
    at({}, (i) => `192.0.${i}.1`),
    40,
  );
  assert.is(
    at({ ipv4Prefix: 32 }, (i) => `192.0.2.${i}`),
    40,
  );
  assert.is(
    at({ ipv4Prefix: 8 }, (i) => `192.${i}.${i}.${i}`),
    RATE,
  );
  assert.is(
    at({}, (i) => `2001:db8:0:${i.toString(16)}:${i}:0:0:1`),
    RATE,
  );
  assert.is(
    at({}, (i) => `2001:db8:0:${i.toString(16)}00:0:0:0:1`),
    40,
  );
  assert.is(
    at({ ipv6Prefix: 64 }, (i) => `2001:db8:0:${i.toString(16)}:0:0:0:1`),
    40,
  );
  assert.is(
    at({ ipv6Prefix: 32 }, (i) => `2001:db8:${i}:0:0:0:0:1`),
    RATE,
  );
  assert.is(
    at({}, (i) => (i % 2 ? '192.0.2.1' : '0:0:0:0:0:ffff:c000:201')),
    RATE,
  );
});

test('tokens return over time', () => {
  const path = new Path();
  const burst = (): number =>
    path.sent(
      50,
      () => `x.${APEX}`,
      TYPE.A,
      () => V4,
    );
  assert.is(burst(), RATE);
  path.at(200);
  assert.is(burst(), 1);
  path.at(600);
  assert.is(burst(), 2);
  path.at(60_000);
  assert.is(burst(), RATE);
});

test('a valid cookie exempts from the limit, any other does not', () => {
  const path = new Path();
  for (let i = 0; i < RATE; i++) path.ask(`x.${APEX}`, TYPE.A, V4);
  for (const cookie of [COOKIE.NONE, COOKIE.CLIENT, COOKIE.BAD])
    assert.is(path.ask(`x.${APEX}`, TYPE.A, V4, cookie), VERDICT.DROP, `${cookie}`);
  for (let i = 0; i < 100; i++) assert.is(path.ask(`x.${APEX}`, TYPE.A, V4, COOKIE.VALID), VERDICT.SEND);
});

test('an exempt client is not limited, regardless of its network', () => {
  const path = new Path({ allow: ['192.0.2.7/32', '2001:db8::/32'] });
  for (let i = 0; i < 50; i++) {
    assert.is(path.ask(`x.${APEX}`, TYPE.A, '192.0.2.7'), VERDICT.SEND);
    assert.is(path.ask(`x.${APEX}`, TYPE.A, '2001:db8:0:0:0:0:0:9'), VERDICT.SEND);
  }
  assert.is(path.ask(`x.${APEX}`, TYPE.A, '192.0.2.8'), VERDICT.DROP);
});

for (const slip of [0, 1, 2, 3])
  test(`slip ${slip}: every slip-th limited response is truncated`, () => {
    const path = new Path({ slip });
    const verdicts = Array.from({ length: RATE + 60 }, () => path.ask(`x.${APEX}`, TYPE.A, V4));
    assert.equal(verdicts.splice(0, RATE), new Array(RATE).fill(VERDICT.SEND));
    verdicts.forEach((verdict, i) => {
      assert.is(verdict, slip > 0 && (i + 1) % slip === 0 ? VERDICT.SLIP : VERDICT.DROP);
    });
  });

test('rate 0 and allow "all" disable the limit', () => {
  assert.is(createRateLimit({ ...OPTIONS, rate: 0 }), null);
  assert.is(createRateLimit({ ...OPTIONS, allow: true }), null);
});

test('a truncated response has header, question and OPT, with TC set, and keeps its code', () => {
  const path = new Path();
  const names: readonly [string, number][] = [
    [`host1.${APEX}`, TYPE.A],
    [APEX, TYPE.NS],
    [APEX, TYPE.SOA],
    [`x.${APEX}`, TYPE.A],
    [`host1.${APEX}`, TYPE.MX],
    [`x.cut.${APEX}`, TYPE.A],
    [`deep.er.moved.${APEX}`, TYPE.A],
    [`medium.${APEX}`, TYPE.TXT],
    [`long.${APEX}`, TYPE.TXT],
  ];
  for (const [name, type] of names)
    for (const edns of [false, true])
      for (const start of [0, 67]) {
        const length = path.respond(name, type, edns, start);
        const before = decodeMessage(path.bytes.slice(start, start + length));
        const left = truncate(path.bytes, start, length, path.responder.query);
        const after = decodeMessage(path.bytes.slice(start, start + left));
        const context = `${name} ${type} ${edns}`;
        assert.equal(after.header, { ...before.header, tc: true }, context);
        assert.equal(after.question, before.question, context);
        assert.equal([after.answer, after.authority, after.additional], [[], [], []], context);
        assert.equal(after.opt, before.opt, context);
        assert.is(left, 12 + before.question.length + (edns ? 11 : 0), context);
      }
});

test.run();
