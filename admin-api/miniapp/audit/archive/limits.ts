/**
 * How much a package may hold. Whatever an archive says of itself, no more than this is read, made
 * or kept.
 */

export interface PackageLimits {
  /** Bytes of the archive. It is held in memory while it is audited. */
  readonly archiveBytes: number;
  /** Files and folders. */
  readonly entries: number;
  /** Bytes of one file, unpacked. */
  readonly fileBytes: number;
  /** Bytes of all files, unpacked. */
  readonly totalBytes: number;
  /**
   * Bytes unpacked for each byte packed; looked at where more than 1 MB comes of it. Deflate
   * reaches 1,032, and sources seldom 20.
   */
  readonly ratio: number;
  /** Folders within one another. */
  readonly depth: number;
  /**
   * Bytes of a path in UTF-8. Windows and some file systems of phones end at 255 or 260, with the
   * folder of the app before it.
   */
  readonly pathBytes: number;
}

const MB = 1024 * 1024;

export const DEFAULT_LIMITS: PackageLimits = {
  archiveBytes: 50 * MB,
  entries: 10_000,
  fileBytes: 50 * MB,
  totalBytes: 200 * MB,
  ratio: 100,
  depth: 16,
  pathBytes: 200,
};

/** Below this a ratio says nothing: a file of blank lines is no bomb. */
export const RATIO_FROM = MB;
