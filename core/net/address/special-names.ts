/**
 * Host names that cannot lead to a public server, by their last labels: IANA's special-use domain
 * names (RFC 6761) and names with a similar use.
 */

interface SpecialName {
  /** Without dots around, in lower case. */
  readonly suffix: string;
  /** The purpose of names under it. */
  readonly use: string;
  readonly source: string;
  /** Whether a test installation with exemptions may use it. Other names never resolve. */
  readonly rig: boolean;
}

const PRIVATE = 'for private networks';
const COMMON = 'commonly used in private networks';

/** The first match counts: `home.arpa` before `arpa`. */
const SPECIAL_NAMES: readonly SpecialName[] = [
  { suffix: 'localhost', use: 'for the machine itself', source: 'RFC 6761 6.3', rig: true },
  { suffix: 'local', use: 'for multicast DNS on the local link', source: 'RFC 6762', rig: true },
  { suffix: 'internal', use: PRIVATE, source: 'ICANN, 2024-07-29', rig: true },
  { suffix: 'home.arpa', use: 'for home networks', source: 'RFC 8375', rig: true },
  { suffix: 'test', use: 'for tests', source: 'RFC 6761 6.2', rig: true },
  { suffix: 'intranet', use: COMMON, source: 'RFC 6762 appendix G', rig: true },
  { suffix: 'private', use: COMMON, source: 'RFC 6762 appendix G', rig: true },
  { suffix: 'corp', use: COMMON, source: 'RFC 6762 appendix G', rig: true },
  { suffix: 'home', use: COMMON, source: 'RFC 6762 appendix G', rig: true },
  { suffix: 'lan', use: COMMON, source: 'RFC 6762 appendix G', rig: true },
  { suffix: 'localdomain', use: COMMON, source: 'by custom', rig: true },
  { suffix: 'invalid', use: 'for names that never exist', source: 'RFC 6761 6.4', rig: false },
  { suffix: 'example', use: 'for documentation', source: 'RFC 6761 6.5', rig: false },
  { suffix: 'onion', use: 'for Tor, outside the DNS', source: 'RFC 7686', rig: false },
  { suffix: 'alt', use: 'for other name systems, outside the DNS', source: 'RFC 9476', rig: false },
  { suffix: 'arpa', use: 'for infrastructure, not for hosts', source: 'RFC 3172', rig: false },
];

/** The row of a name (lower case, no last dot). */
export function specialName(name: string): SpecialName | undefined {
  return SPECIAL_NAMES.find(({ suffix }) => name === suffix || name.endsWith(`.${suffix}`));
}

/** `localhost` and names under it, which resolve to loopback without a query (RFC 6761 6.3). */
export function isLocalhost(name: string): boolean {
  return specialName(name)?.suffix === 'localhost';
}
