/**
 * The end of a key rotation: all sealed rows are sealed again, a few at a time. Concurrent changes
 * are kept.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { openSecrets, type Secrets } from '../../../../core/base/secrets.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { startReseal } from '../../../../core/journal/upkeep/reseal.ts';
import {
  acmeAccountContext,
  acmeAccounts,
  automaticCertificateContext,
  automaticCertificates,
  certificateContext,
  certificates,
  dnssec,
  dnssecContext,
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
  webhookContext,
  webhooks,
} from '../../../../core/store/rows.ts';
import { newId } from '../../../support/ids.ts';
import { embedded, type Store, withStore } from '../fixture.ts';

const test = suite('core/journal/upkeep/reseal');
const [FIRST, SECOND, THIRD] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte).toString('base64'));
const MANY = 150;
const DIRECTORY = 'https://ca.test/';

const secretsOf = ({ folder }: Store, ...keys: readonly string[]): Secrets => {
  const file = join(folder, 'rotated.key');
  writeFileSync(file, keys.join('\n'), { mode: 0o600 });
  return openSecrets(file);
};

interface SealedRow {
  readonly table: number;
  readonly sealed: string;
  readonly context: string;
}

/** The sealed values in the store. */
function sealedRows({ environment }: Store): SealedRow[] {
  const rows: SealedRow[] = [];
  const each = <Row>(table: Table<Row>, of: (row: Row) => object): void => {
    for (const { key, value } of environment.rows.get(table.number)!.getRange({}))
      rows.push({ table: table.number, ...of(table.decode(key as Buffer, value)) } as SealedRow);
  };
  each(certificates, (row) => ({
    sealed: row.sealedKey,
    context: certificateContext(row.domainId),
  }));
  each(automaticCertificates, (row) => ({
    sealed: row.sealedKey,
    context: automaticCertificateContext(row.domainId),
  }));
  each(tsigKeys, (row) => ({ sealed: row.sealed, context: tsigContext(row.id) }));
  each(totps, (row) => ({ sealed: row.sealed, context: totpContext(row.accountId) }));
  each(acmeAccounts, (row) => ({
    sealed: row.sealedKey,
    context: acmeAccountContext(row.directory),
  }));
  each(ticketKeys, (row) => ({ sealed: row.sealed, context: TICKET_KEYS_CONTEXT }));
  each(storeKeys, ({ number, sealedKey }) => ({ sealed: sealedKey ?? '', context: storeKeyContext(number) }));
  each(webhooks, (row) => ({ sealed: row.sealed, context: webhookContext(row.id) }));
  each(webhooks, (row) => ({ sealed: row.sealedBefore, context: webhookContext(row.id) }));
  for (const [table, path] of [
    [siteDocuments, 'pools.0.client.sealed_key'],
    [siteDocuments, 'endpoint.sealedAuthorization'],
    [siteDocuments, 'bucket.sealedSecretAccessKey'],
    [siteDocumentVersions, 'rules.0.action.oidc.sealed_client_secret'],
  ] as const)
    each(table, ({ domainId, kind, content }) => ({
      sealed: path
        .split('.')
        .reduce((at: unknown, name) => (at as Record<string, unknown> | undefined)?.[name], content),
      context: siteDocumentContext(domainId, kind),
    }));
  for (const i of [0, 1])
    each(dnssec, ({ domainId, keys }) => ({ sealed: keys[i].sealed, context: dnssecContext(domainId) }));
  return rows.filter(({ sealed }) => sealed !== undefined);
}

const certificateRow = (secrets: Secrets, domainId: number) => ({
  domainId,
  chain: 'a chain',
  sealedKey: secrets.seal(Buffer.from(`secret of ${domainId}`), certificateContext(domainId)).toString('base64'),
  names: ['a.test'],
  ...{ notBefore: 1, notAfter: 2, createdAt: 3 },
});

