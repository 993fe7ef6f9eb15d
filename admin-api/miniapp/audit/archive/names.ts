/** The names of a package, from an archive or a folder, looked at one by one and together. */
import { type Findings, PACKAGE, wholeFile } from '../findings.ts';
import { junkIn } from './junk.ts';
import type { PackageLimits } from './limits.ts';
import { wrongPath } from './path.ts';
import { PathSet } from './path-set.ts';
import { shown } from './shown.ts';

export class Names {
  readonly #paths: PathSet;
  readonly #junk = new Set<string>();
  /** First segments of what is no junk; of a file in the root undefined. */
  readonly #tops = new Set<string | undefined>();

  constructor(
    private readonly limits: PackageLimits,
    private readonly findings: Findings,
  ) {
    this.#paths = new PathSet(findings);
  }

  /** False: no file can have this path in the package, which is a finding. */
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

  /** One finding for all files of one folder. */
  isJunk(path: string): boolean {
    const junk = junkIn(path);
    if (junk === undefined) return false;
    if (!this.#junk.has(junk)) {
      this.#junk.add(junk);
      this.findings.add('archive_junk', wholeFile(shown(junk)), `${shown(junk)} is of no use to the app.`);
    }
    return true;
  }

  /** Once all names are known. */
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
