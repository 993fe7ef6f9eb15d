/**
 * Queries to the public DNS before an order, of real servers: ours, one that says no, and
 * none.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { RCODE, TYPE } from '../../../../core/dns/wire/types.ts';
import { publicDns } from '../../../../edge/certificates/acme/public-dns.ts';
import { newRecord } from '../../../core/journal/fixture.ts';
import { Rig } from './rig.ts';

const test = suite('certificates, public DNS');

test('nameservers, addresses, and CAA with each flag and tag; empty without records', async () => {
  const rig = await Rig.open();
  await rig.add('dns.test', (domain) => [
    newRecord(domain, '@', TYPE.CAA, parseRdata(TYPE.CAA, '128 issue "ca.test; validationmethods=dns-01"')),
    newRecord(domain, '@', TYPE.CAA, parseRdata(TYPE.CAA, '0 issuewild ";"')),
    newRecord(domain, '@', TYPE.CAA, parseRdata(TYPE.CAA, '128 future "x"')),
    newRecord(domain, 'alias', TYPE.CNAME, parseName('dns.test.')),
    newRecord(domain, 'ns', TYPE.A, parseRdata(TYPE.A, '192.0.2.53')),
    newRecord(domain, 'ns', TYPE.AAAA, parseRdata(TYPE.AAAA, '2001:db8::53')),
  ]);
  const dns = publicDns([`127.0.0.1:${rig.dnsPort}`]);
  assert.equal([...(await dns.nameservers('dns.test'))].sort(), ['ns1.waypost.test', 'ns2.waypost.test']);
  assert.equal(await dns.nameservers('www.dns.test'), []);
  assert.equal(await dns.nameservers('missing.dns.test'), []);
  const wanted = [
    { critical: false, tag: 'issuewild', value: ';' },
    { critical: true, tag: 'future', value: 'x' },
    { critical: true, tag: 'issue', value: 'ca.test; validationmethods=dns-01' },
  ];
  const byTag = (records: readonly { tag: string }[]) => [...records].sort((a, b) => (a.tag < b.tag ? -1 : 1));
  assert.equal(byTag(await dns.caa('dns.test')), byTag(wanted));
  assert.equal(byTag(await dns.caa('alias.dns.test')), byTag(wanted), 'where a CNAME leads');
  assert.equal(await dns.caa('www.dns.test'), []);
  assert.equal(await dns.addresses('ns.dns.test'), ['192.0.2.53', '2001:db8::53']);
  assert.equal(await dns.addresses('missing.dns.test'), []);
  await rig.close();
});

test('a failed lookup is not an empty result', async () => {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port }) => {
    const answer = Buffer.from(query);
    answer[2] |= 0x80;
    answer[3] = RCODE.SERVFAIL;
    socket.send(answer, port, '127.0.0.1');
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const dns = publicDns([`127.0.0.1:${socket.address().port}`]);
  for (const question of [dns.nameservers('dns.test'), dns.caa('dns.test'), dns.addresses('dns.test')]) {
    const code = await question.then(
      () => 'answered',
      (error: NodeJS.ErrnoException) => error.code,
    );
    assert.is(code, 'ESERVFAIL');
  }
  socket.close();
});

test.run();
