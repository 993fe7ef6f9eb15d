/**
 * Valid, damaged and random messages: each is answered or rejected, and the freshness of an answer
 * equals that of an independent reader.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { freshness } from '../../../../admin-api/zones/doh/routes.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { RCODE, TYPE } from '../../../../core/dns/wire/types.ts';
import { NameserverCounters } from '../../../../core/nameserver/counters.ts';
import { openLocalResponder } from '../../../../core/nameserver/local-responder.ts';
import { NO_MODULES } from '../../../../core/nameserver/query-modules.ts';
import { IndexWriter } from '../../../../core/store/index/writer.ts';
import { PLAIN } from '../../../../core/zone/answer/settings.ts';
import { APEX, a, ask, putZone, record, UDP_PAYLOAD, ZONE } from '../../../core/nameserver/fixture.ts';
import { TCP_LIMIT } from '../../../reference/compare.ts';
import { depth } from '../../../support/depth.ts';
import { QueryPath } from '../../../support/in-process.ts';
import { decodeMessage, type Message } from '../../../support/message.ts';
import { mutate } from '../../../support/mutate.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import { temporaryFolder } from '../../../support/temp.ts';

const CASES = depth({ quick: 10_000, moderate: 20_000, full: 100_000 });
const ADDRESSES = ['127.0.0.1', '192.0.2.255', '::1', '2001:db8:0:0:0:0:0:1', '::ffff:192.0.2.1', 'fe80::1%eth0'];
const NAMES = [
  '@',
  'host1',
  'host99',
  'medium',
  'long',
  'missing',
  'a.b.missing',
  'alias',
  'broken',
  'below.cut',
  'ns',
];
const TYPES = [TYPE.A, TYPE.AAAA, TYPE.NS, TYPE.SOA, TYPE.TXT, TYPE.ANY, TYPE.AXFR, TYPE.DS, TYPE.CNAME];
const RECORDS = [
  ...ZONE,
  record('alias', TYPE.CNAME, parseName(`host1.${APEX}.`), 20),
  record('broken', TYPE.CNAME, parseName(`missing.${APEX}.`), 9),
  record('cut', TYPE.NS, parseName(`ns.cut.${APEX}.`), 77),
  a('ns.cut', 192, 0, 2, 9),
];

const test = suite(`doh, fuzzed, seed ${SEED}`);

/** RFC 8484 5.1 and RFC 2308 section 5, for a message parsed by another reader. */
function expected({ rcode, answer, authority }: Message): number | null {
  if (rcode !== RCODE.NOERROR && rcode !== RCODE.NXDOMAIN) return null;
  const soa = authority.filter(({ type }) => type === TYPE.SOA);
  const negative = soa.flatMap(({ ttl, rdata }) => [ttl, Buffer.from(rdata).readUInt32BE(rdata.length - 4)]);
  const others = answer.length > 0 ? answer : authority.filter(({ type }) => type !== TYPE.SOA);
  const all = [...others.map(({ ttl }) => ttl), ...negative];
  return all.length === 0 ? null : Math.min(...all);
}

test('no message throws; answers equal those of TCP, with the lifetime of their records', () => {
  const random = new Random(SEED);
  const index = new IndexWriter(16 << 20);
  putZone(index, RECORDS);
  const served = { index, storeDirectory: temporaryFolder('doh-fuzz'), udpPayload: UDP_PAYLOAD, answers: PLAIN };
  const local = openLocalResponder(served, { counters: new NameserverCounters([]).https, modules: NO_MODULES });
  const overTcp = new QueryPath(index);
  let answered = 0;
  for (let i = 0; i < CASES; i++) {
    const name = random.pick(NAMES);
    const good = ask(name, { type: random.pick(TYPES), id: random.below(65_536), edns: random.pick([undefined, 512]) });
    const message = i % 3 === 0 ? good : i % 3 === 1 ? mutate(good, random) : random.bytes(random.below(300));
    const before = message.slice();
    const response = local.answer(message, random.pick(ADDRESSES));
    assert.equal(message, before, 'the message is not changed');
    if (response === null) {
      assert.ok(
        message.length < 12 || (message[2] & 0x80) !== 0,
        `no answer to ${Buffer.from(message).toString('hex')}`,
      );
      continue;
    }
    const lifetime = freshness(response.message);
    if (i % 3 !== 0) continue;
    answered++;
    const decoded = decodeMessage(response.message);
    assert.is(lifetime, expected(decoded), `${name}: ${Buffer.from(message).toString('hex')}`);
    assert.equal(response.message, overTcp.answer(message, TCP_LIMIT), name);
  }
  assert.ok(answered >= Math.floor(CASES / 3));
});

test.run();
