/** Transfers over a store without sockets: a request in, the messages of its answer out. */

import { FairSlots } from '../../../../core/base/fair-slots.ts';
import { createLogger } from '../../../../core/base/log/index.ts';
import type { ResourceRecord } from '../../../../core/dns/wire/types.ts';
import type { Signers } from '../../../../core/journal/apply/signers.ts';
import { openEmbeddedJournal } from '../../../../core/journal/embedded-journal.ts';
import type { AnswerDeferred } from '../../../../core/nameserver/deferred.ts';
import { type HistoryLimits, ZoneHistories } from '../../../../core/nameserver/transfer/history.ts';
import {
  TransferAccess,
  type TransferOptions,
  transferResponder,
} from '../../../../core/nameserver/transfer/responder.ts';
import type { TransportName } from '../../../../core/net/address/client.ts';
import { takeMessage } from '../../../support/transfer-client.ts';
import { DEFAULTS, type JournalFactory, type Store, withStore } from '../../journal/fixture.ts';

export const LIMITS: HistoryLimits = { entries: 1000, bytes: 1 << 20, total: 16 << 20, zones: 100 };
/** What every client of these tests is. */
export const CLIENT = '127.0.0.1';

export interface Transferred {
  readonly store: Store;
  readonly histories: ZoneHistories;
  readonly answer: AnswerDeferred;
  /** All messages of the answer. */
  ask(message: Uint8Array, transport?: TransportName): Promise<Uint8Array[]>;
  /** The records of all messages of a transfer; throws when it fails. */
  records(message: Uint8Array, transport?: TransportName): Promise<ResourceRecord[]>;
}

export interface TransferSetup {
  readonly limits?: HistoryLimits;
  readonly options?: Partial<TransferOptions>;
  /** If zones are signed. */
  readonly signersOf?: (folder: string) => Signers;
}

export async function withTransfers(
  work: (rig: Transferred) => Promise<void>,
  { limits = LIMITS, options, signersOf }: TransferSetup = {},
): Promise<void> {
  const histories = new ZoneHistories(limits);
  const factory: JournalFactory = ({ environment, index, folder }, history) => {
    const signers = signersOf?.(folder);
    return openEmbeddedJournal({ environment, index, zoneSettings: DEFAULTS, history, zones: histories, signers });
  };
  await withStore(factory, (store) => work({ store, histories, ...transfersOf(store, histories, options) }));
}

/** Answers transfers from a store. */
export function transfersOf(
  { environment, reader }: Pick<Store, 'environment' | 'reader'>,
  histories: ZoneHistories,
  options: Partial<TransferOptions> = {},
): Pick<Transferred, 'answer' | 'ask' | 'records'> {
  const answer = transferResponder({
    environment,
    reader,
    zoneSettings: DEFAULTS,
    findKey: () => [],
    access: new TransferAccess([`${CLIENT}/32`]),
    histories,
    slots: new FairSlots({ slots: 2, queue: 10 }),
    respond: () => null,
    udpPayload: 1232,
    log: createLogger({ level: 'error', format: 'text', write: () => {} }),
    ...options,
  });
  const ask = async (message: Uint8Array, transport: TransportName = 'tcp'): Promise<Uint8Array[]> => {
    const messages: Uint8Array[] = [];
    const cancelled = new AbortController().signal;
    for await (const bytes of answer({ message, address: CLIENT, port: 53, transport, cancelled }))
      messages.push(bytes);
    return messages;
  };
  const records = async (message: Uint8Array, transport?: TransportName): Promise<ResourceRecord[]> => {
    const all: ResourceRecord[] = [];
    for (const bytes of await ask(message, transport)) takeMessage(bytes, all);
    return all;
  };
  return { answer, ask, records };
}
