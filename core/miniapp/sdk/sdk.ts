/** host-sdk.js, compared with the SDKs issued. */
import { createHash } from 'node:crypto';
import type { PackageFile } from '../content.ts';
import { type Findings, wholeFile } from '../findings.ts';
import { STAND_IN_SHA256 } from './stand-in.ts';

export const SDK_FILE = 'host-sdk.js';

/** An SDK that was issued. */
export interface Sdk {
  /** As people call it: `1.4.0`, or the name of a file, or the beginning of the hash. */
  readonly version: string;
  /** Of the file, 64 hexadecimal digits. */
  readonly sha256: string;
}

/** True: the file is exempt from the audit of scripts, being one issued, or nothing that an audit could judge. That it is missing is told with the manifest. */
export async function auditSdk(
  files: ReadonlyMap<string, PackageFile>,
  sdks: readonly Sdk[],
  findings: Findings,
): Promise<boolean> {
  const content = await files.get(SDK_FILE)?.read();
  if (content === undefined) return false;
  const hash = createHash('sha256').update(content).digest('hex');
  if (sdks.some(({ sha256 }) => sha256.toLowerCase() === hash)) return true;
  const place = wholeFile(SDK_FILE);
  if (hash === STAND_IN_SHA256) {
    findings.add('sdk_stand_in', place, 'This is the stand-in for trying an app in a browser.');
    return true;
  }
  if (sdks.length === 0) {
    findings.add('sdk_unverified', place, `Its SHA-256 is ${hash}, and no SDK is known to compare it with.`);
    // What makes Host cannot go by the rules for those who use it: a person looks at it.
    return true;
  }
  const known = sdks.map(({ version }) => version).join(', ');
  findings.add('sdk_unknown', place, `Its SHA-256 is ${hash}, which is none of the SDKs issued (${known}).`);
  return false;
}
