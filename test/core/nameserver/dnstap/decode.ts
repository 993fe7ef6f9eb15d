/** A slow, obvious reference: frames of a Frame Stream, and messages of dnstap (dnstap.proto). */

export interface DecodedMessage {
  readonly identity: string;
  readonly version: string;
  /** Fields of Message by their number; a field that comes twice is an error. */
  readonly fields: ReadonlyMap<number, number | Buffer>;
}

type Fields = Map<number, number | Buffer>;

/** Protobuf: varints, four bytes, and bytes with their length. */
function fieldsOf(bytes: Buffer): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const varint = (): number => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (at >= bytes.length) throw new Error('a varint has no end');
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(value);
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = tag >> 3;
    if (fields.has(number)) throw new Error(`field ${number} twice`);
    if ((tag & 7) === 0) fields.set(number, varint());
    else if ((tag & 7) === 5) {
      fields.set(number, bytes.readUInt32LE(at));
      at += 4;
    } else if ((tag & 7) === 2) {
      const length = varint();
      if (at + length > bytes.length) throw new Error(`field ${number} has no end`);
      fields.set(number, bytes.subarray(at, at + length));
      at += length;
    } else throw new Error(`field ${number} has the wire type ${tag & 7}`);
  }
  return fields;
}

export function decodeDnstap(frame: Buffer): DecodedMessage {
  const fields = fieldsOf(frame);
  if (fields.get(15) !== 1) throw new Error('the type is not MESSAGE');
  if ([...fields.keys()].some((number) => ![1, 2, 14, 15].includes(number))) throw new Error('an unknown field');
  return {
    identity: String(fields.get(1)),
    version: String(fields.get(2)),
    fields: fieldsOf(fields.get(14) as Buffer),
  };
}

export interface ReadFrame {
  /** 0: a data frame; otherwise the type of a control frame. */
  readonly control: number;
  readonly bytes: Buffer;
}

/** The whole frames of a stream, and the number of bytes that they take. */
export function framesOf(stream: Buffer): { frames: ReadFrame[]; end: number } {
  const frames: ReadFrame[] = [];
  let at = 0;
  while (at + 4 <= stream.length) {
    const isControl = stream.readUInt32BE(at) === 0;
    const from = isControl ? at + 4 : at;
    if (from + 4 > stream.length) break;
    const length = stream.readUInt32BE(from);
    if (from + 4 + length > stream.length) break;
    const bytes = stream.subarray(from + 4, from + 4 + length);
    frames.push({ control: isControl ? bytes.readUInt32BE(0) : 0, bytes });
    at = from + 4 + length;
  }
  return { frames, end: at };
}
