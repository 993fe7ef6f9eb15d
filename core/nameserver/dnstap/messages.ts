/** Messages between the main thread and the dnstap thread. */
import type { StartReport } from '../../os/supervised-thread.ts';
import type { LocalAddress } from './encode.ts';
import type { TapRing } from './ring.ts';

export interface DnstapData {
  readonly path: string;
  readonly identity: string;
  readonly version: string;
  readonly rings: readonly TapRing[];
  /** By values of TRANSPORT. */
  readonly locals: ReadonlyMap<number, LocalAddress>;
  /** See Pulse. */
  readonly pulse: SharedArrayBuffer;
}

/** Makes the thread send the messages in the rings, then stop. */
export interface ToDnstap {
  readonly kind: 'stop';
}

export type FromDnstap =
  | StartReport
  /** Null: connected. */
  | { readonly kind: 'state'; readonly fault: string | null }
  | { readonly kind: 'lost'; readonly frames: number };
