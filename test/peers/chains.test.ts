/**
 * Chains that use one record several times, and loops: the reference beside BIND and Knot. Where a chain comes to a name again BIND has SERVFAIL with the same
 * records, and Knot repeats a record or two before it stops; all three have the same records, each once.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName, nameId, parseName } from '../../core/wire/name.ts';
import { CLASS_IN, RCODE, type ResourceRecord, TYPE } from '../../core/wire/types.ts';
import { resolve } from '../reference/resolver.ts';
import { queryAll, UdpClient } from '../support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../support/message.ts';
import { type Peer, startPeer, whyNot } from './servers.ts';

const APEX = parseName('p.test.');
const inZone = (text: string) => parseName(text, APEX);
const record = (owner: string, type: number, rdata: Uint8Array): ResourceRecord => {
  return { name: inZone(owner), type, ttl: 60, rdata };
};
const address = Uint8Array.of(192, 0, 2, 7);
const long = `${'l'.repeat(60)}.${'l'.repeat(60)}.${'l'.repeat(60)}`;
const ZONE: readonly ResourceRecord[] = [
  {
    ...record('@', TYPE.SOA, Uint8Array.from([...inZone('ns'), ...inZone('h'), ...new Array(19).fill(0), 60])),
    name: APEX,
  },
  { ...record('@', TYPE.NS, inZone('ns')), name: APEX },
  record('ns', TYPE.A, address),
  record('ok', TYPE.A, address),
  record('d', TYPE.DNAME, APEX),
  record('e', TYPE.DNAME, inZone('f')),
  record('f', TYPE.DNAME, inZone('e')),
  record('long', TYPE.DNAME, inZone(`${long}.long`)),
  record('to-long', TYPE.CNAME, inZone(`a.${long}.long`)),
  record('alias', TYPE.CNAME, inZone('ok.d.d')),
  record('*.w', TYPE.CNAME, inZone('x.w')),
  record('to-w', TYPE.CNAME, inZone('y.w')),
  record('*.s', TYPE.CNAME, inZone('*.s')),
  record('*.u', TYPE.CNAME, inZone('z.v')),
  record('*.v', TYPE.CNAME, inZone('z.u')),
];

/** Names asked, and the code; a loop has none of its own. */
const NAMES: Readonly<Record<string, number | 'loop'>> = {
  'ok.d': RCODE.NOERROR,
  'ok.d.d': RCODE.NOERROR,
  'ok.d.d.d': RCODE.NOERROR,
  'no.d.d': RCODE.NXDOMAIN,
  alias: RCODE.NOERROR,
  'x.long': RCODE.YXDOMAIN,
  'to-long': RCODE.YXDOMAIN,
  'x.e': 'loop',
  'x.w': 'loop',
  'y.w': 'loop',
  'to-w': 'loop',
  'a.s': 'loop',
  '*.s': 'loop',
  'a.u': 'loop',
  'z.u': 'loop',
  'z.v': 'loop',
};

const shown = (records: readonly ResourceRecord[]): string[] => [
  ...new Set(
    records.map(
      ({ name, type, ttl, rdata }) => `${formatName(name)} ${ttl} ${type} ${Buffer.from(rdata).toString('hex')}`,
    ),
  ),
];

async function agree(name: Peer['name']): Promise<void> {
  const zones = new Map([[nameId(APEX), ZONE]]);
  const peer = await startPeer(name, [ZONE]);
  const client = await UdpClient.connect(peer.port);
  try {
    const edns = { version: 0, size: 4096, do: false };
    const queries = Object.keys(NAMES).map((owner) => ({ name: inZone(owner), type: TYPE.A, class: CLASS_IN, edns }));
    const responses = await queryAll(
      client,
      queries.map((query, i) => encodeQuery(query, i)),
    );
    for (const [i, [owner, code]] of Object.entries(NAMES).entries()) {
      const response = responses[i];
      if (response === null) throw new Error(`${name} is silent on ${owner}`);
      const theirs = decodeMessage(response);
      const ours = resolve(zones, queries[i]);
      assert.equal(shown(ours.answer), shown(theirs.answer), owner);
      assert.is(ours.answer.length, shown(ours.answer).length, `${owner}: each record once`);
      assert.is(ours.end, code === 'loop' ? 'loop' : undefined, owner);
      if (code === 'loop') continue;
      assert.is(ours.rcode, code, owner);
      assert.is(theirs.rcode, code, owner);
      // Knot gives an SOA with YXDOMAIN: see explained.ts.
      if (code !== RCODE.YXDOMAIN) assert.equal(shown(ours.authority), shown(theirs.authority), owner);
    }
  } finally {
    client.close();
    await peer.stop();
  }
}

for (const name of ['bind', 'knot'] as const) {
  const missing = whyNot(name);
  if (missing === null) test(`chains and loops are as ${name} has them`, () => agree(name));
  else console.log(`Skipped: chains and loops are not compared with ${name}: ${missing}.`);
}

test.run();
