/** TLS settings of the edge, for OpenSSL through koffi and for node:tls. */

/** ALPN protocols (RFC 7301) in order of preference. */
export const PROTOCOLS = ['h2', 'http/1.1'] as const;

/**
 * Mozilla's "intermediate" list without finite-field Diffie-Hellman, which is slow and which no
 * client needs. All suites have forward secrecy and AEAD, so none is in RFC 9113 appendix A.
 *
 * The server's order is used: AES-128 with SHA-256 first, as browsers prefer it. OpenSSL clients
 * list AES-256 with SHA-384 first, whose key derivation makes a resumed handshake 5 % slower. A
 * client that lists ChaCha20 first has no AES in hardware, and gets ChaCha20.
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
 * Part of the session id context, next to the server name. It separates sessions of the edge from
 * those of other services in the process.
 */
export const SESSION_CONTEXT = 'waypost edge';

/**
 * The fatal alert unrecognized_name, unencrypted, since no key is agreed yet (RFC 8446 section 6,
 * RFC 6066 section 3).
 */
export const UNRECOGNIZED_NAME: Uint8Array = Uint8Array.of(21, 3, 3, 0, 2, 2, 112);
/** The fatal alert protocol_version, unencrypted. */
export const PROTOCOL_VERSION: Uint8Array = Uint8Array.of(21, 3, 3, 0, 2, 2, 70);

/**
 * Contexts that a thread caches for node:tls. Each takes 25 KB and 1 ms. Contexts of rarely used
 * certificates are created again: 100,000 would take 2.5 GB.
 */
export const MAX_CONTEXTS = 1000;

/** Lists of client authorities that a thread caches. Few sites request client certificates. */
export const MAX_AUTHORITIES = 256;

/**
 * Chains that a thread caches. There is one for each issuing certificate of the authorities, which
 * are few.
 */
export const MAX_CHAINS = 64;

/**
 * Maximum number of consecutive messages without data after the handshake: KeyUpdates (RFC 8446
 * section 4.6.3), or renegotiations, which are rejected. Each costs the server 4 µs for 27 bytes.
 * No client needs two. BoringSSL has the same limit.
 */
export const MAX_IDLE_MESSAGES = 32;
