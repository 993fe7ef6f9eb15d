/**
 * The signature algorithms of our TLS servers (RFC 8446 section 4.2.3), in OpenSSL's notation: its
 * defaults without SHA-1 and SHA-224, which RFC 9155 and today's scanners reject.
 */
const HASHES = ['sha256', 'sha384', 'sha512'] as const;

export const SIGNATURE_ALGORITHMS: string = [
  'ecdsa_secp256r1_sha256',
  'ecdsa_secp384r1_sha384',
  'ecdsa_secp521r1_sha512',
  ...['ed25519', 'ed448'],
  ...HASHES.map((hash) => `rsa_pss_pss_${hash}`),
  ...HASHES.map((hash) => `rsa_pss_rsae_${hash}`),
  ...HASHES.map((hash) => `rsa_pkcs1_${hash}`),
].join(':');
