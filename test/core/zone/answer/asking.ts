/** The options and the report of a thread that sends queries (asking-thread.ts). */
import type { MessagePort } from 'node:worker_threads';
import type { SharedIndex } from '../../../../core/store/index/layout.ts';

/** Words of `control`: 1 to stop; the number of queries in `packets` that may be sent. */
export const STOP = 0;
export const ASKABLE = 1;

export interface AskingData {
  readonly shared: SharedIndex;
  readonly reader: number;
  readonly port: MessagePort;
  readonly control: SharedArrayBuffer;
  /**
   * The query is this packet. With `numbered`, the 7 bytes from offset 13 on are the decimal number
   * of the query.
   */
  readonly packet: Uint8Array;
  readonly numbered: boolean;
  /**
   * Correct responses, in hexadecimal. With `numbered`: the last 4 bytes of the response must be
   * the number instead.
   */
  readonly right: readonly string[];
  /** All different responses are reported instead, and none is compared. */
  readonly collects?: boolean;
  /** Folder of the store. Undefined: there is none. */
  readonly storeDirectory?: string;
}

export interface Report {
  readonly sent: number;
  /** How often each response of `right` was received. */
  readonly counts: readonly number[];
  /** The first incorrect response. */
  readonly wrong: string | null;
  /** With `collects`: the different responses in hexadecimal, and how often each was received. */
  readonly collected: ReadonlyMap<string, number>;
}
