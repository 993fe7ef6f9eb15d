/** Settings of developer packages. */
import { availableParallelism } from 'node:os';
import { bytes, choice, hexadecimal, integer, type Kind, list } from './kinds.ts';
import type { Setting } from './schema.ts';

const KB = 1024;
const MB = 1024 * KB;
const GB = 1024 * MB;

const sha256 = hexadecimal(32);

interface Sdk {
  readonly version: string;
  /** 64 hexadecimal digits, in lower case. */
  readonly sha256: string;
}

const someSdks: Kind<readonly Sdk[]> = list(
  'a list of versions, each with "=" and its SHA-256 in hexadecimal digits, such as "1.4.0=e3b0…b855"; empty for none',
  (value) => {
    const [, version, digits] = /^([0-9A-Za-z.+-]{1,40})=(\w+)$/.exec(value) ?? [];
    const hash = digits === undefined ? undefined : sha256.fromText(digits);
    return hash === undefined ? undefined : [{ version, sha256: hash }];
  },
  ({ version, sha256: hash }) => `${version}=${hash}`,
);

const sdks: Kind<readonly Sdk[]> = {
  ...someSdks,
  fromToml: (value) => (Array.isArray(value) && value.length === 0 ? [] : someSdks.fromToml(value)),
  fromText: (value) => (value.trim() === '' ? [] : someSdks.fromText(value)),
};

const setting = <T>(kind: Kind<T>, standard: T, doc: string): Setting<T> => ({
  kind,
  standard: () => standard,
  doc,
  secret: false,
});

export const PACKAGE_SETTINGS = {
  max_bytes: setting(bytes(KB, GB), 50 * MB, 'The largest package that is taken.'),
  upload_rate_limit: setting(
    integer(0, 1_000_000),
    30,
    'Packages in an hour that each account may upload; 0 is no limit.',
  ),
  max_apps: setting(integer(0, 1_000_000), 100, 'Apps that each account may have; 0 is no limit.'),
  review: setting(
    choice('flagged', 'always'),
    'flagged',
    'Which packages a person looks at of those without errors: "flagged" for those with a finding that asks for it, "always" for all.',
  ),
  publish: setting(
    choice('owner', 'automatic'),
    'owner',
    'Who publishes a package that is approved: "owner" for its developer, when they choose to, "automatic" for the service, at once.',
  ),
  sdks: setting(
    sdks,
    [],
    'Each host-sdk.js that was issued: its version and its SHA-256 (sha256sum host-sdk.js). A package with another one is rejected; with none here a person looks at each package.',
  ),
  audit_threads: {
    ...setting(integer(1, 64), 1, 'Audits at one time, each in a thread of its own, with at most audit_memory.'),
    standard: () => Math.max(1, availableParallelism() - 1),
    standardText: 'one less than the machine has cores, at least 1',
    example: '1',
  },
  audit_timeout: setting(
    integer(1000, 3_600_000, 'milliseconds'),
    60_000,
    'How long an audit may take, in milliseconds. A package that takes longer is for a person to look at.',
  ),
  audit_memory: setting(
    bytes(64 * MB, 64 * GB),
    512 * MB,
    'Memory of the JavaScript heap that an audit may take. A package that takes more is for a person to look at.',
  ),
  keep_days: setting(
    integer(1, 36_500, 'days'),
    400,
    'How long the reports of packages are kept that were rejected, withdrawn or superseded, in days. The packages themselves go at once.',
  ),
} as const;
