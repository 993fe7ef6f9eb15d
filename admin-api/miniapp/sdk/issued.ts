/**
 * Issued SDKs, newest first. The files of the newest are host-sdk.js and host-sdk.d.ts in this
 * folder. Older versions are in the folder `releases`, with the version in the name
 * (host-sdk-1.0.0.js). Packages contain released files, so they never change.
 */

export interface IssuedSdk {
  /** Semantic version. */
  readonly version: string;
  /** SHA-256 of host-sdk.js. */
  readonly sha256: string;
}

export const ISSUED_SDKS: readonly IssuedSdk[] = [
  {
    version: '1.0.0',
    sha256: 'e234b9a320ea29b0eba2c86ee767b9b8725e0be024dcad46ba3c589d49e32eb6',
  },
];

/** Names in the folder of an issued SDK. */
export const SDK_SCRIPT = 'host-sdk.js';
export const SDK_TYPINGS = 'host-sdk.d.ts';
/** Types for the background file. */
export const BACKGROUND_TYPINGS = 'background.d.ts';

export type SdkFileName = typeof SDK_SCRIPT | typeof SDK_TYPINGS | typeof BACKGROUND_TYPINGS;

/** Path of a file of an issued SDK, relative to this folder. */
export function issuedPath(version: string, name: SdkFileName): string {
  if (version === ISSUED_SDKS[0].version) return name;
  const [stem, ...extensions] = name.split('.');
  return `releases/${stem}-${version}.${extensions.join('.')}`;
}
