/**
 * A client's side of a session of HTTP/2 with one request: the bytes to send, and when the response
 * is whole.
 */
import { BROWSER_HEADERS, HOST } from './requests.ts';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
const HEADERS = 1;
const SETTINGS = 4;
const END_STREAM = 1;
const END_HEADERS = 4;
/** RFC 7541 appendix A: `:status: 200`. */
const STATUS_200 = 0x88;

/** RFC 7541 section 5.2, without Huffman coding. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const rest: number[] = [];
  let left = bytes.length - 127;
  for (; left >= 128; left >>>= 7) rest.push((left & 127) | 128);
  return Buffer.concat([Buffer.from([127, ...rest, left]), bytes]);
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** What a session begins with: preface and settings. */
export const beginBytes = (): Buffer => Buffer.concat([PREFACE, frame(SETTINGS, 0, 0, Buffer.alloc(0))]);

/** That, and a GET on stream 1. */
export function requestBytes(path: string): Buffer {
  const fields = [[':method', 'GET'], [':scheme', 'https'], [':authority', HOST], [':path', path], ...BROWSER_HEADERS];
  const block = Buffer.concat(fields.map(([name, value]) => Buffer.concat([Buffer.of(0), text(name), text(value)])));
  return Buffer.concat([beginBytes(), frame(HEADERS, END_STREAM | END_HEADERS, 1, block)]);
}

/** Reads one response. Bodies must fit the windows that stand at the begin. */
export class ResponseReader {
  isWhole = false;
  /** Its status is 200. */
  isRight = false;
  #rest: Buffer = Buffer.alloc(0);

  take(data: Buffer): void {
    const all = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    let at = 0;
    while (all.length - at >= 9) {
      const end = at + 9 + all.readUIntBE(at, 3);
      if (end > all.length) break;
      const type = all[at + 3];
      if (type === HEADERS) this.isRight = all.subarray(at + 9, end).includes(STATUS_200);
      if (all.readUInt32BE(at + 5) === 1 && type <= HEADERS && (all[at + 4] & END_STREAM) !== 0) this.isWhole = true;
      at = end;
    }
    this.#rest = Buffer.from(all.subarray(at));
  }
}
