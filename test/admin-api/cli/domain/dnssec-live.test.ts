import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { write } from '../../../../core/journal/draft/draft.ts';
import { dnssec } from '../../../../core/store/rows.ts';
import { StoreReader } from '../../../../core/store/store-reader.ts';
import { EXAMPLE_KEYS } from '../../../core/dns/dnssec/rsa-keys.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';
import { finishSigning, setState } from '../../contract/signed.ts';
import { type Daemon, NO_DS } from '../../daemon.ts';
import { type Live, startLive } from '../live.ts';

interface Context extends Live {
  domainId: number;
}

async function setClock({ environment, journal }: Daemon, domainId: number, clock: number): Promise<void> {
  await write(environment, journal, '1', (draft) => draft.put(dnssec, { ...draft.dnssec(domainId)!, clock }));
}

const clockOf = ({ environment }: Daemon, domainId: number): number =>
  new StoreReader(environment).dnssec(domainId)!.clock;

const test = suite<Context>('admin-api/cli/dnssec, with the API');

test.before(async (context) => {
  Object.assign(context, await startLive());
  const [added] = await context.json(['domain', 'add', 'signed.test']);
  context.domainId = Number(added.domain.id);
});
test.after((context) => context.daemon.stop());

test('status of a zone that is not signed', async ({ waypost }) => {
  const { code, stdout } = await waypost(['dnssec', 'status', 'signed.test']);
  assert.is(code, 0);
  assert.is(stdout, 'signed.test: not signed\n  next: Sign it with "waypost dnssec enable signed.test".\n');
  const forms = await waypost(['dnssec', 'ds', 'signed.test']);
  assert.match(forms.stdout, /^signed\.test: no DS record\n/);
  const rollover = await waypost(['dnssec', 'rollover', 'signed.test']);
  assert.is(rollover.code, 1);
  assert.match(rollover.stderr, /dnssec_off/);
});

test('enable shows the key and the DS record, and ds the forms of registrars', async ({ waypost, json }) => {
  const on = await waypost(['dnssec', 'enable', 'signed.test', '--algorithm', '15']);
  assert.is(on.code, 0, on.stderr);
  assert.match(on.stdout, /^signed\.test: signing \(change \d+\)\n {2}next {9}Wait/);
  assert.match(on.stdout, / {2}ds {11}signed\.test\. 3600 IN DS \d+ 15 2 [0-9A-F]{64}\n/i);
  const { stdout } = await waypost(['dnssec', 'ds', 'signed.test']);
  assert.match(
    stdout,
    /Form with a DS record:\n {2}Key tag {6}\d+\n {2}Algorithm {4}15\n {2}Digest type {2}2\n {2}Digest/,
  );
  assert.match(
    stdout,
    /Form with a DNSKEY record:\n {2}Flags {8}257\n {2}Protocol {5}3\n {2}Algorithm {4}15\n {2}Public key/,
  );
  const [body] = await json(['dnssec', 'ds', 'signed.test']);
  assert.is(Object.values(body.ds).length, 1);
  const other = await waypost(['dnssec', 'enable', 'signed.test', '--algorithm', '13']);
  assert.is(other.code, 1);
  assert.match(other.stderr, /bad_algorithm/);
});

test('enable takes the key of another provider, with its DNSKEY records as dig prints them', async (context) => {
  const { waypost, json, daemon } = context;
  const [{ file, dnskey }] = EXAMPLE_KEYS;
  const folder = temporaryFolder('keys');
  const path = join(folder, 'ksk.private');
  writeFileSync(path, file);
  await json(['domain', 'add', 'taken.test']);
  const zsk = `${dnskey.slice(0, 60)} ${dnskey.slice(60)}`.replace('257', '256');
  const enable = (key: string) =>
    waypost(['dnssec', 'enable', 'taken.test', '--key', key, '--foreign-keys', '-'], {
      stdin: `; two keys\n${dnskey}\ntaken.test. 300 IN DNSKEY ${zsk}\n\n`,
    });
  assert.match((await enable(join(folder, 'none'))).stderr, /unreadable/);
  const { code, stdout, stderr } = await enable(path);
  assert.is(code, 0, stderr);
  assert.match(stdout, / {2}ds {11}taken\.test\. 3600 IN DS \d+ 8 2 /);
  const [foreign] = await json(['dnssec', 'foreign-keys', 'list', 'taken.test']);
  assert.is(String(foreign.dnskey), dnskey.replace('257', '256'));
  await finishSigning(daemon, Number((await json(['domain', 'show', 'taken.test']))[0].domain.id));
  await waypost(['dnssec', 'disable', 'taken.test', '--force', '--yes']);
  removeFolder(folder);
});

