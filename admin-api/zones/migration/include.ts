/** Finds and reads the files that a configuration includes. */
import { dirname, isAbsolute, join } from 'node:path';
import { type ConfigFile, type ConfigFiles, type Finding, invalidConfig, type Position } from './source.ts';

const MAX_DEPTH = 20;
const MAX_FILES = 100_000;
const PATTERN = /[*?[]/;

export class Includes {
  #count = 0;

  /** `findings`: gets the files that cannot be read. */
  constructor(
    private readonly files: ConfigFiles,
    private readonly findings: Finding[],
  ) {}

  /**
   * The files of one include. A relative path starts from `base`, or from the folder of the
   * including file. A file that cannot be read is a finding. Throws InvalidError `invalid_config`
   * with the position of the include.
   */
  open(path: string, at: Position, depth: number, base = dirname(at.file)): ConfigFile[] {
    if (depth >= MAX_DEPTH) throw invalidConfig(at, `files include each other more than ${MAX_DEPTH} deep`);
    const whole = isAbsolute(path) ? path : join(base, path);
    // A pattern may match nothing, but a single file must exist.
    const paths = PATTERN.test(whole) ? this.files.glob(whole) : [whole];
    this.#count += paths.length;
    if (this.#count > MAX_FILES) throw invalidConfig(at, `more than ${MAX_FILES} files are included`);
    return paths.flatMap((file) => this.#read(file, at));
  }

  #read(file: string, at: Position): ConfigFile[] {
    try {
      return [{ file, text: this.files.read(file) }];
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.findings.push({
        severity: 'warning',
        code: 'unreadable_include',
        at,
        message: `The included file ${file} cannot be read: ${reason}. What it has is not imported.`,
        next: 'Run the command as a user that may read the file, or pass --root FOLDER for a copy of another machine.',
      });
      return [];
    }
  }
}
