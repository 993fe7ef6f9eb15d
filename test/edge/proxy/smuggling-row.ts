/** A row in the tables of the smuggling tests. */
import type { Arrival } from './smuggling-rig.ts';

/**
 * The bytes, the status of the first response, what the origin receives (undefined: the request is
 * refused), and whether the connection is closed afterwards.
 */
export type Row = readonly [name: string, bytes: string, status: number, arrives?: readonly Arrival[], isLast?: 'last'];
