/** What TLS of the edge is like, in either implementation. */

/** Protocols of ALPN (RFC 7301) in the order of our preference. */
export const PROTOCOLS = ['h2', 'http/1.1'] as const;

/**
 * Mozilla's "intermediate" list without finite-field Diffie-Hellman, which is slow, and which no
 * client needs: forward secrecy and AEAD only, so none of RFC 9113 appendix A.
 *
 * The order of the server counts: AES-128 with SHA-256 first, as browsers prefer it. Clients of
 * OpenSSL list AES-256 with SHA-384 first, whose key derivation takes 5 % of a resumed handshake
 * more. A client that lists ChaCha20 first has no AES in hardware, and gets ChaCha20.
 */
export const TLS13_CIPHERS = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'].join(
  ':',
);
export const TLS12_CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

const CLASSICAL_GROUPS = 'X25519:prime256v1:secp384r1';

/**
 * Key exchange groups. The first list that OpenSSL accepts is used: the hybrid of ML-KEM-768 and
 * X25519, which browsers prefer, exists from OpenSSL 3.5 on (Node 24). It also protects recorded
 * traffic against later quantum computers.
 */
export const GROUP_LISTS = [`X25519MLKEM768:${CLASSICAL_GROUPS}`, CLASSICAL_GROUPS] as const;

/**
 * What sessions of the edge are bound to besides their server name: those of another service in the
 * process are not ours.
 */
export const SESSION_CONTEXT = 'waypost edge';

/**
 * A fatal alert before any key is agreed (RFC 8446 section 6, RFC 6066 section 3):
 * unrecognized_name.
 */
export const UNRECOGNIZED_NAME: Uint8Array = Uint8Array.of(21, 3, 3, 0, 2, 2, 112);
/** The same: protocol_version. */
export const PROTOCOL_VERSION: Uint8Array = Uint8Array.of(21, 3, 3, 0, 2, 2, 70);

/**
 * Contexts of certificates that a thread keeps for node:tls: 25 KB and 1 ms each. Those of
 * certificates that are asked for seldom are made again: of 100,000 they would take 2.5 GB.
 */
export const MAX_CONTEXTS = 1000;

/** Lists of clients' authorities that a thread keeps: few sites ask clients for certificates. */
export const MAX_AUTHORITIES = 256;

/**
 * Chains that are kept: one for each authority's certificate below the root, of which there are
 * few.
 */
export const MAX_CHAINS = 64;

/**
 * Messages of a client in a row that carry no data, once it has shaken hands: KeyUpdates (RFC 8446
 * section 4.6.3), or renegotiations that are refused. Each costs us 4 µs for its 27 bytes; no
 * client has use for two. BoringSSL's bound.
 */
export const MAX_IDLE_MESSAGES = 32;
