/** Finds and reads the files that a configuration includes. */
import { dirname, isAbsolute, join } from 'node:path';
import { type ConfigFile, type ConfigFiles, invalidConfig, type Position } from './source.ts';

const MAX_DEPTH = 20;
const MAX_FILES = 100_000;
const PATTERN = /[*?[]/;

export class Includes {
  #count = 0;

  constructor(private readonly files: ConfigFiles) {}

  /**
   * The files of one include. A relative path starts from `base`, or from the folder of the
   * including file. Throws InvalidError `invalid_config` with the position of the include.
   */
  open(path: string, at: Position, depth: number, base = dirname(at.file)): ConfigFile[] {
    if (depth >= MAX_DEPTH) throw invalidConfig(at, `files include each other more than ${MAX_DEPTH} deep`);
    const whole = isAbsolute(path) ? path : join(base, path);
    // A pattern may match nothing, but a single file must exist.
    const paths = PATTERN.test(whole) ? this.files.glob(whole) : [whole];
    this.#count += paths.length;
    if (this.#count > MAX_FILES) throw invalidConfig(at, `more than ${MAX_FILES} files are included`);
    return paths.map((file) => ({ file, text: this.#read(file, at) }));
  }

  #read(file: string, at: Position): string {
    try {
      return this.files.read(file);
    } catch (error) {
      throw invalidConfig(
        at,
        `cannot read the included file ${file}: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
}