/** One row of each kind, and many certificates. */
async function fill({ environment, journal }: Store, secrets: Secrets): Promise<number[]> {
  const seal = (context: string) => secrets.seal(Buffer.from(`secret of ${context}`), context).toString('base64');
  const ids = Array.from({ length: MANY }, () => newId());
  await write(environment, journal, 'test', (draft) => {
    for (const id of ids) draft.put(certificates, certificateRow(secrets, id));
    const [domainId] = ids;
    const dates = { notBefore: 1, notAfter: 2, createdAt: 3 };
    const sealedKey = seal(automaticCertificateContext(domainId));
    draft.put(automaticCertificates, { domainId, chain: 'another', sealedKey, names: ['*.a.test'], ...dates });
    const tsig = { name: 'k.test', algorithm: 'hmac-sha256', scopes: ['dns'], domains: null, createdAt: 3 } as const;
    draft.insert(tsigKeys, { id: domainId, accountId: newId(), sealed: seal(tsigContext(domainId)), ...tsig });
    const [sealed, sealedBefore] = [0, 1].map(() => seal(webhookContext(domainId)));
    draft.insert(webhooks, {
      ...{ id: domainId, accountId: newId(), url: 'https://a.test/', description: '', events: ['*'], domains: null },
      ...{ enabled: true, sealed, sealedBefore, signsBeforeUntil: 9, since: 0 },
      ...{ failingSince: null, disabledReason: null, createdAt: 3, updatedAt: 3 },
    });
    const account = { directory: DIRECTORY, eabKid: null, url: null, createdAt: 3 };
    draft.put(acmeAccounts, { ...account, sealedKey: seal(acmeAccountContext(DIRECTORY)) });
    const storeKey = { publicKey: 'AA==', endorsement: null, createdAt: 3, signsUntil: null, revoked: null };
    draft.put(storeKeys, { ...storeKey, number: 1, sealedKey: seal(storeKeyContext(1)) });
    draft.put(ticketKeys, { sealed: seal(TICKET_KEYS_CONTEXT), rotatedAt: 4 });
    const document = { domainId, revision: 7, updatedAt: 3 };
    const inDocument = (kind: 'origins' | 'logs' | 'rules') => seal(siteDocumentContext(domainId, kind));
    const pools = [{ name: 'main', client: { certificate: 'a chain', sealed_key: inDocument('origins') } }];
    draft.put(siteDocuments, { ...document, kind: 'origins', content: { pools, names: null } });
    const endpoint = { url: 'https://a.test/', sealedAuthorization: inDocument('logs'), sealedSecret: '' };
    const bucket = { name: 'b', sealedSecretAccessKey: inDocument('logs') };
    draft.put(siteDocuments, { ...document, kind: 'logs', content: { endpoint, bucket } });
    const oidc = { issuer: 'https://a.test', sealed_client_secret: inDocument('rules') };
    draft.put(siteDocumentVersions, { ...document, kind: 'rules', content: { rules: [{ action: { oidc } }] } });
    const counts = { createdAt: 3, confirmedAt: 3, lastStep: 1, recoveryHashes: [], failures: 0, lockedUntil: 0 };
    draft.put(totps, { accountId: domainId, sealed: seal(totpContext(domainId)), ...counts });
    const key = { dnskey: '', sealed: seal(dnssecContext(domainId)), isTrusted: true, createdAt: 3 };
    draft.put(dnssec, {
      ...{ domainId, algorithm: 13, clock: 1, foreign: [], parent: 'publish' },
      keys: [
        { ...key, id: 1, use: 'sign' },
        { ...key, id: 2, use: 'publish' },
      ],
    });
  });
  return ids;
}

function rotate(store: Store, secrets: Secrets) {
  const lines: string[] = [];
  const log = createLogger({ level: 'info', format: 'text', write: (line) => lines.push(line) });
  return { lines, reseal: startReseal({ ...store, secrets, log }) };
}

