/**
 * The binary format of commits that a node forwards to the sequencer, and of their outcomes.
 *
 *   commits: version u8 (1), mandate u48, then for each commit: head of its reads u48, length of by
 *            u8, by, number of ranges u32, ranges, length of changes u32, changes
 *   range:   table u8, length of start u16, start, length of end u16 (0xffff: none), end
 *   outcome: version u8 (1), shared u8 (1: other nodes also write), head u48, then for each commit
 *            its sequence u48 (0: conflict, 0xffffffffffff: not accepted)
 */
import type { CommitRequest, KeyRange } from '../journal.ts';

const VERSION = 1;
const NO_END = 0xffff;
const NOT_ACCEPTED = 0xffffffffffff;
const OUTCOME_HEAD = 8;

interface ForwardedCommits {
  /** An etcd revision: see EtcdLog.renewMandate. */
  readonly mandate: number;
  readonly requests: readonly CommitRequest[];
}

/** The sequence of the commit; or a conflict with a later write; or it was not appended. */
export type Outcome = number | 'conflict' | 'not accepted';

interface Outcomes {
  /** Other nodes have written lately. */
  readonly isShared: boolean;
  /** Conflicting commits conflict with entries up to this one. */
  readonly head: number;
  /** In the order of the requests. */
  readonly each: readonly Outcome[];
}

export function encodeCommits({ mandate, requests }: ForwardedCommits): Buffer {
  const out = Buffer.allocUnsafe(requests.reduce((sum, request) => sum + sizeOf(request), 7));
  out[0] = VERSION;
  let at = out.writeUIntBE(mandate, 1, 6);
  for (const { reads, by, changes } of requests) {
    at = out.writeUIntBE(reads.at, at, 6);
    // An entry also stores at most 255 bytes of it.
    const author = Buffer.from(by).subarray(0, 255);
    out[at] = author.length;
    out.set(author, at + 1);
    at = out.writeUInt32BE(reads.ranges.length, at + 1 + author.length);
    for (const { table, start, end } of reads.ranges) {
      out[at] = table;
      at = out.writeUInt16BE(start.length, at + 1);
      out.set(start, at);
      at = out.writeUInt16BE(end?.length ?? NO_END, at + start.length);
      if (end !== undefined) out.set(end, at);
      at += end?.length ?? 0;
    }
    at = out.writeUInt32BE(changes.length, at);
    out.set(changes, at);
    at += changes.length;
  }
  return out.subarray(0, at);
}

const sizeOf = ({ reads, by, changes }: CommitRequest): number =>
  reads.ranges.reduce((sum, { start, end }) => sum + 5 + start.length + (end?.length ?? 0), 15) +
  Buffer.byteLength(by) +
  changes.length;

/** Throws Error for damaged data or an unknown version. */
export function decodeCommits(bytes: Buffer): ForwardedCommits {
  if (bytes[0] !== VERSION) throw new Error(`forwarded commits of unknown version ${bytes[0]}`);
  const from = new Cursor(bytes, 1);
  const mandate = from.number(6);
  const requests: CommitRequest[] = [];
  while (!from.isAtEnd) {
    const at = from.number(6);
    const by = from.take(from.number(1)).toString();
    const ranges: KeyRange[] = [];
    for (let left = from.number(4); left > 0; left--) {
      const table = from.number(1);
      const start = from.take(from.number(2));
      const end = from.number(2);
      ranges.push({ table, start, end: end === NO_END ? undefined : from.take(end) });
    }
    requests.push({ reads: { at, ranges }, by, changes: from.take(from.number(4)) });
  }
  return { mandate, requests };
}

export function encodeOutcomes({ isShared, head, each }: Outcomes): Buffer {
  const out = Buffer.allocUnsafe(OUTCOME_HEAD + 6 * each.length);
  out[0] = VERSION;
  out[1] = isShared ? 1 : 0;
  let at = out.writeUIntBE(head, 2, 6);
  for (const outcome of each)
    at = out.writeUIntBE(outcome === 'conflict' ? 0 : outcome === 'not accepted' ? NOT_ACCEPTED : outcome, at, 6);
  return out;
}

/** Throws Error if the data does not contain this number of outcomes. */
export function decodeOutcomes(bytes: Buffer, count: number): Outcomes {
  if (bytes[0] !== VERSION || bytes.length !== OUTCOME_HEAD + 6 * count)
    throw new Error('the outcomes of forwarded commits are in an unknown format');
  const each = Array.from({ length: count }, (_, i): Outcome => {
    const sequence = bytes.readUIntBE(OUTCOME_HEAD + 6 * i, 6);
    return sequence === 0 ? 'conflict' : sequence === NOT_ACCEPTED ? 'not accepted' : sequence;
  });
  return { isShared: bytes[1] === 1, head: bytes.readUIntBE(2, 6), each };
}

/** Reads fields in order. Throws Error past the end. */
class Cursor {
  constructor(
    private readonly bytes: Buffer,
    private at: number,
  ) {}

  get isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  number(length: number): number {
    return this.take(length).readUIntBE(0, length);
  }

  take(length: number): Buffer {
    if (this.at + length > this.bytes.length) throw new Error('forwarded commits are truncated');
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}
