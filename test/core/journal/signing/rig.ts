/** A store with signed zones. */

import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { openSecrets } from '../../../../core/base/secrets.ts';
import { generateKeyPair } from '../../../../core/dns/dnssec/keys.ts';
import { formatName, parseName } from '../../../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../../core/dns/wire/types.ts';
import { Signers } from '../../../../core/journal/apply/signers.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../../../core/journal/embedded-journal.ts';
import { nextPiece, startResigning, startSigning, startUnsigning } from '../../../../core/journal/signing/progress.ts';
import { rebuildAnswers } from '../../../../core/journal/upkeep/rebuild.ts';
import { idKey } from '../../../../core/store/keys.ts';
import {
  type DnssecKey,
  type DnssecRow,
  type Domain,
  dnssec,
  dnssecContext,
  proxies,
  records,
  signingKeys,
} from '../../../../core/store/rows.ts';
import { type AnswerFunction, TCP_LIMIT } from '../../../reference/compare.ts';
import type { World } from '../../../reference/generate.ts';
import { putChanges, type WorldRows } from '../../../reference/rows.ts';
import { decodeMessage, encodeQuery } from '../../../support/message.ts';
import type { Random } from '../../../support/random.ts';
import { datedClock, singleNodeTasks } from '../../../support/tasks.ts';
import { DEFAULTS, dump, type Store } from '../fixture.ts';

export const DAY = 86_400;
export const CLOCK = 1_800_000_000;

export const secretsOf = (folder: string) => openSecrets(join(folder, 'key'));

export const signedStore = ({ environment, index, folder }: Omit<Store, 'journal'>, history: number) =>
  openEmbeddedJournal({ environment, index, zoneSettings: DEFAULTS, history, signers: new Signers(secretsOf(folder)) });

export function newKey({ folder }: Store, domain: Domain, id: number, algorithm: 13 | 15 = 13): DnssecKey {
  const { dnskey, privateKey } = generateKeyPair(algorithm);
  const sealed = secretsOf(folder).seal(privateKey, dnssecContext(domain.id)).toString('base64');
  return { id, dnskey: Buffer.from(dnskey).toString('base64'), sealed, use: 'sign', isTrusted: true, createdAt: 0 };
}

export const newRow = (store: Store, domain: Domain): DnssecRow => ({
  domainId: domain.id,
  algorithm: 13,
  clock: CLOCK,
  keys: [newKey(store, domain, 1)],
  foreign: [],
  parent: 'publish',
});

/** No task may fail. `now`: milliseconds since 1970. */
export const parts = (now?: () => number) => ({
  tasks: singleNodeTasks(now && datedClock(now)),
  log: createLogger({ level: 'warn', format: 'text', write: (line) => assert.unreachable(line) }),
});

export const rowOf = ({ reader }: Store, { id }: Domain): DnssecRow | undefined => reader.row(dnssec, idKey(id));

/** Without the names that are listed so far: a rebuild lists all. */
export function signedData(store: Store): string[] {
  const listing = [...store.reader.allDomains(null)].filter(
    (domain) => rowOf(store, domain)?.progress?.listedTo != null,
  );
  const ids = new Set(listing.map(({ id }) => idKey(id).toString('hex')));
  return [
    ...dump(store.environment, ['answers']),
    ...dump(store.environment, ['nsec3']).filter((line) => !ids.has(line.split(' ')[1].slice(0, 16))),
  ];
}

/** Answers and NSEC3 records equal those of a rebuild. */
export async function checkRebuilt(store: Store, label: string): Promise<void> {
  const before = signedData(store);
  await rebuildAnswers(store.environment, DEFAULTS, () => {}, new Signers(secretsOf(store.folder)));
  const after = signedData(store);
  const kept = new Set(after);
  const previous = new Set(before);
  const stale = before.filter((line) => !kept.has(line));
  const missing = after.filter((line) => !previous.has(line));
  assert.equal({ stale, missing }, { stale: [], missing: [] }, label);
}

/** The names below an apex to query for: some exist in generated worlds, some do not. */
const LABELS = ['a', 'b', 'a.a', 'zz.a', 'zz.b.a', 'www', 'zz', 'x.y.zz', '*', 'below0', 'host1.below1'];

/**
 * Queries each zone for names that exist and names that do not. With DO the answer has the same
 * response code and records, and signatures and proofs only in addition. Returns how many answers
 * had a proof.
 */
