/** Reads of accounts and of the rows that belong to an account. */
import type { Name } from '../dns/wire/name.ts';
import { type Id, idKey, LOOKUP, lookupKey } from './keys.ts';
import { RowReader, startAfter } from './raw-reader.ts';
import {
  type Account,
  accounts,
  credentialKey,
  type InstallationRow,
  installations,
  legacyTokenKey,
  loginKey,
  type Passkey,
  passkeys,
  type Replay,
  replayKey,
  replays,
  type Session,
  SINGLE_KEY,
  sessions,
  type Token,
  type TokenUse,
  type Totp,
  type TsigKeyRow,
  tokens,
  tokenUses,
  totps,
  tsigKeys,
  tsigNameKey,
  tsigNamesakes,
  WEBHOOK_QUEUE_KEY,
  type WebhookQueueRow,
  type WebhookRow,
  webhookQueues,
  webhooks,
} from './rows.ts';

/** Maximum keys of one name, besides those of an account, that a message is verified with. */
const MAX_NAMESAKES = 16;

export class AccountReader extends RowReader {
  account(id: Id): Account | undefined {
    return this.row(accounts, idKey(id));
  }

  hasAccount(id: Id): boolean {
    return this.raw.get(accounts.number, idKey(id)) !== undefined;
  }

  /** By username or e-mail address, case-insensitive. */
  accountByLogin(login: string): Account | undefined {
    return this.rowAt(accounts, loginKey(login));
  }

  accounts(after: Id | null, limit: number): Account[] {
    return this.rowsIn(accounts, startAfter(Buffer.alloc(0), after === null ? null : idKey(after)), undefined, limit);
  }

  token(id: Id): Token | undefined {
    return this.row(tokens, idKey(id));
  }

  hasToken(id: Id): boolean {
    return this.raw.get(tokens.number, idKey(id)) !== undefined;
  }

  /** By the id in the text of a token of Waypost 0.1. */
  tokenByLegacyId(legacyId: string): Token | undefined {
    return this.rowAt(tokens, legacyTokenKey(legacyId));
  }

  tokensOf(accountId: Id): Token[] {
    return this.rowsAt(tokens, lookupKey(LOOKUP.accountToken, idKey(accountId)), null);
  }

  tokenUse(tokenId: Id): TokenUse | undefined {
    return this.row(tokenUses, idKey(tokenId));
  }

  session(id: Id): Session | undefined {
    return this.row(sessions, idKey(id));
  }

  hasSession(id: Id): boolean {
    return this.raw.get(sessions.number, idKey(id)) !== undefined;
  }

  sessionsOf(accountId: Id): Session[] {
    return this.rowsAt(sessions, lookupKey(LOOKUP.accountSession, idKey(accountId)), null);
  }

  /** The one-time codes of an account. */
  totp(accountId: Id): Totp | undefined {
    return this.row(totps, idKey(accountId));
  }

  passkey(id: Id): Passkey | undefined {
    return this.row(passkeys, idKey(id));
  }

  passkeysOf(accountId: Id): Passkey[] {
    return this.rowsAt(passkeys, lookupKey(LOOKUP.accountPasskey, idKey(accountId)), null);
  }

  /** By the id that the authenticator assigned. */
  passkeyByCredential(credentialId: string): Passkey | undefined {
    return this.rowAt(passkeys, credentialKey(credentialId));
  }

  tsigKey(id: Id): TsigKeyRow | undefined {
    return this.row(tsigKeys, idKey(id));
  }

  /**
   * The keys with a name (wire form, lower case) that incoming messages may be signed with: those
   * of the account, of administrators, and some of others.
   */
  tsigKeysByName(name: Name, accountId: Id): TsigKeyRow[] {
    const old = this.rowAt(tsigKeys, tsigNameKey(name));
    const own = this.rowsAt(tsigKeys, tsigNamesakes(name, accountId), null);
    const others = this.rowsAt(tsigKeys, tsigNamesakes(name), null, MAX_NAMESAKES);
    const found = [...(old === undefined ? [] : [old]), ...own, ...others];
    return found.filter(({ id }, i) => found.findIndex((other) => other.id === id) === i);
  }

  tsigKeysOf(accountId: Id): TsigKeyRow[] {
    return this.rowsAt(tsigKeys, lookupKey(LOOKUP.accountTsigKey, idKey(accountId)), null);
  }

  webhook(id: Id): WebhookRow | undefined {
    return this.row(webhooks, idKey(id));
  }

  webhooksOf(accountId: Id): WebhookRow[] {
    return this.rowsAt(webhooks, lookupKey(LOOKUP.accountWebhook, idKey(accountId)), null);
  }

  webhookQueue(): WebhookQueueRow | undefined {
    return this.row(webhookQueues, WEBHOOK_QUEUE_KEY);
  }

  /** Undefined: no backup was made yet, and nothing was restored. */
  installation(): InstallationRow | undefined {
    return this.row(installations, SINGLE_KEY);
  }

  /** Whether webhooks, request logs and NOTIFY wait after a restore. */
  areDeliveriesPaused(): boolean {
    return this.installation()?.isPaused === true;
  }

  /** The stored response by the hash of account and Idempotency-Key. */
  replay(id: string): Replay | undefined {
    return this.row(replays, replayKey(id));
  }
}
