/** Short ranges of a table, read at once. */
import type { Binary } from './environment.ts';

interface Range {
  start: Uint8Array | undefined;
  end: Uint8Array | undefined;
}

/**
 * What lmdb needs to walk a range is made once per table: it is a dozen closures, a cost for each
 * of the few rows of a name.
 */
interface Walk {
  readonly range: Range;
  readonly entries: Iterable<{ key: Uint8Array; value: Buffer }>;
  busy: boolean;
}

const walks = new WeakMap<Binary, Walk>();

/** Calls `visit` with what has start ≤ key < end, in order, until that returns false. */
export function scan(
  table: Binary,
  start: Uint8Array,
  end: Uint8Array | undefined,
  visit: (key: Buffer, value: Buffer) => boolean | undefined,
): void {
  const walk = walkOf(table);
  // In the middle of another walk of the same table.
  const isOwn = !walk.busy;
  const entries = isOwn ? walk.entries : table.getRange({ start, end });
  if (isOwn) {
    walk.busy = true;
    walk.range.start = start;
    walk.range.end = end;
  }
  try {
    for (const { key, value } of entries) if (visit(key as Buffer, value) === false) break;
  } finally {
    if (isOwn) walk.busy = false;
  }
}

function walkOf(table: Binary): Walk {
  let walk = walks.get(table);
  if (walk === undefined) {
    const range: Range = { start: undefined, end: undefined };
    walk = { range, entries: table.getRange(range), busy: false };
    walks.set(table, walk);
  }
  return walk;
}
