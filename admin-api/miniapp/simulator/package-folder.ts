/** Reads the package on disk: its manifest, and whether its SDK was issued. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PackageFile } from '../audit/content.ts';
import type { Finding } from '../audit/finding.ts';
import { Findings } from '../audit/findings.ts';
import { auditManifest } from '../audit/manifest/audit-manifest.ts';
import { SDK_FILE } from '../sdk/sdk.ts';
import type { Sdk } from '../sdk/trust.ts';
import type { AppView, FindingView, PackageView } from './protocol.ts';
import type { Scan } from './watch-folder.ts';

const MANIFEST = 'manifest.json';

interface ReadPackage {
  /** Undefined: the manifest has errors. */
  readonly app: AppView | undefined;
  /** The errors. */
  readonly faults: readonly FindingView[];
  readonly sdk: PackageView['sdk'];
}

/** `sdks`: those issued. */
export async function readPackage(root: string, { files }: Scan, sdks: readonly Sdk[]): Promise<ReadPackage> {
  const findings = new Findings();
  const content = new Map([...files].map(([path, { size }]) => [path, fileOf(root, path, size)]));
  const manifest = await auditManifest(content, findings);
  const faults = findings.list().filter(isFaultOfManifest).map(viewOf);
  const sdk = sdkOf(root, files.has(SDK_FILE), sdks);
  if (manifest?.id === undefined || faults.length > 0) return { app: undefined, faults, sdk };
  const { id, name, version, versionCode, minHostVersion, permissions, background } = manifest;
  const app = {
    id,
    name: name ?? id,
    version: version ?? '',
    versionCode: versionCode ?? 0,
    minHostVersion: minHostVersion ?? '',
    permissions,
    background: background?.enabled
      ? { entry: background.entry ?? null, events: background.events, permissions: background.permissions }
      : null,
  };
  return { app, faults, sdk };
}

/** A missing page does not invalidate the manifest. */
const isFaultOfManifest = ({ type, code, file, message }: Finding): boolean =>
  type === 'error' && (file === MANIFEST || (code === 'file_missing' && message.startsWith(MANIFEST)));

export const viewOf = ({ type, code, message, fix, file, line, column, excerpt }: Finding): FindingView => ({
  type,
  code,
  message,
  fix,
  file,
  line,
  column,
  excerpt,
});

function fileOf(root: string, path: string, size: number): PackageFile {
  return { path, size, read: async () => readIfThere(join(root, path)) };
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function sdkOf(root: string, isThere: boolean, sdks: readonly Sdk[]): PackageView['sdk'] {
  const content = isThere ? readIfThere(join(root, SDK_FILE)) : undefined;
  if (content === undefined) return 'missing';
  const hash = createHash('sha256').update(content).digest('hex');
  return sdks.some(({ sha256, isWithdrawn }) => sha256.toLowerCase() === hash && isWithdrawn !== true)
    ? 'issued'
    : 'not_issued';
}
