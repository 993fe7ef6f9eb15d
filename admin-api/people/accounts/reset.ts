/**
 * Sets the password of an account directly in the data folder, for an operator who cannot sign in.
 * Write access to the folder replaces the permission of the API.
 */
import { InvalidError, StateError } from '../../../core/base/errors.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import type { Journal } from '../../../core/journal/journal.ts';
import type { Environment } from '../../../core/store/environment.ts';
import { type Account, accounts, audits } from '../../../core/store/rows.ts';
import { StoreReader } from '../../../core/store/store-reader.ts';
import { nowSeconds } from '../../http/time.ts';
import { Passwords } from '../auth/password.ts';
import { MAX_PASSWORD, MIN_PASSWORD } from '../auth/schema.ts';
import { endSessions } from '../auth/sessions.ts';
import { unlockCodes } from '../factors/code-check.ts';
import { removeFactors } from '../factors/remove.ts';

export interface Reset {
  /** Username or e-mail address. */
  readonly login: string;
  readonly password: string;
  /** Whether to remove one-time codes and passkeys too. */
  readonly removesFactors: boolean;
}

export interface ResetResult {
  readonly account: Account;
  readonly sessionsEnded: number;
  /** Null: second factors were not removed. */
  readonly factorsRemoved: { readonly totp: boolean; readonly passkeys: number } | null;
  /** Whether the account has second factors now. */
  readonly hasFactors: boolean;
}

/** The author of the entry in the journal. */
const BY = 'account-reset';
/** Maximum accounts in an error message. */
const NAMED = 10;
/** The operator is the only client. */
const OPERATOR = { account: '', network: '' };

/** Throws InvalidError if the password is too short or too long. */
export function checkPassword(password: string): void {
  if (password.length >= MIN_PASSWORD && password.length <= MAX_PASSWORD) return;
  throw new InvalidError('no_password', `A password has ${MIN_PASSWORD} to ${MAX_PASSWORD} characters.`);
}

/** Throws StateError `no_such_account`. */
export async function resetPassword(
  { environment, journal }: { readonly environment: Environment; readonly journal: Journal },
  { login, password, removesFactors }: Reset,
): Promise<ResetResult> {
  requireAccount(new StoreReader(environment), login);
  const passwordHash = await new Passwords().hash(password, OPERATOR);
  const { result } = await write(
    environment,
    journal,
    BY,
    (draft): ResetResult => {
      const found = requireAccount(draft, login);
      const at = nowSeconds();
      const account = { ...found, passwordHash, updatedAt: at };
      draft.put(accounts, account);
      unlockCodes(draft, account.id);
      const sessionsEnded = endSessions(draft, account.id);
      const factorsRemoved = removesFactors ? removeFactors(draft, account.id) : null;
      const hasCodes = (draft.totp(account.id)?.confirmedAt ?? null) !== null;
      const hasFactors = hasCodes || draft.passkeysOf(account.id).length > 0;
      draft.insert(audits, {
        id: 0,
        accountId: account.id,
        actor: null,
        action: 'account.reset',
        domain: null,
        target: account.id,
        detail: {
          username: account.username,
          password_changed: true,
          sessions_ended: sessionsEnded,
          ...(factorsRemoved && { factors_removed: factorsRemoved }),
        },
        requestId: '',
        remoteAddress: '',
        at,
        revision: 0,
      });
      return { account, sessionsEnded, factorsRemoved, hasFactors };
    },
    { isUrgent: true },
  );
  return result;
}

type AccountReader = Pick<StoreReader, 'accountByLogin' | 'accounts'>;

function requireAccount(reader: AccountReader, login: string): Account {
  const account = reader.accountByLogin(login);
  if (account !== undefined) return account;
  const names = reader.accounts(null, NAMED).map(({ username }) => username);
  const others = names.length === 0 ? 'it has none; the next start creates "admin"' : `it has ${names.join(', ')}`;
  throw new StateError('no_such_account', `The data folder has no account "${login}": ${others}.`);
}
