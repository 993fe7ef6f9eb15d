/**
 * Results of decoding a header block. All values above `tooLarge` are connection errors of type
 * COMPRESSION_ERROR (RFC 9113 section 4.3).
 */
export const OUTCOME = {
  /** All fields were passed to the sink. */
  decoded: 0,
  /**
   * The list exceeds a limit. Fields beyond it were not passed to the sink, but the table stays in
   * sync with the peer's. At most a stream error.
   */
  tooLarge: 1,
  /** The block ends within a field. */
  truncated: 2,
  /** An integer beyond 2^28 (RFC 7541 section 5.1 asks for a bound). */
  integerOverflow: 3,
  /** Index 0, or beyond the dynamic table (RFC 7541 sections 2.3.3 and 6.1). */
  unknownIndex: 4,
  /** EOS within a string (RFC 7541 section 5.2). */
  huffmanEos: 5,
  /** Padding of more than seven bits, or not all ones (RFC 7541 section 5.2). */
  huffmanPadding: 6,
  /** A table size update after a field (RFC 7541 section 4.2). */
  lateSizeUpdate: 7,
  /** A table size above what SETTINGS allows (RFC 7541 section 6.3). */
  sizeUpdateTooLarge: 8,
  /**
   * SETTINGS lowered the table size, and the next block does not start with a size update within
   * the limit (RFC 7541 section 4.2).
   */
  missingSizeUpdate: 9,
} as const;

export type Outcome = (typeof OUTCOME)[keyof typeof OUTCOME];

export type OutcomeName = keyof typeof OUTCOME;

/** Whether the connection has to end, since the tables of both sides differ. */
export const isCompressionError = (outcome: Outcome): boolean => outcome > OUTCOME.tooLarge;
