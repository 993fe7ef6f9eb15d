/**
 * The keys that sign published packages. The private keys are rows, sealed, so that every node has
 * the same ones. The first key is created once for the cluster. A rotation creates a key that the
 * previous one endorses; both sign until the overlap ends.
 */

import type { KeyObject } from 'node:crypto';
import { StateError, UnavailableError } from '../../../../core/base/errors.ts';
import { FaultLog } from '../../../../core/base/log/throttle.ts';
import { RecentMap } from '../../../../core/base/recent-map.ts';
import type { Task } from '../../../../core/base/tasks.ts';
import { type Draft, write } from '../../../../core/journal/draft/draft.ts';
import type { Id } from '../../../../core/store/keys.ts';
import { storeKeysOf } from '../../../../core/store/package-reads.ts';
import { type StoreKeyRow, storeKeyContext, storeKeys } from '../../../../core/store/rows.ts';
import { change } from '../../../change/change.ts';
import type { Services } from '../../../change/services.ts';
import type { Caller } from '../../../http/caller.ts';
import { HttpError } from '../../../http/errors.ts';
import type { Context } from '../../../http/route.ts';
import { nowSeconds } from '../../../http/time.ts';
import { generateKey, openPrivateKey, signStatement } from './ed25519.ts';
import { viewKeys } from './key-view.ts';

interface SignedPackage {
  readonly appId: string;
  readonly versionCode: number;
  /** In lower case. */
  readonly sha256: string;
}

/**
 * The bytes that store keys sign. The first line names the kind, so that no signature of one kind
 * is valid for another; docs/mini-apps/distribution.md specifies them for phones.
 */
const packageStatement = ({ appId, versionCode, sha256 }: SignedPackage): Buffer =>
  Buffer.from(`waypost-store-package-v1\n${appId}\n${versionCode}\n${sha256}\n`);

/** An earlier key endorses a later one. Keys are the 32 bytes in base64. */
const endorsementStatement = (earlier: string, later: string): Buffer =>
  Buffer.from(`waypost-store-endorsement-v1\n${hex(earlier)}\n${hex(later)}\n`);

/** A key revokes itself. */
const revocationStatement = (key: string): Buffer => Buffer.from(`waypost-store-revocation-v1\n${hex(key)}\n`);

const hex = (base64: string): string => Buffer.from(base64, 'base64').toString('hex');

/** Milliseconds between two attempts to create the first key. */
const INTERVAL = 15_000;
const DAY = 86_400;
/** Maximum number of keys that sign: every package has a signature of each. */
const MAX_SIGNING = 4;
/** Maximum number of keys, of which clients read all. */
const MAX_KEYS = 500;
/** Maximum cached signatures. Ed25519 is deterministic, so all nodes make the same ones. */
const MAX_SIGNATURES = 20_000;

export interface Signature {
  readonly key_id: Id;
  readonly signature: string;
}

const signs = ({ sealedKey, signsUntil, revoked }: StoreKeyRow, now: number): boolean =>
  sealedKey !== null && revoked === null && (signsUntil === null || signsUntil > now);

export class StoreKeys {
  readonly #task: Task;
  readonly #unreadable: FaultLog;
  /** By public key. */
  readonly #opened = new Map<string, KeyObject>();
  /** By key and package; the oldest first. */
  readonly #signatures = new RecentMap<Promise<string>>(MAX_SIGNATURES);

  constructor(private readonly services: Services) {
    this.#unreadable = new FaultLog(
      services.log,
      'cannot decrypt the store key; this node serves no apps of the store',
      'the store key is decrypted again',
    );
    this.#task = services.tasks.add({
      name: 'store-key',
      owner: 'claim',
      due: INTERVAL,
      first: 0,
      log: services.log,
      messages: ['cannot create the store key; retrying', 'the store key was created'],
      run: () => this.#ensure(),
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** Oldest first. */
  get rows(): readonly StoreKeyRow[] {
    return storeKeysOf(this.services.reader);
  }

