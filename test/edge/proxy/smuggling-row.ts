import type { Arrival } from './smuggling-rig.ts';

/** Bytes, the status of the first answer, what the origin gets (undefined: they are refused), and whether the connection ends behind them. */
export type Row = readonly [name: string, bytes: string, status: number, arrives?: readonly Arrival[], isLast?: 'last'];
