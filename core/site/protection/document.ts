/**
 * The protection of a domain's sites, as its owner writes it: limits, budgets for slow clients, the
 * challenge, and demands on TLS. The fields have the names of the API; each that is omitted
 * or null has its default.
 */

export interface ProtectionDocument {
  readonly limits?: LimitsDocument;
  readonly slow?: SlowDocument;
  readonly challenge?: ChallengeDocument;
  readonly tls?: TlsDocument;
}

/** Per node. Null: the site's fair share alone. */
interface LimitsDocument {
  /** At one time. */
  readonly connections?: number | null;
  readonly new_connections_per_second?: number | null;
  /** At one time. */
  readonly requests_in_flight?: number | null;
  readonly requests_per_second?: number | null;
}

/** Seconds, and bytes per second. Null: the setting of the node, which is also the maximum. */
interface SlowDocument {
  readonly header_timeout?: number | null;
  readonly idle_timeout?: number | null;
  readonly body_rate?: number | null;
  readonly read_timeout?: number | null;
}

export const CHALLENGE_MODES = ['off', 'auto', 'on'] as const;
export type ChallengeMode = (typeof CHALLENGE_MODES)[number];

export interface ChallengeDocument {
  /** `auto`: while the site gets more requests than `above`, or more than its share. */
  readonly mode?: ChallengeMode;
  /** Zero bits: each further one doubles the work of a visitor. */
  readonly difficulty?: number;
  /** Seconds that a visitor who has passed is let through. */
  readonly valid_for?: number;
  /** Seconds that a visitor without JavaScript waits. */
  readonly wait?: number;
  /** Requests per second of the site on one node. */
  readonly above?: number;
  /** Prefixes of paths that are never challenged. */
  readonly except?: readonly string[];
}

export const TLS_VERSIONS = ['1.2', '1.3'] as const;
export const CLIENT_CERTIFICATE_MODES = ['off', 'optional', 'required'] as const;
type ClientCertificateMode = (typeof CLIENT_CERTIFICATE_MODES)[number];

interface TlsDocument {
  readonly min_version?: (typeof TLS_VERSIONS)[number];
  readonly client_certificates?: ClientCertificateMode;
  /** PEM of the authorities that issue certificates of clients. */
  readonly client_authorities?: string | null;
}

/** A document with all its fields. */
interface FullProtection {
  readonly limits: Required<LimitsDocument>;
  readonly slow: Required<SlowDocument>;
  readonly challenge: Required<ChallengeDocument>;
  readonly tls: Required<TlsDocument>;
}

const DEFAULT_PROTECTION: FullProtection = {
  limits: {
    connections: null,
    new_connections_per_second: null,
    requests_in_flight: null,
    requests_per_second: null,
  },
  slow: { header_timeout: null, idle_timeout: null, body_rate: null, read_timeout: null },
  challenge: {
    mode: 'off',
    // About 65,000 hashes: a second or two in a browser.
    difficulty: 16,
    valid_for: 3600,
    wait: 15,
    above: 200,
    except: [],
  },
  tls: { min_version: '1.2', client_certificates: 'off', client_authorities: null },
};

export const fullProtection = ({ limits, slow, challenge, tls }: ProtectionDocument): FullProtection => ({
  limits: { ...DEFAULT_PROTECTION.limits, ...limits },
  slow: { ...DEFAULT_PROTECTION.slow, ...slow },
  challenge: { ...DEFAULT_PROTECTION.challenge, ...challenge },
  tls: { ...DEFAULT_PROTECTION.tls, ...tls },
});