  /**
   * The signatures of all keys that sign now; that of the current key first. Throws
   * UnavailableError.
   */
  async sign(signed: SignedPackage, rows = this.rows): Promise<readonly Signature[]> {
    const now = nowSeconds();
    const signing = rows.filter((row) => signs(row, now)).reverse();
    if (signing.length === 0) throw new UnavailableError('store_unavailable', 'There is no store key yet; retry.');
    return Promise.all(
      signing.map(async (row) => ({ key_id: row.number, signature: await this.#signature(row, signed) })),
    );
  }

  /** Throws HttpError, StateError, UnavailableError. */
  rotate(context: Context<Caller>, overlapDays: number) {
    return change(this.services, context, async (draft) => {
      const rows = storeKeysOf(draft);
      const now = nowSeconds();
      requireRoom(rows, now, overlapDays > 0);
      const previous = rows.at(-1);
      const row = await this.#newRow(rows, previous);
      draft.put(storeKeys, row);
      for (const old of rows) {
        const ended = old === previous ? { ...old, signsUntil: now + overlapDays * DAY } : old;
        // A key that does not sign any more is not needed.
        const next = signs(ended, now) ? ended : { ...ended, sealedKey: null };
        if (next.sealedKey !== old.sealedKey || next.signsUntil !== old.signsUntil) draft.put(storeKeys, next);
      }
      return result(draft, 'store_key.rotate', row);
    });
  }

  /** The current key is replaced by one that no key endorses. Throws like `rotate`. */
  revoke(context: Context<Caller>, keyId: Id, reason: string) {
    return change(this.services, context, async (draft) => {
      const rows = storeKeysOf(draft);
      const row = rows.find(({ number }) => number === keyId);
      if (row === undefined) throw new HttpError(404, 'no_such_store_key', 'There is no store key with this id.');
      if (row.revoked !== null) throw new StateError('store_key_revoked', 'The key is already revoked.');
      const signature = await this.#revocation(row);
      draft.put(storeKeys, { ...row, sealedKey: null, revoked: { at: nowSeconds(), reason, signature } });
      if (row === rows.at(-1)) {
        requireRoom(rows, nowSeconds(), false);
        draft.put(storeKeys, await this.#newRow(rows, undefined));
      }
      return result(draft, 'store_key.revoke', row, { reason });
    });
  }

  /** Creates the first key. Of several nodes, one commits it, and the others find it. */
  async #ensure(): Promise<void> {
    if (this.rows.length > 0) return;
    const { environment, journal, log } = this.services;
    const { result: created } = await write(environment, journal, 'store', async (draft) => {
      if (storeKeysOf(draft).length > 0) return null;
      const row = await this.#newRow([], undefined);
      draft.put(storeKeys, row);
      return row;
    });
    if (created !== null) log.info('store key created', { key: created.number });
  }

  async #newRow(rows: readonly StoreKeyRow[], endorser: StoreKeyRow | undefined): Promise<StoreKeyRow> {
    const number = (rows.at(-1)?.number ?? 0) + 1;
    const { publicKey, privateKey } = generateKey();
    const sealedKey = this.services.secrets.seal(privateKey, storeKeyContext(number)).toString('base64');
    privateKey.fill(0);
    const endorsement = endorser && {
      by: endorser.number,
      signature: await signStatement(endorsementStatement(endorser.publicKey, publicKey), this.#open(endorser)),
    };
    return {
      number,
      publicKey,
      sealedKey,
      endorsement: endorsement ?? null,
      createdAt: nowSeconds(),
      signsUntil: null,
      revoked: null,
    };
  }

  /** Null: the private key was destroyed, or it cannot be decrypted. */
  async #revocation(row: StoreKeyRow): Promise<string | null> {
    try {
      return row.sealedKey === null ? null : await signStatement(revocationStatement(row.publicKey), this.#open(row));
    } catch (error) {
      if (error instanceof UnavailableError) return null;
      throw error;
    }
  }

  #signature(row: StoreKeyRow, signed: SignedPackage): Promise<string> {
    const statement = packageStatement(signed);
    return this.#signatures.of(`${row.publicKey}\n${statement}`, () => signStatement(statement, this.#open(row)));
  }

  /** Throws UnavailableError if this node cannot decrypt the key. */
  #open({ number, publicKey, sealedKey }: StoreKeyRow): KeyObject {
    const opened = this.#opened.get(publicKey);
    if (opened !== undefined) return opened;
    try {
      const pkcs8 = this.services.secrets.unseal(Buffer.from(sealedKey ?? '', 'base64'), storeKeyContext(number));
      const key = openPrivateKey(pkcs8);
      pkcs8.fill(0);
      this.#opened.set(publicKey, key);
      this.#unreadable.report(null);
      return key;
    } catch (error) {
      this.#unreadable.report(error);
      throw new UnavailableError(
        'store_unavailable',
        'This node cannot decrypt the store key; all nodes need the same secrets.key_file.',
        { cause: error },
      );
    }
  }
}

function requireRoom(rows: readonly StoreKeyRow[], now: number, overlaps: boolean): void {
  const others = rows.slice(0, -1).filter((row) => signs(row, now)).length;
  if (rows.length >= MAX_KEYS)
    throw new StateError('too_many_store_keys', `There are ${MAX_KEYS} store keys, which is the limit.`);
  if (overlaps && others + 2 > MAX_SIGNING)
    throw new StateError(
      'too_many_store_keys',
      `${MAX_SIGNING} keys sign already; wait until the overlap of one ends, or rotate with "overlap_days" 0.`,
    );
}

function result(draft: Draft, action: string, { number }: StoreKeyRow, more: Readonly<Record<string, string>> = {}) {
  return {
    action,
    target: number,
    detail: { key_id: number, ...more },
    createResponse: () => ({ keys: viewKeys(storeKeysOf(draft)) }),
  };
}
