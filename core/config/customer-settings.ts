/** Settings of what customers use: quotas, secondary zones, webhooks, mini-app packages. */
import { availableParallelism } from 'node:os';
import { exemptions, resolvers } from './address-kinds.ts';
import { bytes, choice, flag, GB, hexadecimal, integer, KB, MB, optionalList } from './kinds.ts';
import { live, reloadable, setting } from './setting.ts';

const sha256 = hexadecimal(32);

/** Settings of webhooks. */
export const WEBHOOK_SETTINGS = {
  max_per_account: live(setting(integer(0, 10_000), 20, 'Maximum number of webhooks of an account; 0 allows none.')),
  first_retry: setting(
    integer(1, 3600, 'seconds'),
    5,
    'Delay before the first retry of a failed delivery, in seconds. Each further delay is four times as long, up to 12 hours.',
  ),
  retry_for: setting(
    integer(1, 2_592_000, 'seconds'),
    259_200,
    'How long a delivery is retried, in seconds. A webhook without a successful delivery for this long is disabled.',
  ),
  keep_days: setting(
    integer(1, 365, 'days'),
    7,
    'How long deliveries are kept for the list and for replays, in days: the last 1,000 of each webhook.',
  ),
  resolvers: live(
    setting(resolvers, [], 'Recursive resolvers for the host names of webhooks. Empty: the resolvers of the system.'),
  ),
  allow_private_receivers: setting(
    exemptions,
    false,
    'For test setups: private, loopback or reserved addresses that webhooks may be delivered to; URLs with "http" are accepted too. "true" allows every address, which lets customers send requests into private networks.',
  ),
};

const records = (plan: string, of: string, standard: number) =>
  setting(integer(0, 1_000_000_000), standard, `Maximum number of records of ${of} in the plan "${plan}".`);
const size = (plan: string, of: string, standard: number) =>
  setting(bytes(0, 1024 * GB), standard, `Maximum bytes that ${of} stores in the plan "${plan}".`);

/** Storage quotas of an account and of each of its zones, by plan. */
export const QUOTA_SETTINGS = reloadable({
  free_zone_records: records('free', 'a zone', 10_000),
  free_records: records('free', 'an account', 50_000),
  free_zone_size: size('free', 'a zone', 8 * MB),
  free_size: size('free', 'an account', 512 * MB),
  pro_zone_records: records('pro', 'a zone', 500_000),
  pro_records: records('pro', 'an account', 1_000_000),
  pro_zone_size: size('pro', 'a zone', 256 * MB),
  pro_size: size('pro', 'an account', 8 * GB),
  unlimited_zone_records: records('unlimited', 'a zone', 0),
  unlimited_records: records('unlimited', 'an account', 0),
  unlimited_zone_size: size('unlimited', 'a zone', 0),
  unlimited_size: size('unlimited', 'an account', 0),
} as const);

const seconds = (minimum: number) => integer(minimum, 2 ** 31 - 1, 'seconds');

/** Settings of secondary zones, which are transferred from the primaries of customers. */
export const SECONDARY_SETTINGS = {
  allow_private_primaries: setting(
    exemptions,
    false,
    'Private, loopback or reserved addresses that are accepted as primaries: a list of address prefixes. "true" accepts every address, which lets customers reach the network of this machine.',
  ),
  max_concurrent: setting(
    integer(1, 10_000),
    64,
    'Maximum number of zones that this node refreshes or transfers at the same time. Accounts take turns, and one account alone has at most half.',
  ),
  max_zone_size: setting(
    bytes(MB, 4 * GB),
    256 * MB,
    'Maximum bytes of a transfer. A larger zone is not accepted. All transfers together use the memory of two such zones at most.',
  ),
  max_nsec3_iterations: setting(
    integer(0, 100),
    50,
    'Maximum additional iterations of NSEC3 in zones that their primaries sign (RFC 9276 section 3.2). Transfers of zones with more are refused. A salt of more than 35 bytes counts as further iterations: with 255 bytes each one costs as much as five.',
  ),
  accept_older_serials: setting(
    flag,
    false,
    'Whether a zone follows a primary whose serial goes back. Otherwise it keeps its content until it expires, as with BIND.',
  ),
  min_refresh: setting(seconds(1), 30, 'The refresh and retry timers of a zone are not shorter than this, in seconds.'),
  max_refresh: setting(
    seconds(60),
    86_400,
    'The refresh and retry timers of a zone are not longer than this, in seconds.',
  ),
} as const;

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

/** Settings of developer packages. */
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
