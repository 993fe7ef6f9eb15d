/**
 * Limits of a package. They bound reading, unpacking and memory, whatever sizes an archive
 * declares.
 */

export interface PackageLimits {
  /** Bytes of the archive, which stays in memory during the audit. */
  readonly archiveBytes: number;
  /** Files and folders. */
  readonly entries: number;
  /** Bytes of one file, unpacked. */
  readonly fileBytes: number;
  /** Bytes of all files, unpacked. */
  readonly totalBytes: number;
  /**
   * Maximum ratio of unpacked to packed bytes, checked above 1 MB unpacked. Deflate reaches 1,032;
   * source code rarely exceeds 20.
   */
  readonly ratio: number;
  /** Depth of nested folders. */
  readonly depth: number;
  /**
   * Bytes of a path in UTF-8. Windows and some file systems of phones limit paths to 255 or 260,
   * including the folder of the app.
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

/** Unpacked bytes from which the ratio is checked. A small file with a high ratio is harmless. */
export const RATIO_FROM = MB;
