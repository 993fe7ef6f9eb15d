/** Compiles a protection document for the threads of the edge. */
import { createHash } from 'node:crypto';
import type { UploadTerms } from '../uploads.ts';
import { type ChallengeMode, fullProtection, type ProtectionDocument } from './document.ts';

/** Per node; Infinity: no limit for this site. */
export interface SiteLimits {
  readonly connections: number;
  readonly newConnectionsPerSecond: number;
  readonly requestsInFlight: number;
  readonly requestsPerSecond: number;
}

/** Milliseconds, and bytes per second. Undefined: the setting of the node. */
export interface SlowBudget {
  readonly headerTimeout: number | undefined;
  readonly idleTimeout: number | undefined;
  readonly bodyRate: number | undefined;
  readonly readTimeout: number | undefined;
}

export interface ChallengeTerms {
  readonly mode: ChallengeMode;
  readonly difficulty: number;
  /** Seconds. */
  readonly validFor: number;
  readonly wait: number;
  /** Requests per second. */
  readonly above: number;
  readonly except: readonly string[];
}

/** The same as `TlsPolicy` of the edge. */
export interface SiteTlsPolicy {
  readonly fingerprint: string;
  readonly requiresTls13: boolean;
  readonly clients: { readonly isRequired: boolean; readonly authorities: string } | null;
}

export interface SiteProtection {
  readonly limits: SiteLimits;
  /** Null: the settings of the node apply. */
  readonly slow: SlowBudget | null;
  readonly uploads: UploadTerms;
  readonly challenge: ChallengeTerms;
  /** Null: the default TLS policy. */
  readonly tls: SiteTlsPolicy | null;
}

export function compileProtection(document: ProtectionDocument): SiteProtection {
  const { limits, slow, uploads, challenge, tls } = fullProtection(document);
  const milliseconds = (seconds: number | null): number | undefined => (seconds === null ? undefined : seconds * 1000);
  const budget: SlowBudget = {
    headerTimeout: milliseconds(slow.header_timeout),
    idleTimeout: milliseconds(slow.idle_timeout),
    bodyRate: slow.body_rate ?? undefined,
    readTimeout: milliseconds(slow.read_timeout),
  };
  const authorities = tls.client_authorities ?? '';
  const clients =
    tls.client_certificates === 'off' ? null : { isRequired: tls.client_certificates === 'required', authorities };
  const policy = { requiresTls13: tls.min_version === '1.3', clients };
  return {
    limits: {
      connections: limits.connections ?? Number.POSITIVE_INFINITY,
      newConnectionsPerSecond: limits.new_connections_per_second ?? Number.POSITIVE_INFINITY,
      requestsInFlight: limits.requests_in_flight ?? Number.POSITIVE_INFINITY,
      requestsPerSecond: limits.requests_per_second ?? Number.POSITIVE_INFINITY,
    },
    slow: Object.values(budget).every((value) => value === undefined) ? null : budget,
    uploads: { maxSize: uploads.max_size, buffer: uploads.buffer },
    challenge: {
      mode: challenge.mode,
      difficulty: challenge.difficulty,
      validFor: challenge.valid_for,
      wait: challenge.wait,
      above: challenge.above,
      except: challenge.except,
    },
    tls:
      policy.requiresTls13 || clients !== null
        ? { ...policy, fingerprint: createHash('sha256').update(JSON.stringify(policy)).digest('base64') }
        : null,
  };
}

/** The protection of sites without a document; rules of type `challenge` need it too. */
export const USUAL_PROTECTION: SiteProtection = compileProtection({});
