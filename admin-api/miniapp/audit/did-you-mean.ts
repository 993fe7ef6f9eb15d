/** Help for words that are not known. */
import { editDistance, findNearest } from '../../../core/base/nearest.ts';

/** With a blank before it; empty where no known word is near enough to be meant. */
export function didYouMean(word: string, words: readonly string[]): string {
  const candidate = findNearest(word, words);
  const most = Math.max(2, candidate.length / 3);
  return editDistance(word.slice(0, 100).toLowerCase(), candidate.toLowerCase()) <= most
    ? ` Did you mean "${candidate}"?`
    : '';
}
