/** What the parts of an audit share. */

import type { PackageFile } from './content.ts';
import type { Place } from './finding.ts';
import type { Findings } from './findings.ts';
import type { Manifest } from './manifest/manifest.ts';

export interface AuditContext {
  readonly findings: Findings;
  /** As far as it can be used; undefined: it cannot be read at all. */
  readonly manifest: Manifest | undefined;
  readonly files: ReadonlyMap<string, PackageFile>;
  /** Permissions of `Host` calls that were found, with the first place of each. */
  readonly used: Map<string, Place>;
  /** A call whose permission cannot be determined was found: nothing can be said of unused ones. */
  undeterminable: boolean;
}
