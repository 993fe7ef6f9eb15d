/**
 * Completes a rotation of the secret key: re-encrypts rows that were encrypted with the previous
 * key, so that it can be removed from the key file. Runs in the background from the start, only
 * while the file has two keys. Responses stored for an Idempotency-Key are skipped: they expire
 * within a day.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { WaypostError } from '../../base/errors.ts';
import type { Logger } from '../../base/log/index.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Environment } from '../../store/environment.ts';
import { rawReader } from '../../store/raw-reader.ts';
import {
  acmeAccountContext,
  acmeAccounts,
  automaticCertificateContext,
  automaticCertificates,
  certificateContext,
  certificates,
  type DnssecRow,
  dnssec,
  dnssecContext,
  furtherCertificates,
  hasSecrets,
  rsaCertificates,
  type SiteDocument,
  type StoreKeyRow,
  siteDocumentContext,
  siteDocuments,
  siteDocumentVersions,
  storeKeyContext,
  storeKeys,
  type Table,
  TICKET_KEYS_CONTEXT,
  ticketKeys,
  totpContext,
  totps,
  tsigContext,
  tsigKeys,
  UPLOADED_SLOT,
  type WebhookRow,
  webhookContext,
  webhooks,
} from '../../store/rows.ts';
import { type Draft, write } from '../draft/draft.ts';
import type { Journal } from '../journal.ts';

/** Rows per page and per commit: about 100 KB with their certificates, 1 to 2 ms. */
const PAGE = 32;
/** Milliseconds between two pages, so that other work gets most of the event loop and the disk. */
const PAUSE_MS = 20;

const BY = 'rotation';

/** A table with encrypted values in each row, in base64. */
interface Kind {
  readonly table: Table<unknown>;
  sealedOf(row: unknown): readonly string[];
  contextOf(row: unknown): string;
  /** The row with other encrypted values, in the same order. */
  withSealed(row: unknown, sealed: readonly string[]): unknown;
}

/** `field`: the name of the encrypted field, in base64. */
function kindOf<Field extends string, Row extends Readonly<Record<Field, string>>>(
  table: Table<Row>,
  field: Field,
  contextOf: (row: Row) => string,
): Kind {
  return {
    table: table as Table<unknown>,
    sealedOf: (row) => [(row as Row)[field]],
    contextOf: (row) => contextOf(row as Row),
    withSealed: (row, [sealed]) => ({ ...(row as Row), [field]: sealed }),
  };
}

/** The private keys of signed zones. */
const DNSSEC_KEYS: Kind = {
  table: dnssec as Table<unknown>,
  sealedOf: (row) => (row as DnssecRow).keys.map(({ sealed }) => sealed),
  contextOf: (row) => dnssecContext((row as DnssecRow).domainId),
  withSealed: (row, sealed) => ({
    ...(row as DnssecRow),
    keys: (row as DnssecRow).keys.map((key, i) => ({ ...key, sealed: sealed[i] })),
  }),
};

/** The private keys of the store, except destroyed ones. */
const STORE_KEYS: Kind = {
  table: storeKeys as Table<unknown>,
  sealedOf: (row) => [(row as StoreKeyRow).sealedKey ?? []].flat(),
  contextOf: (row) => storeKeyContext((row as StoreKeyRow).number),
  withSealed: (row, [sealedKey]) => ({ ...(row as StoreKeyRow), sealedKey }),
};

/** The current and the previous secret of a webhook. */
const WEBHOOKS: Kind = {
  table: webhooks as Table<unknown>,
  sealedOf(row) {
    const { sealed, sealedBefore } = row as WebhookRow;
    return sealedBefore === '' ? [sealed] : [sealed, sealedBefore];
  },
  contextOf: (row) => webhookContext((row as WebhookRow).id),
  withSealed: (row, [sealed, sealedBefore = '']) => ({ ...(row as WebhookRow), sealed, sealedBefore }),
};

/** Changes the non-empty fields of a document whose names start with "sealed", at any depth. */
function mapSealed(content: unknown, change: (sealed: string) => string): unknown {
  if (Array.isArray(content)) return content.map((item) => mapSealed(item, change));
  if (typeof content !== 'object' || content === null) return content;
  const entries = Object.entries(content).map(([name, value]) => {
    const isSealed = name.startsWith('sealed') && typeof value === 'string' && value !== '';
    return [name, isSealed ? change(value) : mapSealed(value, change)];
  });
  return Object.fromEntries(entries);
}

/** Keys of client certificates for origins, credentials of log deliveries, secrets of logins. */
const siteDocumentKind = (table: Table<SiteDocument>): Kind => ({
  table: table as Table<unknown>,
  sealedOf(row) {
    const { kind, content } = row as SiteDocument;
    const found: string[] = [];
    if (hasSecrets(kind))
      mapSealed(content, (sealed) => {
        found.push(sealed);
        return sealed;
      });
    return found;
  },
  contextOf: (row) => siteDocumentContext((row as SiteDocument).domainId, (row as SiteDocument).kind),
  withSealed(row, sealed) {
    const document = row as SiteDocument;
    let next = 0;
    return { ...document, content: mapSealed(document.content, () => sealed[next++]) };
  },
});

