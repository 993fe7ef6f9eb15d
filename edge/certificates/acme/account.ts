/** The cluster's account at a directory. All nodes share one key, encrypted in the store. */
import { generateKeyPairSync } from 'node:crypto';
import { WaypostError } from '../../../core/base/errors.ts';
import type { Logger } from '../../../core/base/log/index.ts';
import type { Secrets } from '../../../core/base/secrets.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import type { Journal } from '../../../core/journal/journal.ts';
import type { Environment } from '../../../core/store/environment.ts';
import { type AcmeAccount, acmeAccountContext, acmeAccounts } from '../../../core/store/rows.ts';

export interface Account {
  /** In PEM. A secret. */
  readonly key: string;
  /** Null: not registered yet. */
  readonly url: string | null;
  /** The e-mail address that the directory has; null: none; undefined: unknown. */
  readonly email: string | null | undefined;
}

export interface AccountStore {
  /** Creates a key if none exists, or if it cannot be decrypted. */
  open(): Promise<Account>;
  /** Stores the URL and e-mail address that the directory now has. */
  registered(
    account: Account,
    stored: { readonly url: string; readonly email: string | null | undefined },
  ): Promise<void>;
  /** Deletes this URL, so that the account is registered again with the same key. */
  forget(url: string): Promise<void>;
}

interface AccountStoreOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly secrets: Secrets;
  readonly log: Logger;
  readonly directory: string;
  readonly eabKid: string | undefined;
}

const BY = 'acme';

export function accountStore(options: AccountStoreOptions): AccountStore {
  const { environment, journal, secrets, log, directory } = options;
  const eabKid = options.eabKid ?? null;
  const context = acmeAccountContext(directory);
  const key = acmeAccounts.key({ directory, eabKid } as AcmeAccount);

  const opened = ({ sealedKey, url, email }: AcmeAccount): Account => ({
    key: secrets.unseal(Buffer.from(sealedKey, 'base64'), context).toString(),
    url,
    email,
  });

  const isOpenable = (row: AcmeAccount): boolean => {
    try {
      opened(row);
      return true;
    } catch (error) {
      if (!(error instanceof WaypostError)) throw error;
      log.error('cannot decrypt the key of the ACME account; registering a new account', { error });
      return false;
    }
  };

  const change = (work: (row: AcmeAccount | undefined) => AcmeAccount | undefined): Promise<unknown> =>
    write(environment, journal, BY, (draft) => {
      const row = work(draft.row(acmeAccounts, key));
      if (row !== undefined) draft.put(acmeAccounts, row);
    });

  return {
    async open() {
      const { result } = await write(environment, journal, BY, (draft) => {
        const acmeAccount = draft.row(acmeAccounts, key);
        if (acmeAccount !== undefined && isOpenable(acmeAccount)) return acmeAccount;
        const sealedKey = secrets.seal(Buffer.from(newKey()), context).toString('base64');
        const row = { directory, eabKid, sealedKey, url: null, createdAt: Math.floor(Date.now() / 1000) };
        draft.put(acmeAccounts, row);
        return row;
      });
      return opened(result);
    },
    async registered({ key: pem }, stored) {
      await change((row) => (row !== undefined && opened(row).key === pem ? { ...row, ...stored } : undefined));
    },
    async forget(url) {
      await change((row) => (row?.url === url ? { ...row, url: null, email: undefined } : undefined));
    },
  };
}

/** P-256: every directory must support ES256 (RFC 8555 6.2). */
function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
