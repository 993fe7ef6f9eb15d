/** Origins as customers and attackers write them, each with what becomes of it and why. */
import type { Row } from './row.ts';
import { IPV4_ROWS } from './table-ipv4.ts';
import { IPV6_ROWS } from './table-ipv6.ts';
import { SPELLING_ROWS } from './table-spellings.ts';

export const TABLE: readonly Row[] = [...IPV4_ROWS, ...IPV6_ROWS, ...SPELLING_ROWS];
