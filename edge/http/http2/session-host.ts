/** The session, as the parts that receive its frames see it. */
import type { Client } from '../exchange/exchange.ts';
import type { Clock } from './clock.ts';
import type { Http2Counters } from './counters.ts';
import type { Ending } from './endings.ts';
import type { Http2Limits } from './limits.ts';
import type { Output } from './output.ts';
import type { Sender } from './sender.ts';
import type { PeerSettings } from './settings.ts';
import type { Streams } from './streams.ts';

export interface SessionHost {
  readonly client: Client;
  readonly limits: Http2Limits;
  readonly counters: Http2Counters;
  readonly clock: Clock;
  readonly streams: Streams;
  readonly peer: PeerSettings;
  readonly output: Output;
  readonly sender: Sender;
  readonly isOpen: boolean;
  /** Ends the session by GOAWAY. */
  fail(ending: Ending): void;
  /**
   * Whether frames of a stream are ignored: its identifier is beyond the last that a final GOAWAY
   * names.
   */
  ignores(streamId: number): boolean;
  /**
   * The client made us reset a stream, which costs it as much as its own resets do (CVE-2025-8671).
   */
  provoked(): void;
  /** False: no SETTINGS of ours is unacknowledged. */
  settingsAcknowledged(): boolean;
  pingAcknowledged(): void;
  /** The client sent GOAWAY. */
  peerGoesAway(): void;
}
