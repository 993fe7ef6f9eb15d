/** The files of a package, from an archive or from a folder. */
export interface PackageFile {
  /** Path in the package: `background/background.js`. */
  readonly path: string;
  /** Declared size in bytes. */
  readonly size: number;
  /**
   * Returns the content, which callers must not modify. Content that is not kept in memory is read
   * and verified again at each call. Undefined: unreadable; a finding has the reason.
   */
  read(): Promise<Buffer | undefined>;
}

export interface PackageContent {
  readonly files: ReadonlyMap<string, PackageFile>;
  close(): Promise<void>;
}
