/** One-time codes by time (TOTP, RFC 6238): six digits, steps of 30 seconds, SHA-1. */
import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** RFC 4226 4, R6 recommends 160 bits. */
const SECRET_BYTES = 20;
const PERIOD = 30;
const DIGITS = 6;
/** A clock may be one step ahead or behind (RFC 6238 5.2). */
const WINDOW = 1;

export const newSecret = (): Buffer => randomBytes(SECRET_BYTES);

/** The secret in base32, for manual entry. */
export const toBase32 = (secret: Buffer): string => secretOf(secret).base32;

/** The otpauth URI for the QR code of authenticator apps. */
export const toUri = (secret: Buffer, issuer: string, label: string): string =>
  new TOTP({ issuer, label, secret: secretOf(secret), period: PERIOD, digits: DIGITS }).toString();

/** Whether a text has the form of a one-time code, not of a recovery code. */
export const isOneTimeCode = (text: string): boolean => /^\d{6}$/.test(text);

/** The time step of a code, compared in constant time; null: it is not valid now. */
export function stepOf(secret: Buffer, code: string): number | null {
  const timestamp = Date.now();
  const totp = new TOTP({ secret: secretOf(secret), period: PERIOD, digits: DIGITS });
  const delta = totp.validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? null : Math.floor(timestamp / 1000 / PERIOD) + delta;
}

/** Copies the bytes, because small buffers share an ArrayBuffer. */
const secretOf = (secret: Buffer): Secret => new Secret({ buffer: new Uint8Array(secret).buffer });
