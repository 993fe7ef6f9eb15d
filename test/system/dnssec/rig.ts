/** A signed zone in a daemon of this process, behind real sockets. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSecrets } from '../../../core/base/secrets.ts';
import { generateKeyPair } from '../../../core/dns/dnssec/keys.ts';
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatName } from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import type { ResourceRecord } from '../../../core/dns/wire/types.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { ZoneSnapshot } from '../../../core/nameserver/transfer/snapshot.ts';
import { type DnssecRow, type Domain, dnssec, dnssecContext } from '../../../core/store/rows.ts';
import { APEX, type Daemon } from '../../admin-api/daemon.ts';
import { temporaryFolder } from '../../support/temp.ts';

/** Name, type, content. */
export type RecordText = readonly [name: string, type: string, content: string];

/** Records of a zone `signed.example` with every kind of name. */
export const RECORDS: readonly RecordText[] = [
  ['@', 'A', '192.0.2.1'],
  ['@', 'MX', '10 mail.signed.example.'],
  ['mail', 'A', '192.0.2.25'],
  ['www', 'A', '192.0.2.2'],
  ['www', 'AAAA', '2001:db8::2'],
  ['alias', 'CNAME', 'www.signed.example.'],
  ['alias2', 'CNAME', 'alias.signed.example.'],
  ['broken', 'CNAME', 'nothing.here.signed.example.'],
  ['out', 'CNAME', 'www.example.com.'],
  ['deep.empty.below', 'TXT', '"x"'],
  ['*.wild', 'A', '192.0.2.3'],
  ['to-wild', 'CNAME', 'some.deep.wild.signed.example.'],
  ['*.cnames', 'CNAME', 'www.signed.example.'],
  ['sub', 'NS', 'ns.sub.signed.example.'],
  ['ns.sub', 'A', '192.0.2.53'],
  ['secure', 'NS', 'ns.secure.signed.example.'],
  ['secure', 'DS', '12345 13 2 1F987CC6583E92DF0890718C42A3A3D1F0A0E2D7FF33DF2A2F8B6E9B8C1B1F00'],
  ['ns.secure', 'A', '192.0.2.54'],
  ['srv', 'SRV', '1 2 443 www.signed.example.'],
  ['to-old', 'CNAME', 'x.old.signed.example.'],
  ['to-nothing', 'DNAME', 'nothing.signed.example.'],
  ['to-sub', 'DNAME', 'sub.signed.example.'],
  ['to-secure', 'CNAME', 'host.secure.signed.example.'],
  ['old', 'DNAME', 'wild.signed.example.'],
];

export async function addRecords({ call }: Daemon, domain: Domain, records: readonly RecordText[]): Promise<void> {
  for (const [name, type, content] of records) {
    const json = { name, type, content, ttl: 300 };
    const { status, text } = await call('POST', `/api/v1/domains/${domain.id}/records`, { json });
    if (status !== 200) throw new Error(text);
  }
}

/** Signs a zone with a new key. `clock`: seconds since 1970. */
export async function signZone(
  { environment, journal, keyFile }: Daemon,
  domain: Domain,
  algorithm: 13 | 15 = 13,
  clock = Math.floor(Date.now() / 1000),
): Promise<DnssecRow> {
  const { dnskey, privateKey } = generateKeyPair(algorithm);
  const sealed = openSecrets(keyFile).seal(privateKey, dnssecContext(domain.id)).toString('base64');
  const row: DnssecRow = {
    domainId: domain.id,
    algorithm,
    clock,
    keys: [
      {
        ...{ id: 1, dnskey: Buffer.from(dnskey).toString('base64'), sealed },
        ...{ use: 'sign', isTrusted: true, createdAt: Date.now() },
      },
    ],
    foreign: [],
    parent: 'publish',
  };
  await write(environment, journal, '1', (draft) => draft.put(dnssec, row));
  return row;
}

/** A file of trust anchors as BIND's programs take it. */
export function anchorFile({ apex }: Domain, { keys }: DnssecRow): string {
  const path = join(temporaryFolder('anchors'), 'anchors');
  const lines = keys.map(({ dnskey }) => {
    const rdata = Buffer.from(dnskey, 'base64');
    return `"${formatName(apex)}" static-key ${rdata.readUInt16BE(0)} ${rdata[2]} ${rdata[3]} "${rdata.toString('base64', 4)}";`;
  });
  writeFileSync(path, `trust-anchors { ${lines.join(' ')} };\n`);
  return path;
}

/** All records as a transfer has them. */
export function transferred({ environment }: Daemon, domain: Domain): ResourceRecord[] {
  const snapshot = ZoneSnapshot.open(environment, APEX, domain.id);
  if (snapshot === null) throw new Error('no zone');
  const records = [snapshot.soa, ...snapshot.records()].map((record) => ({
    ...record,
    rdata: Uint8Array.from(record.rdata),
  }));
  snapshot.close();
  return records;
}

/** Records as a zone file. */
export const zoneText = (records: readonly ResourceRecord[]): string =>
  records
    .map(
      ({ name, type, ttl, rdata }) => `${formatName(name)} ${ttl} IN ${typeName(type)} ${formatRdata(type, rdata)}\n`,
    )
    .join('');
