/** NAPTR (RFC 3403 section 4) and URI (RFC 7553 section 4). */
import { TYPE } from '../types.ts';
import type { RdataRow } from './kind.ts';
import { characterString, domainName, longString, u16 } from './kinds.ts';

export const SERVICE_ROWS: readonly RdataRow[] = [
  {
    type: TYPE.NAPTR,
    example: '100 10 "S" "SIP+D2U" "" _sip._udp.example.net.',
    fields: [
      u16('order'),
      u16('preference'),
      characterString('flags'),
      characterString('services'),
      characterString('regular expression'),
      domainName('replacement'),
    ],
  },
  {
    type: TYPE.URI,
    example: '10 1 "https://www.example.net/"',
    fields: [u16('priority'), u16('weight'), longString('target', 1)],
  },
];