test('resign signs a zone again, or all of them, by the present clock', async ({ waypost, json, daemon, domainId }) => {
  await finishSigning(daemon, domainId);
  await setClock(daemon, domainId, 1_900_000_000);
  const { code, stdout, stderr } = await waypost(['dnssec', 'resign', 'signed.test']);
  assert.is(code, 0, stderr);
  assert.match(stdout, /^signed\.test: /);
  assert.ok(Math.abs(clockOf(daemon, domainId) - Date.now() / 1000) < 3600);
  await finishSigning(daemon, domainId);
  await setClock(daemon, domainId, 1_900_000_000);
  assert.equal(await json(['dnssec', 'resign', '--all']), [{ signed: 1, failed: 0 }]);
  assert.ok(Math.abs(clockOf(daemon, domainId) - Date.now() / 1000) < 3600);
  // It is being signed.
  assert.equal((await waypost(['dnssec', 'resign', '--all'])).code, 1);
  await finishSigning(daemon, domainId);
  for (const words of [[], ['signed.test', '--all']]) {
    const refused = await waypost(['dnssec', 'resign', ...words]);
    assert.is(refused.code, 1);
    assert.match(refused.stderr, /Name one domain, or use --all/);
  }
});

test('status --check asks the parent', async ({ waypost, json, daemon, domainId }) => {
  await setState(daemon, domainId, { phase: 'awaiting_ds', servedSince: 1 });
  daemon.parent.look = { ...NO_DS, sets: [[`ffff0f02${'00'.repeat(32)}`]], ttl: 60 };
  const { stdout } = await waypost(['dnssec', 'status', 'signed.test', '--check']);
  assert.match(stdout, / {2}parent {7}example: DS 65535 15 2 0+ \(2 of 2 servers, 20/);
  assert.match(stdout, / {2}error {8}The parent zone has a DS record of an unknown key/);
  daemon.parent.look = NO_DS;
  const [body] = await json(['dnssec', 'status', 'signed.test', '--check']);
  assert.equal([body.status, body.error.reason], ['awaiting_ds', 'missing']);
});

test('keys of another provider are added, listed and removed', async ({ waypost, json }) => {
  const add = (...words: string[]) => waypost(['dnssec', 'foreign-keys', 'add', 'signed.test', ...words]);
  const none = await waypost(['dnssec', 'foreign-keys', 'list', 'signed.test']);
  assert.equal([none.code, none.stdout, none.stderr], [0, '', 'signed.test has no foreign keys.\n']);
  const added = await add('257', '3', '15', 'l02Woi0iS8Aa25FQkUd9RMzZHJpBoRQwAQEX1SxZJA4=');
  assert.is(added.code, 0, added.stderr);
  assert.match(added.stdout, /^added foreign key \d+ with key tag 3613 to signed\.test \(change \d+\)\n$/);
  const again = await add('signed.test. 60 IN DNSKEY 257 3 15 l02Woi0iS8Aa25FQkUd9RMzZHJpBoRQwAQEX1SxZJA4=');
  assert.match(again.stderr, /bad_dnskey[\s\S]*key tag 3613|key tag 3613[\s\S]*bad_dnskey/);
  const { stdout } = await waypost(['dnssec', 'foreign-keys', 'list', 'signed.test']);
  assert.match(stdout, /^\d+ +20.* 3613 +257 3 15 l02Woi0iS8Aa/);
  const [{ id }] = await json(['dnssec', 'foreign-keys', 'list', 'signed.test']);
  const removed = await waypost(['dnssec', 'foreign-keys', 'rm', 'signed.test', String(id)]);
  assert.match(removed.stdout, /^removed foreign key \d+ of signed\.test \(change \d+\)\n$/);
  const gone = await waypost(['dnssec', 'foreign-keys', 'rm', 'signed.test', String(id)]);
  assert.match(gone.stderr, /no_such_key/);
});

test('rollover to another algorithm, and cancelled', async ({ waypost, json, daemon, domainId }) => {
  const begun = await waypost(['dnssec', 'rollover', 'signed.test', '--algorithm', '13']);
  assert.match(begun.stdout, /^signed\.test: rolling_sign \(change \d+\)\n {2}next {9}Wait: the zone is being signed/);
  assert.match(begun.stdout, /, algorithm 15, active, .*\n.*, algorithm 13, incoming, /);
  const unknown = await waypost(['dnssec', 'rollover', 'signed.test', '--algorithm', '5']);
  assert.match(unknown.stderr, /--algorithm/);
  const cancelled = await waypost(['dnssec', 'rollover', 'signed.test', '--cancel']);
  assert.match(cancelled.stdout, /^signed\.test: rolling_withdraw[\s\S]*, algorithm 13, outgoing, /);
  for (const status of ['rolling_resign', 'secure']) {
    await setState(daemon, domainId, { servedSince: 1 });
    const [body] = await json(['dnssec', 'status', 'signed.test', '--check']);
    assert.match(String(body.status), new RegExp(`${status}|awaiting_ds`));
  }
});

test('rollover, in an emergency, and cancelled', async ({ waypost, daemon, domainId }) => {
  const begun = await waypost(['dnssec', 'rollover', 'signed.test', '--emergency']);
  assert.match(begun.stdout, /^signed\.test: rolling_publish \(change \d+\)\n {2}next {9}Add the DS record/);
  assert.match(begun.stdout, / {2}key {10}\d+, algorithm 15, active, .*\n {2}key {10}\d+, algorithm 15, incoming, /);
  const cancelled = await waypost(['dnssec', 'rollover', 'signed.test', '--cancel']);
  assert.match(cancelled.stdout, /^signed\.test: rolling_ds[\s\S]*, outgoing, /);
  await setState(daemon, domainId, { phase: 'secure' });
});

test('disable waits for the DS; with --force it asks first', async ({ waypost, daemon, domainId }) => {
  daemon.parent.look = { ...NO_DS, sets: [[`ffff0f02${'00'.repeat(32)}`]], ttl: 60 };
  const early = await waypost(['dnssec', 'disable', 'signed.test']);
  assert.is(early.code, 1);
  assert.match(early.stderr, /dnssec_ds_present/);
  daemon.parent.look = NO_DS;
  const off = await waypost(['dnssec', 'disable', 'signed.test']);
  assert.match(off.stdout, /^signed\.test: removing_ds \(change \d+\)\n {2}next {9}Remove all DS records/);
  const unconfirmed = await waypost(['dnssec', 'disable', 'signed.test', '--force']);
  assert.is(unconfirmed.code, 1);
  assert.match(unconfirmed.stderr, /not_confirmed|Not confirmed/);
  daemon.parent.look = { ...NO_DS, sets: [[`ffff0f02${'00'.repeat(32)}`]], ttl: 60 };
  const removing = await waypost(['dnssec', 'disable', 'signed.test', '--force', '--yes']);
  assert.match(removing.stdout, /^signed\.test: removing_ds/);
  const kept = await waypost(['domain', 'rm', 'signed.test', '--yes']);
  assert.match(kept.stderr, /dnssec_ds_present/);
  daemon.parent.look = NO_DS;
  const forced = await waypost(['dnssec', 'disable', 'signed.test', '--force', '--yes']);
  assert.match(forced.stdout, /^signed\.test: not signed/);
  await finishSigning(daemon, domainId);
  daemon.parent.look = { ...NO_DS, sets: [[`ffff0f02${'00'.repeat(32)}`]], ttl: 60 };
  const removed = await waypost(['domain', 'rm', 'signed.test', '--yes', '--force']);
  assert.is(removed.code, 0, removed.stderr);
});

test.run();
