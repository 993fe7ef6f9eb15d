/** Settings of developer packages. */
import { availableParallelism } from 'node:os';
import { bytes, choice, GB, hexadecimal, integer, KB, MB, optionalList } from './kinds.ts';
import { setting } from './setting.ts';

const sha256 = hexadecimal(32);

interface Sdk {
  readonly version: string;
  /** 64 hexadecimal digits, in lower case. */
  readonly sha256: string;
}

const sdks = optionalList<Sdk>(
  'a list of versions, each followed by "=" and its SHA-256 in hexadecimal digits, such as "1.4.0=e3b0…b855"; empty for none',
  (value) => {
    const [, version, digits] = /^([0-9A-Za-z.+-]{1,40})=(\w+)$/.exec(value) ?? [];
    const hash = digits === undefined ? undefined : sha256.fromText(digits);
    return hash === undefined ? undefined : [{ version, sha256: hash }];
  },
  ({ version, sha256: hash }) => `${version}=${hash}`,
);

const withdrawnSdks = optionalList<string>(
  'a list of versions and SHA-256 in hexadecimal digits, such as "1.0.0"; empty for none',
  (value) => {
    const hash = sha256.fromText(value);
    return hash !== undefined ? [hash] : /^[0-9A-Za-z.+-]{1,40}$/.test(value) ? [value] : undefined;
  },
  (value) => value,
);

export const PACKAGE_SETTINGS = {
  max_bytes: setting(bytes(KB, GB), 50 * MB, 'Maximum size of a package.'),
  upload_rate_limit: setting(
    integer(0, 1_000_000),
    30,
    'Maximum uploads per hour for each account; 0 disables the limit.',
  ),
  max_apps: setting(integer(0, 1_000_000), 100, 'Maximum number of apps for each account; 0 disables the limit.'),
  review: setting(
    choice('flagged', 'always'),
    'flagged',
    'Which packages without errors need a manual review: "flagged" for those with a finding that requires it, "always" for all.',
  ),
  publish: setting(
    choice('owner', 'automatic'),
    'owner',
    'Who publishes an approved package: "owner" for its developer, at any time; "automatic" for the service, immediately.',
  ),
  sdks: setting(
    sdks,
    [],
    'Versions of host-sdk.js that are accepted in addition to those that the service issues (GET /api/dev/sdk), with their SHA-256 (sha256sum host-sdk.js). A package with any other host-sdk.js is rejected.',
  ),
  withdrawn_sdks: setting(
    withdrawnSdks,
    [],
    'Versions of host-sdk.js, or their SHA-256, that are no longer accepted. A new package with one of them is rejected; published packages are unchanged.',
  ),
  audit_threads: {
    ...setting(
      integer(1, 64),
      1,
      'Maximum number of concurrent audits. Each runs in its own thread, with at most audit_memory.',
    ),
    standard: () => Math.max(1, availableParallelism() - 1),
    standardText: 'the number of cores minus 1, at least 1',
    example: '1',
  },
  audit_timeout: setting(
    integer(1000, 3_600_000, 'milliseconds'),
    60_000,
    'Timeout of an audit, in milliseconds. A package that exceeds it needs a manual review.',
  ),
  audit_memory: setting(
    bytes(64 * MB, 64 * GB),
    512 * MB,
    'Maximum JavaScript heap of an audit. A package that exceeds it needs a manual review.',
  ),
  store_rate_limit: setting(
    integer(0, 1_000_000),
    600,
    'Maximum requests to the store per minute for each client address (IPv6: for each /64); 0 disables the limit.',
  ),
  keep_days: setting(
    integer(1, 36_500, 'days'),
    400,
    'How long the reports of rejected, withdrawn and superseded packages are kept, in days. The packages themselves are deleted at once.',
  ),
} as const;
