/** The part of the session that the receivers of frames use. */
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
  /** Ends the session with a GOAWAY. */
  fail(ending: Ending): void;
  /**
   * Whether frames of a stream are ignored, since its identifier is above the last one of the final
   * GOAWAY.
   */
  ignoresStream(streamId: number): boolean;
  /** Counts a reset that the client provoked like a reset of its own (CVE-2025-8671). */
  chargeReset(): void;
  /** False: no SETTINGS of ours is unacknowledged. */
  settingsAcknowledged(): boolean;
  pingAcknowledged(): void;
  /** The client sent GOAWAY. */
  onGoaway(): void;
}
