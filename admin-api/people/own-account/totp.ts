/**
 * The caller's own one-time codes: creation of a secret, confirmation with a first code, and
 * removal.
 */
import { StateError } from '../../../core/base/errors.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import { type Account, type Totp, totpContext, totps } from '../../../core/store/rows.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';
import type { SignInParts } from '../auth/sign-in.ts';
import { acceptedStep, codeError, newRecoveryCodes, newSecret, toBase32, toUri } from '../factors/code-check.ts';
import { type Confirmation, type ConfirmedContext, changeWithFactors, changeWithPassword } from './confirm.ts';

/** Seconds in which a new secret must be confirmed. */
const PENDING_LIFETIME = 3600;

export function viewTotp(row: Totp | undefined) {
  const isOn = row !== undefined && row.confirmedAt !== null;
  return {
    enabled: isOn,
    confirmed_at: isOn && row.confirmedAt !== null ? formatTime(row.confirmedAt) : null,
    recovery_codes_left: isOn ? row.recoveryHashes.length : 0,
  };
}

/** Creates a secret, and replaces an unconfirmed secret. Throws StateError `totp_enabled`. */
export function beginTotp(parts: SignInParts, context: ConfirmedContext) {
  const { secrets, config } = parts.services;
  return changeWithPassword(parts, context, (draft, account) => {
    requireOff(draft, account);
    const secret = newSecret();
    const [host] = config.admin.hostname;
    const issuer = host === undefined ? 'Waypost' : `Waypost ${host}`;
    const response = { secret: toBase32(secret), uri: toUri(secret, issuer, account.username) };
    const sealed = secrets.seal(secret, totpContext(account.id)).toString('base64');
    secret.fill(0);
    draft.put(totps, {
      accountId: account.id,
      sealed,
      createdAt: nowSeconds(),
      confirmedAt: null,
      lastStep: 0,
      recoveryHashes: [],
      failures: 0,
      lockedUntil: 0,
    });
    return { action: 'totp.begin', target: account.id, createResponse: () => response };
  });
}

/**
 * Turns the codes on with a first code. Throws HttpError 403 `bad_code`, and StateError
 * `totp_enabled` or `totp_not_begun`.
 */
export function confirmTotp(parts: SignInParts, context: ConfirmedContext<Confirmation & { readonly code: string }>) {
  return changeWithPassword(parts, context, (draft, account) => {
    requireOff(draft, account);
    const row = draft.totp(account.id);
    if (row === undefined || row.createdAt <= nowSeconds() - PENDING_LIFETIME)
      throw new StateError('totp_not_begun', 'There is no new secret to confirm; POST /api/v1/account/totp makes one.');
    const lastStep = acceptedStep(parts.services.secrets, row, context.body.code.replace(/\s/g, ''));
    if (lastStep === null) throw codeError(403, { code: 'bad_code' });
    const { texts, hashes } = newRecoveryCodes(account.id);
    draft.put(totps, { ...row, confirmedAt: nowSeconds(), lastStep, recoveryHashes: hashes });
    return { action: 'totp.enable', target: account.id, createResponse: () => ({ recovery_codes: texts }) };
  });
}

/** Throws StateError `totp_disabled`. */
export function renewRecoveryCodes(parts: SignInParts, context: ConfirmedContext) {
  return changeWithFactors(parts, context, (draft, account) => {
    const row = draft.totp(account.id);
    if (row === undefined || row.confirmedAt === null) throw disabled();
    const { texts, hashes } = newRecoveryCodes(account.id);
    draft.put(totps, { ...row, recoveryHashes: hashes });
    return { action: 'totp.recovery_codes', target: account.id, createResponse: () => ({ recovery_codes: texts }) };
  });
}

/** Throws StateError `totp_disabled`. */
export function removeTotp(parts: SignInParts, context: ConfirmedContext) {
  return changeWithFactors(parts, context, (draft, account) => {
    const row = draft.totp(account.id);
    if (row === undefined) throw disabled();
    draft.delete(totps, row);
    return { action: 'totp.disable', target: account.id, createResponse: () => ({}) };
  });
}

function requireOff(draft: Draft, account: Account): void {
  if ((draft.totp(account.id)?.confirmedAt ?? null) !== null)
    throw new StateError('totp_enabled', 'One-time codes are on already; DELETE /api/v1/account/totp turns them off.');
}

const disabled = (): StateError => new StateError('totp_disabled', 'One-time codes are off for this account.');
