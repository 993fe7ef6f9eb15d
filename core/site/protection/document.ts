/**
 * The protection document of a domain: limits, budgets for slow clients, sizes of uploads, the
 * challenge, and TLS requirements. Its types follow from the schema, and its fields have the names
 * of the API. An omitted or null field has its default.
 */
import type { Static, TObject } from '@sinclair/typebox';
import { DocumentKind } from '../document-kind.ts';
import type { protectionBody, protectionView } from './schema.ts';

export type ProtectionDocument = Static<TObject<typeof protectionBody>>;

export const PROTECTION = new DocumentKind<ProtectionDocument, 'protection'>('protection', {});

/** A document with all its fields. */
type FullProtection = Static<TObject<typeof protectionView>>;

export type ChallengeDocument = NonNullable<ProtectionDocument['challenge']>;
export type ChallengeMode = FullProtection['challenge']['mode'];

const DEFAULT_PROTECTION: FullProtection = {
  limits: {
    connections: null,
    new_connections_per_second: null,
    requests_in_flight: null,
    requests_per_second: null,
  },
  slow: { header_timeout: null, idle_timeout: null, body_rate: null, read_timeout: null },
  uploads: { max_size: null, buffer: null },
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

export const fullProtection = ({ limits, slow, uploads, challenge, tls }: ProtectionDocument): FullProtection => ({
  limits: { ...DEFAULT_PROTECTION.limits, ...limits },
  slow: { ...DEFAULT_PROTECTION.slow, ...slow },
  uploads: { ...DEFAULT_PROTECTION.uploads, ...uploads },
  challenge: { ...DEFAULT_PROTECTION.challenge, ...challenge },
  tls: { ...DEFAULT_PROTECTION.tls, ...tls },
});
