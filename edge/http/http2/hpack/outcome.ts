/**
 * What became of a header block. All above TOO_LARGE are connection errors of type
 * COMPRESSION_ERROR (RFC 9113 section 4.3).
 */
export const OUTCOME = {
  /** Every field was given out. */
  decoded: 0,
  /**
   * The list passed a limit: fields from there on were not given out, but the table is in step. An
   * error of the stream at most.
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
  /** A table size update behind a field (RFC 7541 section 4.2). */
  lateSizeUpdate: 7,
  /** A table size above what SETTINGS allows (RFC 7541 section 6.3). */
  sizeUpdateTooLarge: 8,
  /**
   * SETTINGS have shrunk the table, and the next block does not begin with a size within them (RFC
   * 7541 section 4.2).
   */
  missingSizeUpdate: 9,
} as const;

export type Outcome = (typeof OUTCOME)[keyof typeof OUTCOME];

export type OutcomeName = keyof typeof OUTCOME;

/** By code, for logs and counters. */
export const OUTCOME_NAMES = Object.keys(OUTCOME) as readonly OutcomeName[];

/** Whether the connection is lost, since the tables of both sides are no longer the same. */
export const isCompressionError = (outcome: Outcome): boolean => outcome > OUTCOME.tooLarge;
