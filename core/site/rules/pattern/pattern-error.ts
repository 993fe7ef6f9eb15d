/** An invalid or too large pattern. The message is a part of a sentence about the pattern. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}
