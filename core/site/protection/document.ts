/**
 * The protection document of a domain: limits, budgets for slow clients, the challenge, and TLS
 * requirements. The fields have the names of the API. An omitted or null field has its default.
 */

export interface ProtectionDocument {
  readonly limits?: LimitsDocument;
  readonly slow?: SlowDocument;
  readonly challenge?: ChallengeDocument;
  readonly tls?: TlsDocument;
}

/** Per node. Null: only the site's fair share applies. */
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
  /** `auto`: active while the site gets more requests than `above`, or more than its share. */
  readonly mode?: ChallengeMode;
  /** Number of zero bits; each further bit doubles the work of a visitor. */
  readonly difficulty?: number;
  /** Seconds for which a passed challenge is valid. */
  readonly valid_for?: number;
  /** Wait in seconds for visitors without JavaScript. */
  readonly wait?: number;
  /** Requests per second of the site on one node. */
  readonly above?: number;
  /** Path prefixes without a challenge. */
  readonly except?: readonly string[];
}

export const TLS_VERSIONS = ['1.2', '1.3'] as const;
export const CLIENT_CERTIFICATE_MODES = ['off', 'optional', 'required'] as const;
type ClientCertificateMode = (typeof CLIENT_CERTIFICATE_MODES)[number];

interface TlsDocument {
  readonly min_version?: (typeof TLS_VERSIONS)[number];
  readonly client_certificates?: ClientCertificateMode;
  /** PEM of the authorities that issue client certificates. */
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
