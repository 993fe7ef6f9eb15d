/** Origins as customers and attackers write them, each with what becomes of it and why. */
import { IPV4_ROWS } from './table-ipv4.ts';
import { IPV6_ROWS } from './table-ipv6.ts';
import { SPELLING_ROWS } from './table-spellings.ts';

export interface Row {
  readonly text: string;
  /** `private` and `invalid` are the codes `private_origin` and `invalid_origin`. */
  readonly verdict: 'public' | 'private' | 'invalid';
  /** Parts of the message, with `…` between them; for `public` the canonical form, empty when that is the text. */
  readonly reason: string;
}

export const TABLE: readonly Row[] = [...IPV4_ROWS, ...IPV6_ROWS, ...SPELLING_ROWS];
