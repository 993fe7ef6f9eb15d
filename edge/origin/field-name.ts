/**
 * Names of response fields by their bytes: those that origins send repeatedly need neither a
 * new string nor lower case made of it. One table for a thread, of fixed size.
 */

/** Which fields the reader of a message takes for itself. */
export const FRAMING = {
  none: 0,
  connection: 1,
  'transfer-encoding': 2,
  'content-length': 3,
  'keep-alive': 4,
  upgrade: 5,
  'proxy-connection': 6,
} as const;

export type FramingKind = (typeof FRAMING)[keyof typeof FRAMING];

const KINDS: ReadonlyMap<string, FramingKind> = new Map(Object.entries(FRAMING).slice(1));

export class ResponseFieldName {
  /** In lower case. */
  readonly text: string;
  readonly kind: FramingKind;

  constructor(readonly sent: string) {
    this.text = sent.toLowerCase();
    this.kind = KINDS.get(this.text) ?? FRAMING.none;
  }
}

/** A power of two. */
const SLOTS = 512;
const LONGEST = 48;
const slots = new Array<ResponseFieldName>(SLOTS).fill(new ResponseFieldName(''));

/** The name that bytes[from, to) are; not empty, and all of it characters of names. */
export function responseFieldName(bytes: Buffer, from: number, to: number): ResponseFieldName {
  const length = to - from;
  if (length > LONGEST) return new ResponseFieldName(bytes.toString('latin1', from, to));
  const mixed = (bytes[from] * 31 + bytes[from + (length >> 1)]) * 31 + bytes[to - 1] * 7 + length * 131;
  const slot = mixed & (SLOTS - 1);
  const kept = slots[slot];
  if (isSame(kept.sent, bytes, from, to)) return kept;
  const name = new ResponseFieldName(bytes.toString('latin1', from, to));
  slots[slot] = name;
  return name;
}

function isSame(text: string, bytes: Buffer, from: number, to: number): boolean {
  if (text.length !== to - from) return false;
  for (let i = from; i < to; i++) if (text.charCodeAt(i - from) !== bytes[i]) return false;
  return true;
}
