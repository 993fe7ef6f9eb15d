/** State shared by all parts of an audit. */

import type { PackageFile } from './content.ts';
import type { Place } from './finding.ts';
import type { Findings } from './findings.ts';
import type { Manifest } from './manifest/manifest.ts';

export interface AuditContext {
  readonly findings: Findings;
  /** Only the valid values; undefined: the manifest is unreadable. */
  readonly manifest: Manifest | undefined;
  readonly files: ReadonlyMap<string, PackageFile>;
  /** Permissions that `Host` calls need, each with the place of its first call. */
  readonly used: Map<string, Place>;
  /** The permission of some call cannot be determined. Unused permissions are not reported then. */
  undeterminable: boolean;
}