export function checkQueries({ reader }: Store, answer: AnswerFunction, label: string): number {
  let proofs = 0;
  for (const { apex } of reader.allDomains(null))
    for (const below of LABELS)
      for (const type of [TYPE.A, TYPE.TXT]) {
        const name = parseName(below, apex);
        const ask = (isSigned: boolean) => {
          const edns = { size: 4096, version: 0, do: isSigned };
          return decodeMessage(answer(encodeQuery({ name, type, class: CLASS_IN, edns }, 1), TCP_LIMIT)!);
        };
        const plain = ask(false);
        const signed = ask(true);
        const what = `${label}: ${formatName(name)} ${type}`;
        assert.is(signed.rcode, plain.rcode, what);
        const others = signed.answer.filter((record) => record.type !== TYPE.RRSIG);
        assert.equal(others, plain.answer, what);
        if (signed.authority.some((record) => record.type === TYPE.NSEC3)) proofs++;
      }
  return proofs;
}

/**
 * The next row of a replacement of the algorithm, which starts with a new key. `row`: without
 * progress.
 */
export function replaceAlgorithm(row: DnssecRow, createKey: () => DnssecKey): DnssecRow {
  const withUses = (...uses: DnssecKey['use'][]): DnssecRow => ({
    ...row,
    keys: row.keys.map((key, i) => ({ ...key, use: uses[i] })),
  });
  switch (row.keys.map(({ use }) => use).join()) {
    case 'sign,sign_unpublished':
      return withUses('sign', 'sign');
    case 'sign,sign':
      return withUses('sign_unpublished', 'sign');
    case 'sign_unpublished,sign':
      return startResigning(row, withUses('none', 'sign'));
    default: {
      const keys = [...row.keys.slice(-1), { ...createKey(), use: 'sign_unpublished' } as const];
      return startResigning(row, { ...row, keys });
    }
  }
}

/** A change of how a zone is signed; null: the row is deleted. */
export function nextRow(store: Store, domain: Domain, random: Random): DnssecRow | null {
  const row = rowOf(store, domain);
  if (row === undefined) {
    const created = newRow(store, domain);
    return random.below(4) === 0 ? created : startSigning(created);
  }
  const { progress, ...done } = row;
  if (progress !== undefined)
    return nextPiece(store.environment, domain.apex, row, { listed: 1 + random.below(5), signed: 1 + random.below(5) });
  const clock = row.clock + random.below(10 * DAY);
  const nextId = Math.max(...row.keys.map(({ id }) => id)) + 1;
  switch (random.below(6)) {
    case 0:
      return startUnsigning(row);
    case 1:
      return replaceAlgorithm(row, () => newKey(store, domain, nextId, random.pick([13, 15] as const)));
    case 2: {
      if (signingKeys(row).length > 1) return { ...row, clock };
      const key = newKey(store, domain, nextId, random.pick([13, 15] as const));
      const old = row.keys.slice(-1).map((last) => ({ ...last, use: 'publish' as const }));
      return startResigning(row, { ...done, clock, keys: [...old, key] });
    }
    case 3:
      return startResigning(row, { ...done, clock });
    default:
      return { ...row, clock };
  }
}

/**
 * Changes the rows to those of a world, in two groups. In the second, zones are signed, signed by
 * other keys and unsigned, while their records change.
 */
export async function takeStep(store: Store, rows: WorldRows, world: World, random: Random): Promise<void> {
  const { environment, journal } = store;
  const { newRecords, newProxies, ...first } = rows.changeTo(world);
  await write(environment, journal, 'test', (d) => {
    putChanges(d, { ...first, newRecords: [], newProxies: [] });
    for (const { id } of first.goneDomains) {
      const row = d.row(dnssec, idKey(id));
      if (row !== undefined) d.delete(dnssec, row);
    }
  });
  // In one group.
  const signing = [...rows.domains.values()]
    .filter(() => random.below(2) === 0)
    .map((domain) => ({ domain, row: nextRow(store, domain, random) }));
  await Promise.all([
    write(environment, journal, 'test', (d) => {
      for (const proxy of newProxies) d.put(proxies, proxy);
      for (const [i, row] of newRecords.entries()) if (i % 2 === 0) d.put(records, row);
    }),
    ...signing.map(({ domain, row }) =>
      write(environment, journal, 'test', (d) =>
        row === null ? d.delete(dnssec, d.row(dnssec, idKey(domain.id))!) : d.put(dnssec, row),
      ),
    ),
    write(environment, journal, 'test', (d) => {
      for (const [i, row] of newRecords.entries()) if (i % 2 === 1) d.put(records, row);
    }),
  ]);
}