const KINDS: readonly Kind[] = [
  kindOf(certificates, 'sealedKey', ({ domainId }) => certificateContext(domainId)),
  kindOf(automaticCertificates, 'sealedKey', ({ domainId }) => automaticCertificateContext(domainId)),
  kindOf(furtherCertificates, 'sealedKey', ({ domainId }) => automaticCertificateContext(domainId)),
  kindOf(rsaCertificates, 'sealedKey', ({ domainId, slot }) =>
    slot === UPLOADED_SLOT ? certificateContext(domainId) : automaticCertificateContext(domainId),
  ),
  kindOf(tsigKeys, 'sealed', ({ id }) => tsigContext(id)),
  kindOf(totps, 'sealed', ({ accountId }) => totpContext(accountId)),
  kindOf(acmeAccounts, 'sealedKey', ({ directory }) => acmeAccountContext(directory)),
  kindOf(ticketKeys, 'sealed', () => TICKET_KEYS_CONTEXT),
  WEBHOOKS,
  DNSSEC_KEYS,
  STORE_KEYS,
  siteDocumentKind(siteDocuments),
  siteDocumentKind(siteDocumentVersions),
];

interface ResealOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly secrets: Secrets;
  readonly log: Logger;
}

interface Reseal {
  /** Whether every secret is encrypted with the first key, as far as a key decrypts it. */
  readonly isDone: boolean;
  /** Resolves when all rows were checked, or after `stop`. Never rejects. */
  readonly done: Promise<void>;
  /** Resolves when the current commit is finished. */
  stop(): Promise<void>;
}

export function startReseal(options: ResealOptions): Reseal {
  const { secrets, log } = options;
  const stopping = new AbortController();
  let isDone = !secrets.isRotating;
  const work = async (): Promise<void> => {
    if (isDone) return;
    const counts: Counts = { sealed: 0, lost: 0 };
    for (const kind of KINDS) await resealAll(options, kind, counts, stopping.signal);
    if (stopping.signal.aborted) return;
    isDone = true;
    const rows = { sealed: counts.sealed };
    if (counts.lost === 0)
      log.info(
        'all secrets are encrypted with the first key of secrets.key_file; remove the second key after a day',
        rows,
      );
    else log.error('cannot decrypt some rows with any key of secrets.key_file', { ...rows, lost: counts.lost });
  };
  const done = work().catch((error: unknown) => {
    log.error('cannot encrypt secrets with the new key; continuing at the next start', { error });
  });
  return {
    done,
    get isDone() {
      return isDone;
    },
    stop() {
      stopping.abort();
      return done;
    },
  };
}

/**
 * Counts the encrypted values in the rows of a store, and those that no key of the file decrypts.
 */
export function countSealed(environment: Environment, secrets: Secrets): { sealed: number; unsealable: number } {
  const counts = { sealed: 0, unsealable: 0 };
  for (const { table, sealedOf, contextOf } of KINDS)
    for (const { key, value } of environment.rows.get(table.number)!.getRange({})) {
      const row = table.decode(key as Buffer, value);
      for (const sealed of sealedOf(row)) {
        counts.sealed++;
        try {
          secrets.unseal(Buffer.from(sealed, 'base64'), contextOf(row)).fill(0);
        } catch (error) {
          if (!(error instanceof WaypostError) || error.code !== 'unsealable') throw error;
          counts.unsealable++;
        }
      }
    }
  return counts;
}

interface Counts {
  sealed: number;
  /** Rows that cannot be decrypted. */
  lost: number;
}

async function resealAll(options: ResealOptions, kind: Kind, counts: Counts, signal: AbortSignal): Promise<void> {
  const { environment, journal, secrets } = options;
  const reader = rawReader(environment);
  const { table } = kind;
  const isStale = (row: unknown): boolean =>
    kind.sealedOf(row).some((sealed) => secrets.isStale(Buffer.from(sealed, 'base64')));
  for (let start: Buffer = Buffer.alloc(0); !signal.aborted; ) {
    const entries = reader.range(table.number, start, undefined, PAGE);
    if (entries.length === 0) return;
    const stale = entries.filter(({ key, value }) => isStale(table.decode(key, value)));
    // Read buffers are valid until the next read.
    const keys = stale.map(({ key }) => Buffer.from(key));
    start = Buffer.concat([entries[entries.length - 1].key, Uint8Array.of(0)]);
    if (keys.length > 0) {
      // A commit that conflicts is retried with new counts.
      const { result } = await write(environment, journal, BY, (draft) => reseal(secrets, kind, draft, keys, isStale));
      counts.sealed += result.sealed;
      counts.lost += result.lost;
    }
    await sleep(PAUSE_MS);
  }
}

function reseal(
  secrets: Secrets,
  kind: Kind,
  draft: Draft,
  keys: readonly Buffer[],
  isStale: (row: unknown) => boolean,
): Counts {
  const counts: Counts = { sealed: 0, lost: 0 };
  for (const key of keys) {
    const row = draft.row(kind.table, key);
    // The row may have been deleted or changed in the meantime.
    if (row === undefined || !isStale(row)) continue;
    const context = kind.contextOf(row);
    try {
      const sealed = kind.sealedOf(row).map((before) => {
        const plain = secrets.unseal(Buffer.from(before, 'base64'), context);
        const after = secrets.seal(plain, context).toString('base64');
        plain.fill(0);
        return after;
      });
      draft.put(kind.table, kind.withSealed(row, sealed));
      counts.sealed++;
    } catch (error) {
      if (!(error instanceof WaypostError) || error.code !== 'unsealable') throw error;
      counts.lost++;
    }
  }
  return counts;
}
