/** Audits manifest.json and checks that required files exist. */

import { SDK_FILE } from '../../sdk/sdk.ts';
import { shown } from '../archive/shown.ts';
import type { PackageFile } from '../content.ts';
import { type Findings, PACKAGE, wholeFile } from '../findings.ts';
import { SourceText } from '../source-text.ts';
import { auditIcon } from './icon.ts';
import { JsonSyntaxError, type JsonValue, parseJson } from './json.ts';
import { BACKGROUND_PERMISSIONS, type BackgroundManifest, type Manifest, PERMISSIONS } from './manifest.ts';
import { ObjectReader } from './object-reader.ts';
import { checkId, checkText, checkVersion, checkVersionCode } from './values.ts';

const BACKGROUND_KEYS = ['enabled', 'entry', 'events', 'permissions'];
const EVENTS = ['schedule'];

const FILE = 'manifest.json';
const ENTRY = 'index.html';
const ROOT_FILES = [ENTRY, FILE, 'host-sdk.js'];
/** Bytes. */
const MAX_BYTES = 64 * 1024;

const REQUIRED = ['id', 'name', 'version', 'versionCode', 'entry', 'permissions', 'minHostVersion'];
const KEYS = [...REQUIRED, 'description', 'icon', 'background', 'category'];

/** Undefined: no readable manifest; a finding has the reason. */
export async function auditManifest(
  files: ReadonlyMap<string, PackageFile>,
  findings: Findings,
): Promise<Manifest | undefined> {
  for (const name of ROOT_FILES) if (!files.has(name)) findings.add('file_missing', PACKAGE, missing(name, files));
  const source = await readManifest(files.get(FILE), findings);
  if (source === undefined) return;
  const json = parse(source, findings);
  if (json === undefined) return;
  reportDuplicates(json, source, findings);
  if (json.type === 'object') return read(new ObjectReader(source, findings, json), files);
  findings.add(
    'manifest_wrong_type',
    source.at(json.start),
    `The manifest is of type ${json.type}, and has to be an object.`,
  );
  return;
}

function missing(name: string, files: ReadonlyMap<string, PackageFile>): string {
  const lower = `/${name}`;
  const elsewhere = [...files.keys()].find((path) => `/${path}`.toLowerCase().endsWith(lower));
  const where = elsewhere === undefined ? '' : `; there is ${shown(elsewhere)}`;
  return `${name} is missing in the root of the package${where}.`;
}

async function readManifest(file: PackageFile | undefined, findings: Findings): Promise<SourceText | undefined> {
  const bytes = await file?.read();
  if (bytes === undefined) return;
  if (bytes.length > MAX_BYTES) {
    const message = `The manifest has ${bytes.length} bytes; ${MAX_BYTES} are allowed.`;
    findings.add('manifest_too_large', wholeFile(FILE), message);
    return;
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.startsWith('\ufeff')) return new SourceText(FILE, text);
    findings.add('manifest_encoding', wholeFile(FILE), 'The manifest begins with a byte order mark.');
    // Offsets without the mark, as editors count them.
    return new SourceText(FILE, text.slice(1));
  } catch {
    findings.add('manifest_encoding', wholeFile(FILE), 'The manifest is not UTF-8.');
    return;
  }
}

function parse(source: SourceText, findings: Findings): JsonValue | undefined {
  try {
    return parseJson(source.text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    findings.add('manifest_syntax', source.at(error.offset), `${error.message}.`);
    return;
  }
}

/** Checks all levels. Names are compared after their escapes are decoded. */
function reportDuplicates(value: JsonValue, source: SourceText, findings: Findings): void {
  if (value.type === 'array') for (const item of value.items) reportDuplicates(item, source, findings);
  if (value.type !== 'object') return;
  const before = new Map<string, number>();
  for (const { key, start, value: inner } of value.members) {
    const first = before.get(key);
    if (first === undefined) before.set(key, start);
    else {
      const message = `"${shown(key)}" is already in line ${source.at(first).line}.`;
      findings.add('manifest_duplicate_key', source.at(start), message);
    }
    reportDuplicates(inner, source, findings);
  }
}

async function read(manifest: ObjectReader, files: ReadonlyMap<string, PackageFile>): Promise<Manifest> {
  manifest.refuseUnknown(KEYS);
  manifest.require(...REQUIRED);
  const entry = manifest.string('entry');
  if (entry !== undefined && entry !== ENTRY)
    manifest.add('manifest_entry', 'entry', `"entry" has to be "${ENTRY}", the file in the root of the package.`);
  const icon = manifest.string('icon');
  if (icon !== undefined) await auditIcon(icon, files, manifest);
  const permissions = manifest.strings('permissions', PERMISSIONS, 'permission_unknown');
  return {
    id: checkId(manifest),
    name: checkText(manifest, 'name'),
    version: checkVersion(manifest, 'version'),
    versionCode: checkVersionCode(manifest),
    description: checkText(manifest, 'description'),
    entry: entry === ENTRY ? entry : undefined,
    icon: icon !== undefined && files.has(icon) ? icon : undefined,
    permissions,
    background: auditBackgroundManifest(manifest, permissions, files),
    minHostVersion: checkVersion(manifest, 'minHostVersion'),
    category: checkText(manifest, 'category'),
  };
}

/** The `background` object of a manifest and the permission that it requires. */
function auditBackgroundManifest(
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

  background.refuseUnknown(BACKGROUND_KEYS);
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
