/** Records of a domain at its current nameservers, over real sockets. */
import type { Answer } from 'dns-packet';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { typeName } from '../../../../core/dns/wire/mnemonics.ts';
import { formatHost, parseName } from '../../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { NO_EXEMPTIONS, parseExemptions } from '../../../../core/net/address/index.ts';
import type { FailedLook } from '../../../../core/upkeep/delegation/look.ts';
import { type FoundRecords, PublicRecords } from '../../../../core/upkeep/delegation/present.ts';
import { AA, type Handler } from '../../../support/fake-dns.ts';
import { soa, withParent } from '../../../support/fake-parent.ts';

const test = suite('core/upkeep/delegation/present');

const APEX = parseName('customer.example.');
const ZONE: readonly Answer[] = [
  soa('customer.example'),
  { type: 'A', name: 'customer.example', ttl: 300, data: '192.0.2.1' },
  { type: 'MX', name: 'customer.example', ttl: 300, data: { preference: 10, exchange: 'mail.customer.example' } },
  { type: 'TXT', name: 'customer.example', ttl: 300, data: 'v=spf1 mx -all' },
  { type: 'CNAME', name: 'www.customer.example', ttl: 60, data: 'customer.example' },
  { type: 'AAAA', name: 'mail.customer.example', ttl: 300, data: '2001:db8::1' },
  { type: 'TXT', name: '_dmarc.customer.example', ttl: 300, data: 'v=DMARC1; p=none' },
];

/** Serves a zone. With `wildcard`, every other name has an address. */
const serve =
  (wildcard: string | null = null): Handler =>
  (name, type) => {
    const own = ZONE.filter((record) => record.name === name);
    const answers = own.filter((record) => record.type === type || record.type === 'CNAME');
    if (own.length > 0 || wildcard === null || type !== 'A')
      return { flags: AA, answers, authorities: answers.length > 0 ? [] : [soa('customer.example')] };
    return { flags: AA, answers: [{ type: 'A', name, ttl: 60, data: wildcard }] };
  };

function scan(handlers: readonly Handler[], exemptions = parseExemptions(['127.0.0.0/8'])) {
  return withParent(handlers, async ({ port, resolvers }) => {
    const records = new PublicRecords({ resolvers, port, exemptions }, new AbortController().signal);
    return records.scan({ apex: APEX, accountId: 1 });
  });
}

function lines(found: FoundRecords | FailedLook): string[] {
  if ('trouble' in found) throw new Error(found.trouble);
  return found.records.map(
    ({ name, type, rdata }) => `${formatHost(name)} ${typeName(type)} ${formatRdata(type, rdata)}`,
  );
}

test('finds records at well-known names, and a CNAME once', async () => {
  const found = await scan([serve(), serve()]);
  assert.equal(lines(found).sort(), [
    '_dmarc.customer.example TXT "v=DMARC1; p=none"',
    'customer.example A 192.0.2.1',
    'customer.example MX 10 mail.customer.example.',
    'customer.example TXT "v=spf1 mx -all"',
    'mail.customer.example AAAA 2001:db8::1',
    'www.customer.example CNAME customer.example.',
  ]);
  assert.is('isPartial' in found && found.isPartial, false);
});

test('a wildcard is found as one record, and not at each name', async () => {
  const found = lines(await scan([serve('192.0.2.99'), serve()]));
  assert.equal(
    found.filter((line) => line.endsWith('192.0.2.99')),
    ['*.customer.example A 192.0.2.99'],
  );
});

test('a server without the zone is passed over; no private server is asked', async () => {
  const refuse: Handler = () => ({ flags: 0, answers: [], authorities: [] });
  assert.is(lines(await scan([refuse, serve()])).length, 6);
  assert.equal(await scan([refuse, refuse]), { trouble: 'no nameserver of customer.example answered' });
  assert.equal(await scan([serve(), serve()], NO_EXEMPTIONS), {
    trouble: 'no nameserver of customer.example answered',
  });
});

test.run();