const opened = (secrets: Secrets, { sealed, context }: SealedRow): string =>
  secrets.unseal(Buffer.from(sealed, 'base64'), context).toString();

test('every kind of row is sealed again in small commits; then the first key is sufficient', () =>
  withStore(embedded, async (store) => {
    await fill(store, secretsOf(store, FIRST));
    const before = sealedRows(store);
    const plain = before.map((row) => opened(secretsOf(store, FIRST), row));
    const secrets = secretsOf(store, SECOND, FIRST);
    const { journal } = store;
    const head = journal.head;
    const { reseal, lines } = rotate(store, secrets);
    await reseal.done;
    assert.equal(
      sealedRows(store).map((row) => opened(secretsOf(store, SECOND), row)),
      plain,
    );
    assert.is(before.length, MANY + 14);
    // 150 certificates in pages of 32, and one commit for each other kind; three have two secrets.
    assert.is(journal.head - head, 5 + 10);
    assert.match(lines.join(''), /remove the second key.*sealed=161/);
    const again = rotate(store, secrets);
    await again.reseal.done;
    assert.is(journal.head - head, 15, 'nothing is left to do');
  }));

test('without a second key nothing is read or written', () =>
  withStore(embedded, async (store) => {
    await fill(store, secretsOf(store, FIRST));
    const before = sealedRows(store);
    const { reseal, lines } = rotate(store, secretsOf(store, SECOND));
    await reseal.done;
    assert.equal(sealedRows(store), before);
    assert.equal(lines, []);
  }));

test('concurrent changes and deletions are kept', () =>
  withStore(embedded, async (store) => {
    const ids = await fill(store, secretsOf(store, FIRST));
    const secrets = secretsOf(store, SECOND, FIRST);
    const { environment, journal } = store;
    const { reseal } = rotate(store, secrets);
    const [last, other] = [ids[MANY - 1], ids[MANY - 2]];
    await write(environment, journal, 'test', (draft) => {
      draft.put(certificates, { ...certificateRow(secrets, last), chain: 'a newer chain' });
      draft.delete(certificates, draft.certificate(other)!);
    });
    await reseal.done;
    assert.is(store.reader.certificate(last)?.chain, 'a newer chain');
    assert.is(store.reader.certificate(other), undefined);
    for (const row of sealedRows(store)) assert.not(secrets.isStale(Buffer.from(row.sealed, 'base64')));
  }));

test('a row that no key opens is skipped and logged once; the others are sealed again', () =>
  withStore(embedded, async (store) => {
    await fill(store, secretsOf(store, FIRST));
    const id = newId();
    const lost = certificateRow(secretsOf(store, THIRD), id);
    await write(store.environment, store.journal, 'test', (draft) => draft.put(certificates, lost));
    const secrets = secretsOf(store, SECOND, FIRST);
    const { reseal, lines } = rotate(store, secrets);
    await reseal.done;
    assert.equal(store.reader.certificate(id), lost);
    const stale = sealedRows(store).filter((row) => secrets.isStale(Buffer.from(row.sealed, 'base64')));
    assert.is(stale.length, 1);
    assert.is(lines.length, 1);
    assert.match(lines[0], /lost=1/);
  }));

test('after a stop in the middle, the next start continues', () =>
  withStore(embedded, async (store) => {
    await fill(store, secretsOf(store, FIRST));
    const secrets = secretsOf(store, SECOND, FIRST);
    const count = (): number =>
      sealedRows(store).filter((row) => secrets.isStale(Buffer.from(row.sealed, 'base64'))).length;
    const { reseal, lines } = rotate(store, secrets);
    await reseal.stop();
    const left = count();
    assert.ok(left > 0 && left < MANY + 6, String(left));
    assert.equal(lines, []);
    await rotate(store, secrets).reseal.done;
    assert.is(count(), 0);
  }));

test.run();
