/** Suggestions for misspelled words. */
import { editDistance, findNearest } from '../../../core/base/nearest.ts';

/** Starts with a space. Empty: no allowed word is close enough. */
export function didYouMean(word: string, words: readonly string[]): string {
  const candidate = findNearest(word, words);
  const maxDistance = Math.max(2, candidate.length / 3);
  return editDistance(word.slice(0, 100).toLowerCase(), candidate.toLowerCase()) <= maxDistance
    ? ` Did you mean "${candidate}"?`
    : '';
}
