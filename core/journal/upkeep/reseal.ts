/**
 * The end of a rotation of the secret key: what was sealed under the key before is sealed anew, so that the key file can do without that one. In the background, from the start on and only
 * while the file holds two keys. Answers under an Idempotency-Key are left: they go by themselves within a day.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { WaypostError } from '../../base/errors.ts';
import type { Logger } from '../../base/log/index.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Environment } from '../../store/environment.ts';
import { rawReader } from '../../store/reader.ts';
import {
  acmeAccountContext,
  acmeAccounts,
  automaticCertificateContext,
  automaticCertificates,
  certificateContext,
  certificates,
  type Table,
  TICKET_KEYS_CONTEXT,
  ticketKeys,
  tsigContext,
  tsigKeys,
} from '../../store/rows.ts';
import { type Draft, write } from '../draft/draft.ts';
import type { Journal } from '../journal.ts';

/** Rows looked at in a turn, and sealed anew in a commit: some 100 KB with their certificates, a millisecond or two. */
const AT_ONCE = 32;
/** Milliseconds between two turns: the loop and the disk are others' for most of the time. */
const REST_MS = 20;

const BY = 'rotation';

/** A table with something sealed in each row. */
interface Kind {
  readonly table: Table<unknown>;
  sealedIn(row: unknown): string;
  contextOf(row: unknown): string;
  /** The row with that in its place. */
  sealedAs(row: unknown, sealed: string): unknown;
}

/** `field`: where it stands, in base64. */
function kind<Field extends string, Row extends Readonly<Record<Field, string>>>(
  table: Table<Row>,
  field: Field,
  contextOf: (row: Row) => string,
): Kind {
  return {
    table: table as Table<unknown>,
    sealedIn: (row) => (row as Row)[field],
    contextOf: (row) => contextOf(row as Row),
    sealedAs: (row, sealed) => ({ ...(row as Row), [field]: sealed }),
  };
}

const KINDS: readonly Kind[] = [
  kind(certificates, 'sealedKey', ({ domainId }) => certificateContext(domainId)),
  kind(automaticCertificates, 'sealedKey', ({ domainId }) => automaticCertificateContext(domainId)),
  kind(tsigKeys, 'sealed', ({ id }) => tsigContext(id)),
  kind(acmeAccounts, 'sealedKey', ({ directory }) => acmeAccountContext(directory)),
  kind(ticketKeys, 'sealed', () => TICKET_KEYS_CONTEXT),
];

export interface ResealOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly secrets: Secrets;
  readonly log: Logger;
}

export interface Reseal {
  /** Resolves when all was looked at, or it was stopped. Never rejects. */
  readonly done: Promise<void>;
  /** Resolves when the commit that is under way is made. */
  stop(): Promise<void>;
}

export function startReseal(options: ResealOptions): Reseal {
  const { secrets, log } = options;
  const stopping = new AbortController();
  const work = async (): Promise<void> => {
    if (!secrets.isRotating) return;
    const counts: Counts = { sealed: 0, lost: 0 };
    for (const kind of KINDS) await resealAll(options, kind, counts, stopping.signal);
    if (stopping.signal.aborted) return;
    const rows = { sealed: counts.sealed };
    if (counts.lost === 0)
      log.info(
        'all secrets are encrypted with the first key of secrets.key_file; remove the second key after a day',
        rows,
      );
    else log.error('cannot decrypt some rows with any key of secrets.key_file', { ...rows, lost: counts.lost });
  };
  const done = work().catch((error: unknown) => {
    log.error('encrypting secrets with the new key failed; the next start continues it', { error });
  });
  return {
    done,
    stop() {
      stopping.abort();
      return done;
    },
  };
}

interface Counts {
  sealed: number;
  /** Rows that don't open. */
  lost: number;
}

async function resealAll(options: ResealOptions, kind: Kind, counts: Counts, signal: AbortSignal): Promise<void> {
  const { environment, journal, secrets } = options;
  const reader = rawReader(environment);
  const { table } = kind;
  const isStale = (row: unknown): boolean => secrets.isStale(Buffer.from(kind.sealedIn(row), 'base64'));
  for (let start: Buffer = Buffer.alloc(0); !signal.aborted; ) {
    const entries = reader.range(table.number, start, undefined, AT_ONCE);
    if (entries.length === 0) return;
    const stale = entries.filter(({ key, value }) => isStale(table.decode(key, value)));
    // What was read is good until the next read.
    const keys = stale.map(({ key }) => Buffer.from(key));
    start = Buffer.concat([entries[entries.length - 1].key, Uint8Array.of(0)]);
    if (keys.length > 0) {
      // A commit that conflicts is tried anew, with other counts.
      const { result } = await write(environment, journal, BY, (draft) => reseal(secrets, kind, draft, keys, isStale));
      counts.sealed += result.sealed;
      counts.lost += result.lost;
    }
    await sleep(REST_MS);
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
    // It may have gone or changed since it was looked at.
    if (row === undefined || !isStale(row)) continue;
    const context = kind.contextOf(row);
    try {
      const plain = secrets.unseal(Buffer.from(kind.sealedIn(row), 'base64'), context);
      draft.put(kind.table, kind.sealedAs(row, secrets.seal(plain, context).toString('base64')));
      plain.fill(0);
      counts.sealed++;
    } catch (error) {
      if (!(error instanceof WaypostError) || error.code !== 'unsealable') throw error;
      counts.lost++;
    }
  }
  return counts;
}
