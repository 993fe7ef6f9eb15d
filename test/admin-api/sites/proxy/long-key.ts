/** An RSA key of 4104 bits, from known primes: to find primes of this size takes seconds. */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyPair } from '../../../support/certificate.ts';

const P = 2n ** 2052n - 395n;
const Q = 2n ** 2052n - 3635n;
const E = 65_537n;

/** The inverse of `value` modulo `modulus` by Euclid's algorithm. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [rest, next] = [modulus, value % modulus];
  let [factor, nextFactor] = [0n, 1n];
  while (next !== 0n) {
    const quotient = rest / next;
    [rest, next] = [next, rest - quotient * next];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  return factor < 0n ? factor + modulus : factor;
}

function base64url(value: bigint): string {
  const digits = value.toString(16);
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex').toString('base64url');
}

const d = inverse(E, (P - 1n) * (Q - 1n));
const numbers = { n: P * Q, e: E, d, p: P, q: Q, dp: d % (P - 1n), dq: d % (Q - 1n), qi: inverse(Q, P) };
const fields = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, base64url(value)]));
const privateKey = createPrivateKey({ key: { kty: 'RSA', ...fields }, format: 'jwk' });

export const LONG_KEY: KeyPair = { privateKey, publicKey: createPublicKey(privateKey) };
