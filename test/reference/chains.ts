/** A zone of chains that use one record several times, and of loops, with the code of each. */
import { parseName } from '../../core/dns/wire/name.ts';
import { RCODE, type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';

export const APEX = parseName('p.test.');
export const inZone = (text: string): Uint8Array => parseName(text, APEX);
const record = (owner: string, type: number, rdata: Uint8Array): ResourceRecord => {
  return { name: inZone(owner), type, ttl: 60, rdata };
};
const address = Uint8Array.of(192, 0, 2, 7);
const long = `${'l'.repeat(60)}.${'l'.repeat(60)}.${'l'.repeat(60)}`;
export const ZONE: readonly ResourceRecord[] = [
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
export const NAMES: Readonly<Record<string, number | 'loop'>> = {
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
