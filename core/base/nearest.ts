/**
 * Number of single-character edits (insert, delete, replace, swap of neighbours) from one text to the other: the restricted
 * Damerau–Levenshtein distance. Swaps count as one because they are the commonest slip of typing.
 */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
      }
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length];
}

/**
 * The known word that is the fewest edits away; the first of equals. A dotted key is compared as a whole, and by its last part at
 * the price of one edit, so that a key in the wrong table is recognised.
 */
export function nearest(word: string, known: readonly string[]): string {
  // A word of hostile length costs no more than the longest sensible one.
  const from = word.slice(0, 100);
  let best = known[0];
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const edits = Math.min(editDistance(from, candidate), 1 + editDistance(lastPart(from), lastPart(candidate)));
    if (edits < least) {
      least = edits;
      best = candidate;
    }
  }
  return best;
}

function lastPart(key: string): string {
  return key.slice(key.lastIndexOf('.') + 1);
}
