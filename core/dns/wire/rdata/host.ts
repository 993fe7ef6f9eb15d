/**
 * Types that point at hosts or other names, with numbers before them: RFC 1035 3.3 and its
 * successors. CNAME, NS, PTR, MX, DNAME (RFC 6672), SRV (RFC 2782), ALIAS, and rarer ones.
 */
import { TYPE } from '../types.ts';
import type { RdataRow } from './kind.ts';
import { domainName, namedU8, seconds, u16, u32 } from './kinds.ts';
import { recordType } from './type-list.ts';

/** SOA (RFC 1035 3.3.13). */
export const SOA_ROWS: readonly RdataRow[] = [
  {
    type: TYPE.SOA,
    names: 'compressed',
    example: 'ns1.example.net. hostmaster.example.net. 1 7200 900 1209600 300',
    fields: [
      domainName('primary name server'),
      domainName('mailbox'),
      u32('serial'),
      seconds('refresh time'),
      seconds('retry time'),
      seconds('expire time'),
      seconds('minimum'),
    ],
  },
];

/** IANA "DSYNC: Location of Synchronization Endpoints". */
const DSYNC_SCHEMES: ReadonlyMap<string, number> = new Map([['NOTIFY', 1]]);

export const HOST_ROWS: readonly RdataRow[] = [
  { type: TYPE.CNAME, names: 'compressed', example: 'www.example.net.', fields: [domainName('target')] },
  { type: TYPE.ALIAS, names: 'kept', example: 'www.example.net.', fields: [domainName('target')] },
  { type: TYPE.NS, names: 'compressed', example: 'ns1.example.net.', fields: [domainName('name server', 'target')] },
  { type: TYPE.PTR, names: 'compressed', example: 'host.example.net.', fields: [domainName('target')] },
  { type: TYPE.DNAME, names: 'lowered', example: 'other.example.net.', fields: [domainName('target')] },
  {
    type: TYPE.MX,
    names: 'compressed',
    example: '10 mail.example.net.',
    fields: [u16('preference', 'priority'), domainName('exchange', 'target')],
  },
  {
    type: TYPE.SRV,
    names: 'lowered',
    example: '0 5 5060 sip.example.net.',
    fields: [u16('priority'), u16('weight'), u16('port'), domainName('target')],
  },
  // RFC 1035 3.3.4, 3.3.5: obsolete.
  { type: TYPE.MD, names: 'compressed', example: 'mail.example.net.', fields: [domainName('mail agent', 'target')] },
  { type: TYPE.MF, names: 'compressed', example: 'mail.example.net.', fields: [domainName('mail agent', 'target')] },
  // RFC 1035 3.3.3, 3.3.6, 3.3.8: experimental.
  { type: TYPE.MB, names: 'compressed', example: 'mail.example.net.', fields: [domainName('host', 'target')] },
  { type: TYPE.MG, names: 'compressed', example: 'member.example.net.', fields: [domainName('mailbox')] },
  { type: TYPE.MR, names: 'compressed', example: 'new.example.net.', fields: [domainName('new mailbox', 'mailbox')] },
  // RFC 1035 3.3.7.
  {
    type: TYPE.MINFO,
    names: 'compressed',
    example: 'owner.example.net. errors.example.net.',
    fields: [domainName('responsible mailbox'), domainName('error mailbox')],
  },
  // RFC 1183 2.2.
  {
    type: TYPE.RP,
    names: 'lowered',
    example: 'admin.example.net. about.example.net.',
    fields: [domainName('mailbox'), domainName('text name')],
  },
  // RFC 1183 section 1.
  {
    type: TYPE.AFSDB,
    names: 'lowered',
    example: '1 afs.example.net.',
    fields: [u16('subtype'), domainName('host', 'target')],
  },
  // RFC 1183 3.3.
  {
    type: TYPE.RT,
    names: 'lowered',
    example: '10 relay.example.net.',
    fields: [u16('preference', 'priority'), domainName('intermediate host', 'target')],
  },
  // RFC 1348, which RFC 1706 replaces.
  { type: TYPE['NSAP-PTR'], names: 'kept', example: 'host.example.net.', fields: [domainName('target')] },
  // RFC 2163 section 4.
  {
    type: TYPE.PX,
    names: 'lowered',
    example: '10 example.net. prmd-net.admd-example.c-it.',
    fields: [
      u16('preference', 'priority'),
      domainName('RFC 822 domain', 'map822'),
      domainName('X.400 domain', 'mapx400'),
    ],
  },
  // RFC 2230 section 3.
  {
    type: TYPE.KX,
    names: 'lowered',
    example: '10 kx.example.net.',
    fields: [u16('preference', 'priority'), domainName('exchanger', 'target')],
  },
  // draft-wijngaards-dnsop-trust-history-02, which is the registry's reference.
  {
    type: TYPE.TALINK,
    names: 'kept',
    example: 'previous.example.net. next.example.net.',
    fields: [domainName('previous name'), domainName('next name')],
  },
  // RFC 6742 2.4.
  {
    type: TYPE.LP,
    names: 'kept',
    example: '10 l64.example.net.',
    fields: [u16('preference', 'priority'), domainName('target')],
  },
  // RFC 9859 2.1.
  {
    type: TYPE.DSYNC,
    names: 'kept',
    example: 'CDS NOTIFY 5359 scanner.example.net.',
    fields: [recordType('type', 'type'), namedU8('scheme', DSYNC_SCHEMES), u16('port'), domainName('target')],
  },
];
