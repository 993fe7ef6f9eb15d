/**
 * Original spelling of owner names with capitals in a master file. Names are compared, stored and
 * answered in lower case (RFC 4343); an exported zone has the imported spelling.
 */
import type { Name } from '../../dns/wire/name.ts';
import { type Id, idAt, idKey, nameKey, nameOfKey } from '../keys.ts';
import { table } from './table.ts';

export interface Spelling {
  readonly domainId: Id;
  /** Wire form in lower case. */
  readonly name: Name;
  /** The name with its capitals. Its apex part is in lower case. */
  readonly spelled: Name;
}

export const spellings = table<Spelling>({
  number: 21,
  name: 'spellings',
  quota: 'zone',
  key: ({ domainId, name }) => Buffer.concat([idKey(domainId), nameKey(name)]),
  encode: ({ spelled }) => Buffer.from(spelled),
  decode: (key, value) => ({
    domainId: idAt(key),
    name: nameOfKey(key, 8, key.length),
    spelled: Uint8Array.from(value),
  }),
  lookupsFromKey: true,
});
