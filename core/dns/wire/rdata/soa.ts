/** SOA (RFC 1035 3.3.13). */
import { TYPE } from '../types.ts';
import type { RdataRow } from './kind.ts';
import { domainName, seconds, u32 } from './kinds.ts';

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
