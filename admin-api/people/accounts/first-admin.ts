/** Creates the first administrator on the first start. */
import { randomPassword } from '../../../core/base/random-password.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { accounts } from '../../../core/store/rows.ts';
import type { Services } from '../../change/services.ts';
import type { Passwords } from '../auth/password.ts';
import { newAccount } from './service.ts';

export const FIRST_ADMIN = 'admin';

export interface FirstAdminOutput {
  /**
   * Shows the generated password to the owner. Resolves when the operating system has the text, so
   * that a kill cannot lose it. If it rejects, no account is created.
   */
  show(password: string): Promise<void>;
  /** The account was not created after all: the shown password is not valid. */
  withdraw(): Promise<void>;
}

/** Slot owner during the startup, before any account exists. */
const SETUP = { account: '', network: '' };

/**
 * In an empty store, creates the account `admin` with the role admin and the plan unlimited.
 * Returns its generated password. Null if the configuration sets the password, or if there are
 * accounts. The password is shown before the account exists: a process that is killed in between
 * leaves no account, and the next start retries.
 */
export async function createFirstAdmin(
  { environment, journal, config, reader }: Pick<Services, 'environment' | 'journal' | 'config' | 'reader'>,
  passwords: Passwords,
  output: FirstAdminOutput,
): Promise<string | null> {
  if (reader.accounts(null, 1).length > 0) return null;
  const generated = config.admin.password === undefined ? randomPassword() : null;
  const body = { username: FIRST_ADMIN, role: 'admin', plan: 'unlimited' } as const;
  const hash = await passwords.hash(config.admin.password ?? generated ?? '', SETUP);
  const account = newAccount({ config }, body, hash);
  let isShown = false;
  let isCreated = false;
  try {
    const { result } = await write(environment, journal, 'setup', async (draft) => {
      // Another node of a new cluster may have been first.
      if (draft.accounts(null, 1).length > 0) return false;
      draft.put(accounts, { id: draft.newId(accounts), ...account });
      if (generated !== null && !isShown) {
        await output.show(generated);
        isShown = true;
      }
      return true;
    });
    isCreated = result;
  } finally {
    if (isShown && !isCreated) await output.withdraw();
  }
  return isCreated ? generated : null;
}
