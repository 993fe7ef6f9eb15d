/**
 * The writer of a bidirectional Frame Stream over a Unix socket: READY, ACCEPT, START, data, STOP,
 * FINISH. https://farsightsec.github.io/fstrm/
 */
import { connect, type Socket } from 'node:net';

const CONTENT_TYPE = Buffer.from('protobuf:dnstap.Dnstap');
const CONTROL = { ACCEPT: 1, START: 2, STOP: 3, READY: 4, FINISH: 5 } as const;
const FIELD_CONTENT_TYPE = 1;
/** Longest control frame, in bytes (FSTRM_CONTROL_FRAME_LENGTH_MAX). */
const MAX_CONTROL = 512;

/** Milliseconds for the handshake, and for FINISH. */
const HANDSHAKE_MS = 5000;
const FINISH_MS = 2000;
/** Reconnect delays in milliseconds. Each delay is twice the previous one. */
const FIRST_DELAY = 100;
const MAX_DELAY = 10_000;
/** Maximum bytes queued for a slow reader. Beyond it, the rings fill up. */
const MAX_WAITING = 4 << 20;

/** A control frame: an escape of four zero bytes, its length, its type, and its fields. */
export function controlFrame(type: number): Buffer {
  const hasContentType = type === CONTROL.READY || type === CONTROL.START || type === CONTROL.ACCEPT;
  const frame = Buffer.alloc(12 + (hasContentType ? 8 + CONTENT_TYPE.length : 0));
  frame.writeUInt32BE(frame.length - 8, 4);
  frame.writeUInt32BE(type, 8);
  if (hasContentType) {
    frame.writeUInt32BE(FIELD_CONTENT_TYPE, 12);
    frame.writeUInt32BE(CONTENT_TYPE.length, 16);
    CONTENT_TYPE.copy(frame, 20);
  }
  return frame;
}

/**
 * Reads control frames from the start of `bytes`. Null: incomplete. Throws if the reader does not
 * accept our content type, or sends anything else.
 */
export function readControl(bytes: Buffer): { type: number; end: number } | null {
  if (bytes.length < 8) return null;
  const length = bytes.readUInt32BE(4);
  if (bytes.readUInt32BE(0) !== 0 || length < 4 || length > MAX_CONTROL)
    throw new Error('the program at the socket does not speak Frame Streams');
  const end = 8 + length;
  if (bytes.length < end) return null;
  const type = bytes.readUInt32BE(8);
  if (type === CONTROL.ACCEPT) {
    // Without a content type, any is accepted.
    let hasTypes = false;
    let isOurs = false;
    for (let at = 12; at + 8 <= end; ) {
      const size = bytes.readUInt32BE(at + 4);
      if (bytes.readUInt32BE(at) === FIELD_CONTENT_TYPE) {
        hasTypes = true;
        isOurs ||= bytes.subarray(at + 8, Math.min(end, at + 8 + size)).equals(CONTENT_TYPE);
      }
      at += 8 + size;
    }
    if (hasTypes && !isOurs) throw new Error('the program at the socket does not accept protobuf:dnstap.Dnstap');
  }
  return { type, end };
}

interface FrameStreamOptions {
  readonly path: string;
  /** Null: connected. Otherwise the reason of the failure. */
  onState(fault: string | null): void;
  /** Frames that were written, but not sent before the connection closed. */
  onLost(frames: number): void;
}

export class FrameStream {
  #socket: Socket | null = null;
  #isStarted = false;
  #isClosing = false;
  #delay = FIRST_DELAY;
  #timer: NodeJS.Timeout | undefined;
  #unsentFrames = 0;
  #finished: () => void = () => {};

  constructor(private readonly options: FrameStreamOptions) {
    this.#connect();
  }

  /** Whether frames can be written now. */
  get isWritable(): boolean {
    return this.#isStarted && this.#socket !== null && this.#socket.writableLength < MAX_WAITING;
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** Sends whole data frames. */
  write(bytes: Uint8Array, frames: number): void {
    this.#unsentFrames += frames;
    this.#socket?.write(bytes, (error) => {
      if (error === undefined || error === null) this.#unsentFrames -= frames;
    });
  }

  /** Sends queued frames and stops the stream. Resolves when the reader has confirmed it. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#timer);
    const socket = this.#socket;
    if (socket !== null && this.#isStarted)
      await new Promise<void>((resolve) => {
        this.#finished = resolve;
        socket.write(controlFrame(CONTROL.STOP));
        setTimeout(resolve, FINISH_MS);
      });
    socket?.destroy();
  }

  #connect(): void {
    const socket = connect(this.options.path);
    this.#socket = socket;
    let reason = 'the program at the socket has closed the connection';
    let received = Buffer.alloc(0);
    const deadline = setTimeout(() => {
      reason = 'the program at the socket does not answer';
      socket.destroy();
    }, HANDSHAKE_MS);
    socket.on('connect', () => socket.write(controlFrame(CONTROL.READY)));
    socket.on('error', (error) => {
      reason = error.message;
    });
    socket.on('data', (part) => {
      received = Buffer.concat([received, part]);
      try {
        for (let frame = readControl(received); frame !== null; frame = readControl(received)) {
          received = received.subarray(frame.end);
          if (frame.type === CONTROL.ACCEPT && !this.#isStarted) {
            clearTimeout(deadline);
            socket.write(controlFrame(CONTROL.START));
            this.#isStarted = true;
            this.#delay = FIRST_DELAY;
            this.options.onState(null);
          } else if (frame.type === CONTROL.FINISH) this.#finished();
        }
      } catch (error) {
        reason = (error as Error).message;
        socket.destroy();
      }
    });
    socket.on('close', () => {
      clearTimeout(deadline);
      this.#socket = null;
      this.#isStarted = false;
      this.#finished();
      if (this.#unsentFrames > 0) this.options.onLost(this.#unsentFrames);
      this.#unsentFrames = 0;
      if (this.#isClosing) return;
      this.options.onState(reason);
      this.#timer = setTimeout(() => this.#connect(), this.#delay);
      this.#delay = Math.min(MAX_DELAY, this.#delay * 2);
    });
  }
}
