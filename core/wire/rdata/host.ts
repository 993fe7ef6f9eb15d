/** Types that point at a host or another name: CNAME, NS, PTR, MX (RFC 1035 3.3), DNAME (RFC 6672), SRV (RFC 2782), and ALIAS. */
import { TYPE } from '../types.ts';
import type { RdataRow } from './kind.ts';
import { domainName, u16 } from './kinds.ts';

export const HOST_ROWS: readonly RdataRow[] = [
  { type: TYPE.CNAME, example: 'www.example.net.', fields: [domainName('target')] },
  { type: TYPE.ALIAS, example: 'www.example.net.', fields: [domainName('target')] },
  { type: TYPE.NS, example: 'ns1.example.net.', fields: [domainName('name server', 'target')] },
  { type: TYPE.PTR, example: 'host.example.net.', fields: [domainName('target')] },
  { type: TYPE.DNAME, example: 'other.example.net.', fields: [domainName('target')] },
  {
    type: TYPE.MX,
    example: '10 mail.example.net.',
    fields: [u16('preference', 'priority'), domainName('exchange', 'target')],
  },
  {
    type: TYPE.SRV,
    example: '0 5 5060 sip.example.net.',
    fields: [u16('priority'), u16('weight'), u16('port'), domainName('target')],
  },
];
