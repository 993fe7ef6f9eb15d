/** What an asking thread (asking-thread.ts) is started with, and what it reports. */
import type { MessagePort } from 'node:worker_threads';
import type { SharedIndex } from '../../../core/store/index/layout.ts';

/** Words of `control`: 1 to stop, how many queries in `packets` may be asked by now. */
export const STOP = 0;
export const ASKABLE = 1;

export interface AskingData {
  readonly shared: SharedIndex;
  readonly reader: number;
  readonly port: MessagePort;
  readonly control: SharedArrayBuffer;
  /** The query is this packet; with `numbered`, the 7 bytes from offset 13 on are the decimal number of one that may be asked. */
  readonly packet: Uint8Array;
  readonly numbered: boolean;
  /** Right responses, in hexadecimal. With `numbered`: the last 4 bytes of the response are the number instead. */
  readonly right: readonly string[];
}

export interface Report {
  readonly asked: number;
  /** How often each of `right` came. */
  readonly counts: readonly number[];
  /** The first response that was none of them. */
  readonly wrong: string | null;
}
