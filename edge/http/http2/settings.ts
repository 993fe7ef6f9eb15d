/** SETTINGS (RFC 9113 section 6.5): encodes ours, and reads and validates those of a peer. */
import { type Ending, SESSION_ENDING } from './endings.ts';
import type { Http2Limits } from './limits.ts';
import {
  DEFAULT_FRAME_SIZE,
  DEFAULT_WINDOW,
  FRAME,
  FRAME_HEADER,
  MAX_FRAME_SIZE,
  MAX_STREAM_ID,
  MAX_WINDOW,
  SETTING,
} from './protocol.ts';

const SETTING_LENGTH = 6;

/**
 * Encodes our SETTINGS frame. It includes settings with default values, since some clients treat a
 * missing setting as "no limit".
 */
export function settingsFrame(limits: Http2Limits): Buffer {
  const settings: readonly [id: number, value: number][] = [
    [SETTING.HEADER_TABLE_SIZE, limits.headerTableSize],
    [SETTING.MAX_CONCURRENT_STREAMS, limits.maxConcurrentStreams],
    [SETTING.INITIAL_WINDOW_SIZE, limits.streamWindow],
    [SETTING.MAX_FRAME_SIZE, DEFAULT_FRAME_SIZE],
    [SETTING.MAX_HEADER_LIST_SIZE, limits.maxHeaderListSize],
    [SETTING.ENABLE_CONNECT_PROTOCOL, 1],
    [SETTING.NO_RFC7540_PRIORITIES, 1],
  ];
  const frame = Buffer.alloc(FRAME_HEADER + SETTING_LENGTH * settings.length);
  frame.writeUIntBE(SETTING_LENGTH * settings.length, 0, 3);
  frame[3] = FRAME.SETTINGS;
  settings.forEach(([id, value], i) => {
    frame.writeUInt16BE(id, FRAME_HEADER + SETTING_LENGTH * i);
    frame.writeUInt32BE(value, FRAME_HEADER + SETTING_LENGTH * i + 2);
  });
  return frame;
}

/** The current settings of the peer. */
export class PeerSettings {
  /** Bytes of the peer's decoding table. */
  headerTableSize = 4096;
  /**
   * The minimum of `headerTableSize` within the last frame. An encoder has to announce both values
   * (RFC 7541 section 4.2).
   */
  leastHeaderTableSize = 4096;
  /** Initial send window of a stream, in bytes. */
  initialWindow = DEFAULT_WINDOW;
  /**
   * The maximum of `initialWindow` within the last frame. Values apply in order (RFC 9113 section
   * 6.5.3), and no window may exceed its maximum in between.
   */
  greatestInitialWindow = DEFAULT_WINDOW;
  /** Maximum bytes of a payload. */
  maxFrameSize = DEFAULT_FRAME_SIZE;
  /** Concurrent streams that we may open, if the peer is a server. */
  maxConcurrentStreams = MAX_STREAM_ID;
  /** A server must not set it to true (section 6.5.2). */
  enablesPush = false;

  /**
   * Applies the payload bytes[start, end) of a SETTINGS frame without ACK, in order. Unknown
   * settings are ignored (section 6.5.2). Null: valid; otherwise why the session has to end.
   */
  take(bytes: Buffer, start: number, end: number): Ending | null {
    if ((end - start) % SETTING_LENGTH !== 0) return SESSION_ENDING.frameSize;
    this.leastHeaderTableSize = MAX_WINDOW;
    this.greatestInitialWindow = 0;
    for (let at = start; at < end; at += SETTING_LENGTH) {
      const failure = this.#set(bytes.readUInt16BE(at), bytes.readUInt32BE(at + 2));
      if (failure !== null) return failure;
    }
    this.leastHeaderTableSize = Math.min(this.leastHeaderTableSize, this.headerTableSize);
    this.greatestInitialWindow = Math.max(this.greatestInitialWindow, this.initialWindow);
    return null;
  }

  #set(id: number, value: number): Ending | null {
    switch (id) {
      case SETTING.HEADER_TABLE_SIZE:
        this.headerTableSize = value;
        this.leastHeaderTableSize = Math.min(this.leastHeaderTableSize, value);
        return null;
      case SETTING.INITIAL_WINDOW_SIZE:
        if (value > MAX_WINDOW) return SESSION_ENDING.flowControl;
        this.initialWindow = value;
        this.greatestInitialWindow = Math.max(this.greatestInitialWindow, value);
        return null;
      case SETTING.MAX_FRAME_SIZE:
        if (value < DEFAULT_FRAME_SIZE || value > MAX_FRAME_SIZE) return SESSION_ENDING.protocol;
        this.maxFrameSize = value;
        return null;
      case SETTING.MAX_CONCURRENT_STREAMS:
        this.maxConcurrentStreams = value;
        return null;
      case SETTING.ENABLE_PUSH:
        this.enablesPush = value === 1;
        return value > 1 ? SESSION_ENDING.protocol : null;
      case SETTING.ENABLE_CONNECT_PROTOCOL: // RFC 8441 section 3
      case SETTING.NO_RFC7540_PRIORITIES: // RFC 9218 section 2.1
        return value > 1 ? SESSION_ENDING.protocol : null;
      default:
        return null;
    }
  }
}
