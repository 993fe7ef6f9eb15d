/**
 * The bytes that store keys sign. The first line names the kind, so that no signature of one kind
 * is valid for another; docs/mini-apps/distribution.md specifies them for phones.
 */

export interface SignedPackage {
  readonly appId: string;
  readonly versionCode: number;
  /** In lower case. */
  readonly sha256: string;
}

export const packageStatement = ({ appId, versionCode, sha256 }: SignedPackage): Buffer =>
  Buffer.from(`waypost-store-package-v1\n${appId}\n${versionCode}\n${sha256}\n`);

/** An earlier key endorses a later one. Keys are the 32 bytes in base64. */
export const endorsementStatement = (earlier: string, later: string): Buffer =>
  Buffer.from(`waypost-store-endorsement-v1\n${hex(earlier)}\n${hex(later)}\n`);

/** A key declares that it must not be trusted any more. */
export const revocationStatement = (key: string): Buffer => Buffer.from(`waypost-store-revocation-v1\n${hex(key)}\n`);

const hex = (base64: string): string => Buffer.from(base64, 'base64').toString('hex');
