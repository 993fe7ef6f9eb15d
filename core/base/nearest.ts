/**
 * Number of single-character edits (insert, delete, replace, swap of neighbors) between two texts:
 * the restricted Damerau–Levenshtein distance. A swap counts as one edit, since it is the most
 * common typo.
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
 * Returns the word with the fewest edits; the first of several. A dotted key is compared as a
 * whole, and by its last part at the cost of one edit, so that a key in the wrong table is
 * recognized.
 */
export function findNearest(word: string, words: readonly string[]): string {
  // Limits the cost of very long input.
  const text = word.slice(0, 100);
  let best = words[0];
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of words) {
    const edits = Math.min(editDistance(text, candidate), 1 + editDistance(lastPart(text), lastPart(candidate)));
    if (edits < fewest) {
      fewest = edits;
      best = candidate;
    }
  }
  return best;
}

function lastPart(key: string): string {
  return key.slice(key.lastIndexOf('.') + 1);
}
