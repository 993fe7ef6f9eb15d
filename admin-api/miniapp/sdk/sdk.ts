/** Compares host-sdk.js with the known SDKs. */
import { createHash } from 'node:crypto';
import type { PackageFile } from '../audit/content.ts';
import { type Findings, wholeFile } from '../audit/findings.ts';
import type { Sdk } from './trust.ts';

export const SDK_FILE = 'host-sdk.js';

/** The command that writes the newest issued SDK into the folder of an app. */
const COMMAND = '"waypost pkg sdk FOLDER"';

/**
 * True: host-sdk.js is exempt from the audit of scripts: it is a known SDK, or there is no SDK to
 * compare it with. The audit of the manifest reports a missing file.
 */
export async function auditSdk(
  files: ReadonlyMap<string, PackageFile>,
  sdks: readonly Sdk[],
  findings: Findings,
): Promise<boolean> {
  const content = await files.get(SDK_FILE)?.read();
  if (content === undefined) return false;
  const hash = createHash('sha256').update(content).digest('hex');
  const at = wholeFile(SDK_FILE);
  const found = sdks.filter(({ sha256 }) => sha256.toLowerCase() === hash);
  const sdk = found.find(({ isWithdrawn }) => isWithdrawn) ?? found.at(0);
  if (sdk?.isWithdrawn) {
    const message = `This is version ${sdk.version}, which was withdrawn; ${COMMAND} writes the current one.`;
    findings.add('sdk_withdrawn', at, message);
    return true;
  }
  if (sdk !== undefined) {
    if (sdk.newest !== undefined)
      findings.add('sdk_outdated', at, `This is version ${sdk.version}; the newest is ${sdk.newest}.`);
    return true;
  }
  const versions = sdks.filter(({ isWithdrawn }) => !isWithdrawn).map(({ version }) => version);
  if (versions.length === 0) {
    findings.add('sdk_unverified', at, `Its SHA-256 is ${hash}, and there is no SDK to compare it with.`);
    // The rules apply to code that uses Host, not to code that defines it. A person reviews the
    // file.
    return true;
  }
  findings.add(
    'sdk_unknown',
    at,
    `Its SHA-256 is ${hash}, which is not an issued SDK (${versions.join(', ')}); ${COMMAND} writes the right file.`,
  );
  return false;
}
