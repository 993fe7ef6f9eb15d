/**
 * Is what a directory hands out the certificate that was asked for? Looked at before it is stored.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { CoveredNames } from '../../../core/site/tls/covered-names.ts';
import { requiresStapling } from '../../../core/site/tls/must-staple.ts';
import { OrderFailure } from './failure.ts';
import { secondsOf } from './times.ts';

export interface Issued {
  /** PEM, the leaf first, nothing between the blocks. */
  readonly chain: string;
  readonly leaf: X509Certificate;
  /** Seconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
const MAX_CHAIN = 10;
/** Seconds for which it must still be good; clocks differ. */
const LEAST_LEFT = 3600;

/** `now`: seconds since 1970. Throws OrderFailure `bad_certificate`. */
export function checkIssued(pem: string, privateKey: string, names: readonly string[], now: number): Issued {
  const blocks: readonly string[] = pem.match(BLOCK) ?? [];
  if (blocks.length === 0 || blocks.length > MAX_CHAIN) refuse(`the chain has ${blocks.length} certificates`);
  const chain = blocks.map((block) => `${block}\n`).join('');
  let leaf: X509Certificate;
  try {
    leaf = new X509Certificate(blocks[0]);
    // With all of the chain, as a listener will load it.
    createSecureContext({ cert: chain, key: privateKey });
  } catch (error) {
    return refuse(`it cannot be loaded: ${(error as Error).message}`);
  }
  if (!leaf.checkPrivateKey(createPrivateKey(privateKey))) refuse('it was issued for a different key');
  // Not asked for (obtain.ts); a profile of the authority may add it.
  if (requiresStapling(leaf.raw)) refuse('it requires OCSP stapling (must-staple), which the edge does not support');
  const covered = CoveredNames.read(leaf.subjectAltName);
  const missing = names.filter((name) => !covered.covers(name));
  if (missing.length > 0) refuse(`it does not cover ${missing.join(', ')}`);
  const notBefore = secondsOf(leaf.validFrom);
  const notAfter = secondsOf(leaf.validTo);
  if (!(notBefore < notAfter && notAfter > now + LEAST_LEFT))
    refuse(`it is valid from ${leaf.validFrom} to ${leaf.validTo}`);
  return { chain, leaf, notBefore, notAfter };
}

function refuse(why: string): never {
  throw new OrderFailure(
    'bad_certificate',
    'The certificate authority issued an unusable certificate. The order is retried.',
    { detail: why },
  );
}
