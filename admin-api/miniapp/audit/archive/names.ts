/** Checks the paths of a package, each by itself and all together. */
import { type Findings, PACKAGE, wholeFile } from '../findings.ts';
import { junkIn } from './junk.ts';
import type { PackageLimits } from './limits.ts';
import { wrongPath } from './path.ts';
import { PathSet } from './path-set.ts';
import { shown } from './shown.ts';

export class Names {
  readonly #paths: PathSet;
  readonly #junk = new Set<string>();
  /** First segments of paths that are not junk; undefined for files in the root. */
  readonly #tops = new Set<string | undefined>();

  constructor(
    private readonly limits: PackageLimits,
    private readonly findings: Findings,
  ) {
    this.#paths = new PathSet(findings);
  }

  /** False: the path is not valid in a package; a finding is added. */
  accept(path: string, folder: boolean): boolean {
    const wrong = wrongPath(path, this.limits);
    if (wrong !== undefined) {
      this.findings.add(wrong.code, wholeFile(shown(path)), wrong.message);
      return false;
    }
    if (!this.#paths.add(path, folder)) return false;
    if (this.isJunk(path)) return true;
    const slash = path.indexOf('/');
    this.#tops.add(slash < 0 && !folder ? undefined : path.slice(0, slash < 0 ? path.length : slash));
    if (!folder && /(?:^|\/)\./.test(path))
      this.findings.add(
        'archive_dot_file',
        wholeFile(shown(path)),
        'Its name begins with a dot, or its folder’s does.',
      );
    return true;
  }

  /** Adds one finding per junk folder. */
  isJunk(path: string): boolean {
    const junk = junkIn(path);
    if (junk === undefined) return false;
    if (!this.#junk.has(junk)) {
      this.#junk.add(junk);
      this.findings.add('archive_junk', wholeFile(shown(junk)), `${shown(junk)} is of no use to the app.`);
    }
    return true;
  }

  /** Adds findings that need all names. Call it after the last `accept`. */
  finish(): void {
    const [top] = this.#tops;
    if (this.#tops.size === 0) this.findings.add('archive_empty', PACKAGE, 'There is no file in the package.');
    if (this.#tops.size !== 1 || top === undefined) return;
    const folder = shown(top);
    this.findings.add(
      'archive_enclosing_folder',
      PACKAGE,
      `Everything is in the folder ${folder}; the package has to have index.html and manifest.json in its root.`,
      `Pack from inside the folder: cd ${folder} && zip -r ../app.pkg . (or: waypost pkg pack ${folder})`,
    );
  }
}
