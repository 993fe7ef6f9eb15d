/** The SDKs that an audit accepts: issued SDKs and those of the operator. */
import { ISSUED_SDKS, type IssuedSdk } from './issued.ts';

export interface Sdk {
  /** Displayed version: `1.4.0`, or a file name. */
  readonly version: string;
  /** SHA-256 of host-sdk.js, 64 hexadecimal digits. */
  readonly sha256: string;
  /** Must no longer be used. */
  readonly isWithdrawn?: boolean;
  /** The newest issued version, if this one is an older issued version. */
  readonly newest?: string;
}

export interface SdkSettings {
  /** Accepted in addition to the issued SDKs. */
  readonly sdks: readonly Sdk[];
  /** Versions, or SHA-256 in lower case. */
  readonly withdrawnSdks: readonly string[];
}

/** All known SDKs, including withdrawn ones; the issued ones first, newest first. */
export function trustedSdks(
  { sdks, withdrawnSdks }: SdkSettings = { sdks: [], withdrawnSdks: [] },
  issued: readonly IssuedSdk[] = ISSUED_SDKS,
): readonly Sdk[] {
  const isWithdrawn = ({ version, sha256 }: Sdk): boolean =>
    withdrawnSdks.includes(version) || withdrawnSdks.includes(sha256.toLowerCase());
  const newest = issued.find((sdk) => !isWithdrawn(sdk));
  const newestAt = newest === undefined ? 0 : issued.indexOf(newest);
  return [
    ...issued.map((sdk, i) => ({
      ...sdk,
      isWithdrawn: isWithdrawn(sdk),
      newest: i > newestAt ? newest?.version : undefined,
    })),
    ...sdks.map((sdk) => ({ ...sdk, isWithdrawn: isWithdrawn(sdk) })),
  ];
}
