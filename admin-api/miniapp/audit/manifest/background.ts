/** The `background` object of a manifest and the permission that it requires. */

import { SDK_FILE } from '../../sdk/sdk.ts';
import type { PackageFile } from '../content.ts';
import { BACKGROUND_PERMISSIONS, type BackgroundManifest } from './manifest.ts';
import type { ObjectReader } from './object-reader.ts';

const KEYS = ['enabled', 'entry', 'events', 'permissions'];
const EVENTS = ['schedule'];

export function auditBackgroundManifest(
  manifest: ObjectReader,
  permissions: readonly string[],
  files: ReadonlyMap<string, PackageFile>,
): BackgroundManifest | undefined {
  const background = manifest.object('background');
  const enabled = background?.value('enabled', 'boolean')?.value ?? false;
  const declared = permissions.includes('background');
  if (enabled && !declared)
    manifest.add('background_undeclared', 'background', '"permissions" does not have "background", which this needs.');
  if (declared && !enabled)
    manifest.add(
      'background_unused',
      'permissions',
      background === undefined
        ? 'The permission "background" is asked for, and there is no "background".'
        : 'The permission "background" is asked for, and "background" is not enabled.',
    );
  if (background === undefined) return;

  background.refuseUnknown(KEYS);
  background.require('enabled');
  if (enabled) background.require('entry');
  const entry = background.string('entry');
  const wrong = entry === undefined ? undefined : wrongEntry(entry, files);
  if (wrong !== undefined) background.add('background_entry', 'entry', wrong);
  return {
    enabled,
    entry: wrong === undefined ? entry : undefined,
    events: background.strings('events', EVENTS, 'background_event_unknown'),
    permissions: background.strings('permissions', BACKGROUND_PERMISSIONS, 'background_permission_unknown'),
  };
}

function wrongEntry(entry: string, files: ReadonlyMap<string, PackageFile>): string | undefined {
  // An issued SDK is exempt from the audit, so it would not be audited as a background file.
  if (entry === SDK_FILE) return `${SDK_FILE} makes Host for pages, and cannot be a background file.`;
  if (!files.has(entry)) return 'There is no such file in the package.';
  return entry.endsWith('.js') ? undefined : 'The background file must be a script with the extension .js.';
}
