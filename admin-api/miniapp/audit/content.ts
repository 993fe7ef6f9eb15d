/** The files of a package, from an archive or from a folder. */
export interface PackageFile {
  /** As in the package: `background/background.js`. */
  readonly path: string;
  /** Bytes, as declared. */
  readonly size: number;
  /**
   * Its content, which must stay as it is; where it isn't kept in memory, read and checked again at
   * each call. Undefined: it cannot be had; why is among the findings.
   */
  read(): Promise<Buffer | undefined>;
}

export interface PackageContent {
  readonly files: ReadonlyMap<string, PackageFile>;
  close(): Promise<void>;
}
