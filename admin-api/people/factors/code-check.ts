/**
 * Checks the code of an account with one-time codes, after its password. The whole state is in one
 * row. A code therefore works only once, and wrong codes are counted across all nodes.
 *
 * Only clients that know the password can lock the codes. Recovery codes and passkeys work during a
 * lock, and a new password ends it. A lock therefore cannot keep the owner out.
 *
 * Also generates the secrets and the recovery codes.
 */
import { createHash, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { Secrets } from '../../../core/base/secrets.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Id } from '../../../core/store/keys.ts';
import type { Reader } from '../../../core/store/reader.ts';
import { type Totp, totpContext, totps } from '../../../core/store/rows.ts';
import { HttpError } from '../../http/errors.ts';
import { nowSeconds } from '../../http/time.ts';

/** RFC 4226 4, R6 recommends 160 bits. */
const SECRET_BYTES = 20;
const PERIOD = 30;
const DIGITS = 6;
/** A clock may be one step ahead or behind (RFC 6238 5.2). */
const WINDOW = 1;

/** Number of wrong codes before the first lock. */
const FREE_FAILURES = 4;
/** Seconds of the first lock. Each further wrong code doubles the duration, up to MAX_LOCK. */
const FIRST_LOCK = 30;
const MAX_LOCK = 3600;

type CodeCheck =
  /** `by`: the kind of the accepted code; null: the account has no one-time codes. */
  | { readonly isAccepted: true; readonly by: 'code' | 'recovery code' | null }
  | { readonly isAccepted: false; readonly refusal: Refusal };

type Refusal =
  | { readonly code: 'code_required' | 'bad_code' }
  | { readonly code: 'code_locked'; readonly seconds: number };

const refused = (code: 'code_required' | 'bad_code'): CodeCheck => ({ isAccepted: false, refusal: { code } });

/** Whether the account needs a code to sign in. */
export const hasCodes = (reader: Reader, accountId: Id): boolean =>
  (reader.totp(accountId)?.confirmedAt ?? null) !== null;

/**
 * Puts the changed row into the draft, which must be committed after a refusal too. `text`: the
 * code of the request.
 */
export function checkCode(draft: Draft, secrets: Secrets, accountId: Id, text: string | undefined): CodeCheck {
  const row = draft.totp(accountId);
  if (row === undefined || row.confirmedAt === null) return { isAccepted: true, by: null };
  const code = text?.replace(/\s/g, '') ?? '';
  if (code === '') return refused('code_required');
  return isOneTimeCode(code) ? checkOneTimeCode(draft, secrets, row, code) : checkRecoveryCode(draft, row, code);
}

function checkOneTimeCode(draft: Draft, secrets: Secrets, row: Totp, code: string): CodeCheck {
  const now = nowSeconds();
  if (row.lockedUntil > now)
    return { isAccepted: false, refusal: { code: 'code_locked', seconds: row.lockedUntil - now } };
  const step = acceptedStep(secrets, row, code);
  if (step === null) {
    const failures = row.failures + 1;
    const lock = failures > FREE_FAILURES ? Math.min(MAX_LOCK, FIRST_LOCK * 2 ** (failures - FREE_FAILURES - 1)) : 0;
    draft.put(totps, { ...row, failures, lockedUntil: lock === 0 ? 0 : now + lock });
    return refused('bad_code');
  }
  draft.put(totps, { ...row, lastStep: step, failures: 0, lockedUntil: 0 });
  return { isAccepted: true, by: 'code' };
}

function checkRecoveryCode(draft: Draft, row: Totp, code: string): CodeCheck {
  const hash = hashRecoveryCode(row.accountId, code);
  const recoveryHashes = row.recoveryHashes.filter((other) => other !== hash);
  if (recoveryHashes.length === row.recoveryHashes.length) return refused('bad_code');
  draft.put(totps, { ...row, recoveryHashes, failures: 0, lockedUntil: 0 });
  return { isAccepted: true, by: 'recovery code' };
}

/** The time step of a valid code that is later than the last accepted one; else null. */
export function acceptedStep(secrets: Secrets, { accountId, sealed, lastStep }: Totp, code: string): number | null {
  const secret = secrets.unseal(Buffer.from(sealed, 'base64'), totpContext(accountId));
  const step = stepOf(secret, code);
  secret.fill(0);
  return step !== null && step > lastStep ? step : null;
}

const MESSAGES = {
  code_required: 'The account has a second factor: send "code" too, a code of its authenticator or a recovery code.',
  bad_code: 'The code is wrong, has expired, or was used before; use the next code of the authenticator.',
};

/** The error of a refused code. `status`: 401 at sign-in, 403 in a session. */
export function codeError(status: 401 | 403, refusal: Refusal): HttpError {
  if (refusal.code === 'code_locked')
    return new HttpError(
      429,
      'code_locked',
      `Too many wrong codes; retry in ${refusal.seconds} s, or use a recovery code or a passkey.`,
      { headers: { 'Retry-After': String(refusal.seconds) } },
    );
  return new HttpError(status, refusal.code, MESSAGES[refusal.code], {
    pointer: '/code',
    headers: status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {},
  });
}

/** Ends the lock after a password change: an attacker no longer has the password. */
export function unlockCodes(draft: Draft, accountId: Id): void {
  const row = draft.totp(accountId);
  if (row !== undefined && (row.failures > 0 || row.lockedUntil > 0))
    draft.put(totps, { ...row, failures: 0, lockedUntil: 0 });
}

export const newSecret = (): Buffer => randomBytes(SECRET_BYTES);

/** The secret in base32, for manual entry. */
export const toBase32 = (secret: Buffer): string => secretOf(secret).base32;

/** The otpauth URI for the QR code of authenticator apps. */
export const toUri = (secret: Buffer, issuer: string, label: string): string =>
  new TOTP({ issuer, label, secret: secretOf(secret), period: PERIOD, digits: DIGITS }).toString();

/** Whether a text has the form of a one-time code, not of a recovery code. */
const isOneTimeCode = (text: string): boolean => /^\d{6}$/.test(text);

/**
 * The time step of a one-time code (TOTP, RFC 6238: six digits, steps of 30 seconds, SHA-1),
 * compared in constant time; null: it is not valid now.
 */
function stepOf(secret: Buffer, code: string): number | null {
  const timestamp = Date.now();
  const totp = new TOTP({ secret: secretOf(secret), period: PERIOD, digits: DIGITS });
  const delta = totp.validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? null : Math.floor(timestamp / 1000 / PERIOD) + delta;
}

/** Copies the bytes, because small buffers share an ArrayBuffer. */
const secretOf = (secret: Buffer): Secret => new Secret({ buffer: new Uint8Array(secret).buffer });

const RECOVERY_CODES = 10;
const RECOVERY_CODE_BYTES = 10;

interface RecoveryCodes {
  readonly texts: readonly string[];
  readonly hashes: readonly string[];
}

/**
 * Recovery codes, for a lost authenticator: 16 characters of base32 in groups of four. Their 80
 * random bits cannot be guessed, so a fast hash is enough, and no lock stops them.
 */
export function newRecoveryCodes(accountId: Id): RecoveryCodes {
  const texts = Array.from({ length: RECOVERY_CODES }, () => {
    const code = toBase32(randomBytes(RECOVERY_CODE_BYTES)).toLowerCase();
    return code.replace(/.{4}(?=.)/g, '$&-');
  });
  return { texts, hashes: texts.map((text) => hashRecoveryCode(accountId, text)) };
}

/** The stored hash. Ignores case, spaces and hyphens. */
function hashRecoveryCode(accountId: Id, text: string): string {
  const code = text.toLowerCase().replace(/[\s-]/g, '');
  return createHash('sha256').update(`${accountId} ${code}`).digest('hex');
}
