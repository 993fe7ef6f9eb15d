/** GET …/history and POST …/history/{seq}/restore. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { write } from '../../../../core/journal/draft/draft.ts';
import { readHistory } from '../../../../core/store/history.ts';
import { sequenceKey } from '../../../../core/store/keys.ts';
import { type RecordRow, records, tokens } from '../../../../core/store/rows.ts';
import { StoreReader } from '../../../../core/store/store-reader.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { newId } from '../../../support/ids.ts';
import { type Answer, type Daemon, type Json, listOf, startDaemon } from '../../daemon.ts';

const test = suite<{ daemon: Daemon; alice: { id: number; token: string }; bob: { id: number; token: string } }>(
  'history of a domain',
);

test.before(async (context) => {
  const daemon = await startDaemon();
  const [alice, bob] = [await daemon.account('alice', { plan: 'unlimited' }), await daemon.account('bob')];
  Object.assign(context, { daemon, alice, bob });
});
test.after(({ daemon }) => daemon.stop());

let names = 0;

/** More entries than the daemon's journal keeps. */
async function fillJournal({ environment, journal }: Daemon): Promise<void> {
  const row = { accountId: 1, name: 'x', hash: '', scopes: [], createdAt: 0, expiresAt: null };
  await Promise.all(
    Array.from({ length: 1100 }, () =>
      write(environment, journal, 'test', (draft) => draft.put(tokens, { ...row, id: newId() })),
    ),
  );
}

/** A domain of an account, with requests that must succeed. */
class Tested {
  readonly daemon: Daemon;
  readonly token: string;
  path = '';
  created = 0;

  constructor(daemon: Daemon, token: string) {
    this.daemon = daemon;
    this.token = token;
  }

  async open(): Promise<this> {
    const json = { domain: `history${++names}.example.net` };
    const answer = await this.daemon.call('POST', '/api/v1/domains', { token: this.token, json });
    this.path = `/api/v1/domains/${answer.body.domain.id}`;
    this.created = revisionOf(answer);
    return this;
  }

  async send(method: string, path: string, json?: unknown, headers?: Record<string, string>): Promise<Answer> {
    const answer = await this.daemon.call(method, this.path + path, { token: this.token, json, headers });
    assert.is(answer.status, 200, answer.text);
    return answer;
  }

  async add(name: string, content = '192.0.2.1', more: object = {}): Promise<{ id: number; seq: number }> {
    const answer = await this.send('POST', '/records', { name, type: 'A', content, ...more });
    return { id: Number(answer.body.record.id), seq: revisionOf(answer) };
  }

  /** `name type content ttl` of each record. */
  async records(): Promise<string[]> {
    const { body } = await this.send('GET', '/records?limit=1000');
    return listOf(body.records).map(lineOf);
  }

  /** `name type comment` of each RRset that has a comment. */
  async comments(): Promise<string[]> {
    const { body } = await this.send('GET', '/records?limit=1000');
    const lines = listOf(body.records)
      .filter(({ comment }) => comment !== null)
      .map(({ name, type, comment }) => `${name} ${type} ${comment}`);
    return [...new Set(lines)].sort();
  }

  attempt(method: string, path: string, json?: unknown): Promise<Answer> {
    return this.daemon.call(method, this.path + path, { token: this.token, json });
  }

  importZone(text: string): Promise<Answer> {
    const headers = { 'content-type': 'text/dns' };
    return this.daemon.call('PUT', `${this.path}/zonefile`, { token: this.token, body: `${text}\n`, headers });
  }

  async history(query = ''): Promise<Json> {
    return (await this.send('GET', `/history${query}`)).body;
  }

  restore(seq: number, json: object = {}): Promise<Answer> {
    return this.daemon.call('POST', `${this.path}/history/${seq}/restore`, { token: this.token, json });
  }
}

const lineOf = ({ name, type, content, ttl }: Json): string => `${name} ${type} ${content} ${ttl}`;
const revisionOf = ({ headers }: Answer): number => Number(headers.get('x-waypost-revision'));
const codeOf = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? ''}`;
const brief = (changes: Json): string[] =>
  listOf(changes).map(
    ({ kind, before, after }) =>
      `${kind}: ${before === null ? '' : `${before.name} ${before.content} ${before.ttl}`} > ${after === null ? '' : `${after.name} ${after.content} ${after.ttl}`}`,
  );

test('lists who changed what, with the values before and after, newest first', async ({ daemon, alice }) => {
  const domain = await new Tested(daemon, alice.token).open();
  const { id, seq } = await domain.add('www');
  await domain.send('PUT', `/records/${id}`, { name: 'web', type: 'A', content: '192.0.2.2', ttl: 60 });
  await domain.send('PUT', '/proxy', { origin: '1.1.1.1' });
  await domain.send('DELETE', `/records/${id}`);
  const { changes, begin, is_complete, next_cursor } = await domain.history();
  assert.equal([begin, is_complete, next_cursor] as unknown[], [domain.created, true, null]);
  const [deleted, proxy, updated, created, creation] = listOf(changes);
  assert.equal([creation.seq, creation.action, creation.is_creation] as unknown[], [
    domain.created,
    'domain.create',
    true,
  ]);
  assert.equal(
    [deleted, updated, created].map(({ action, records: entries }) => [String(action), brief(entries)]),
    [
      ['record.delete', ['deleted: web 192.0.2.2 60 > ']],
      ['record.update', ['updated: www 192.0.2.1 300 > web 192.0.2.2 60']],
      ['record.create', ['created:  > www 192.0.2.1 300']],
    ],
  );
  assert.equal(created.seq as unknown, seq);
  assert.equal(created.actor as unknown, { id: alice.id, username: 'alice', token_name: 'test' });
  assert.equal([proxy.proxy.before, proxy.proxy.after.origin_host] as unknown[], [null, '1.1.1.1']);
  for (const change of listOf(changes)) assert.equal([change.is_complete, change.by_admin] as unknown[], [true, false]);
});

test('pages list each change once, the newest first', async ({ daemon, alice }) => {
  const domain = await new Tested(daemon, alice.token).open();
  const all: number[] = [domain.created];
  for (const name of ['a', 'b', 'c', 'd', 'e']) all.unshift((await domain.add(name)).seq);
  const seen: number[] = [];
  for (let query: string | null = '?limit=2'; query !== null; ) {
    const { changes, next_cursor }: Json = await domain.history(query);
    seen.push(...listOf(changes).map(({ seq }) => Number(seq)));
    query = next_cursor === null ? null : `?limit=2&cursor=${next_cursor}`;
  }
  assert.equal(seen, all);
});

test('finds changes by records, actor and action', async ({ daemon, alice }) => {
  const domain = await new Tested(daemon, alice.token).open();
  const { id } = await domain.add('Www', '192.0.2.77');
  await domain.add('mail', '192.0.2.5');
  await domain.send('PUT', `/records/${id}`, { name: 'www', type: 'A', content: '192.0.2.78' });
  const find = async (text: string): Promise<readonly string[]> => {
    const { changes, total } = await domain.history(`?q=${encodeURIComponent(text)}`);
    assert.is(total as unknown, listOf(changes).length);
    return listOf(changes).map(({ action }) => String(action));
  };
  assert.equal(await find('WWW a 192.0.2.77'), ['record.update', 'record.create']);
  assert.equal(await find('192.0.2.5'), ['record.create']);
  assert.equal(await find('ALICE'), ['record.update', 'record.create', 'record.create', 'domain.create']);
  assert.equal(await find('domain.'), ['domain.create']);
  assert.equal(await find('nothing like this'), []);
  const { changes, next_cursor } = await domain.history('?q=192&limit=2');
  assert.is(listOf(changes).length, 2);
  const rest = await domain.history(`?q=192&limit=2&cursor=${next_cursor}`);
  assert.equal([listOf(rest.changes).length, rest.total, rest.next_cursor] as unknown[], [1, null, null]);
});

test('a token without the scope of the proxy does not see its origin', async ({ daemon, alice }) => {
  const domain = await new Tested(daemon, alice.token).open();
  await domain.send('PUT', '/proxy', { origin: '1.1.1.1' });
  const json = { name: 'dns', scopes: ['dns:read'] };
  const { body } = await daemon.call('POST', '/api/v1/tokens', { token: alice.token, json });
  const answer = await daemon.call('GET', `${domain.path}/history`, { token: String(body.token) });
  assert.is(answer.status, 200);
  assert.not.match(answer.text, '1.1.1.1');
  const [change] = listOf(answer.body.changes);
  assert.equal([change.action, change.proxy] as unknown[], ['proxy.update', null]);
});

test('a page of long values has fewer changes, and each lists fewer records', async ({ daemon, alice }) => {
  const domain = await new Tested(daemon, alice.token).open();
  const long = (name: string) => ({ name, type: 'TXT', content: `"${'a;'.repeat(120)}" `.repeat(190) });
  const post = Array.from({ length: 40 }, (_, i) => long(`batch${i}`));
  await domain.send('POST', '/records/batch', { post });
  await Promise.all(Array.from({ length: 30 }, (_, i) => domain.send('POST', '/records', long(`single${i}`))));
  const sizes: number[] = [];
  let path = '/history?limit=1000';
  let listed = 0;
  for (;;) {
    const { text, body } = await domain.send('GET', path);
    sizes.push(text.length);
    for (const change of listOf(body.changes)) listed += listOf(change.records).length;
    if (body.next_cursor === null) break;
    path = `/history?limit=1000&cursor=${body.next_cursor}`;
  }
  assert.ok(sizes.length > 1 && Math.max(...sizes) < 3 << 20, sizes.join());
  assert.ok(listed > 30 && listed < 60, String(listed));
  const { body, text } = await domain.restore(domain.created, { dry_run: true });
  assert.is(Number(body.record_count), 70);
  assert.ok(text.length < 3 << 20, String(text.length));
});

test('restores deleted, changed and created records in one revision', async ({ daemon, alice }) => {
  const domain = await new Tested(daemon, alice.token).open();
  const kept = await domain.add('kept');
  const changed = await domain.add('changed', '192.0.2.2', { ttl: 600 });
  const deleted = await domain.add('deleted', '192.0.2.3');
  const before = await domain.records();
  await domain.send('PUT', `/records/${changed.id}`, { name: 'renamed', type: 'A', content: '192.0.2.9', ttl: 60 });
  await domain.send('DELETE', `/records/${deleted.id}`);
  await domain.add('added');
  const now = await domain.records();
  const dry = await domain.restore(deleted.seq, { dry_run: true });
  assert.equal(brief(dry.body.records).sort(), [
    'created:  > deleted 192.0.2.3 300',
    'deleted: added 192.0.2.1 300 > ',
    'updated: renamed 192.0.2.9 60 > changed 192.0.2.2 600',
  ]);
  assert.equal(await domain.records(), now, 'a dry run changes nothing');
  const head = daemon.journal.head;
  const answer = await domain.restore(deleted.seq);
  assert.equal([codeOf(answer), brief(answer.body.records)], ['200 ', brief(dry.body.records)]);
  assert.is(daemon.journal.head, head + 1);
  assert.equal(await domain.records(), before);
  assert.is(Number((await domain.send('GET', '/records?name=kept')).body.records[0].id), kept.id);
  const again = await domain.restore(deleted.seq);
  assert.equal([again.body.record_count as unknown, daemon.journal.head], [0, head + 1], 'nothing to change');
  // The restore is a change like others, and can be undone.
  assert.is(codeOf(await domain.restore(head)), '200 ');
  assert.equal(await domain.records(), now);
});

test('lists and restores comments, also those that went with their last record', async ({ daemon, alice }) => {
  const domain = await new Tested(daemon, alice.token).open();
  const first = await domain.add('www', '192.0.2.1', { comment: 'the first server' });
  const { seq } = await domain.add('mail', '192.0.2.2', { comment: 'post' });
  const body = { name: 'www', type: 'A', content: '192.0.2.1' };
  await domain.send('PUT', `/records/${first.id}`, { ...body, comment: 'the second server' });
  await domain.send('DELETE', `/records/${first.id}`);
  const { changes } = await domain.history();
  const inWords = ({ name, type, before, after }: Json): string => `${name} ${type}: ${before} > ${after}`;
  assert.equal(
    listOf(changes).map(({ comments }) => listOf(comments).map(inWords)),
    [
      ['www A: the second server > null'],
      ['www A: the first server > the second server'],
      ['mail A: null > post'],
      ['www A: null > the first server'],
      [],
    ],
  );
  const found = listOf((await domain.history('?q=second')).changes).map(({ action }) => String(action));
  assert.equal(found, ['record.delete', 'record.update']);
  const preview = (await domain.restore(seq, { dry_run: true })).body;
  assert.equal(listOf(preview.comments).map(inWords), ['www A: null > the first server']);
  assert.is(codeOf(await domain.restore(seq)), '200 ');
  assert.equal(await domain.comments(), ['mail A post', 'www A the first server']);
  await domain.restore(first.seq);
  assert.equal(await domain.comments(), ['www A the first server']);
  // Only the comment differs.
  const [{ id }] = listOf((await domain.send('GET', '/records?q=www')).body.records);
  const commented = await domain.send('PUT', `/records/${id}`, { ...body, comment: '' });
  assert.equal(await domain.comments(), []);
  const again = await domain.restore(revisionOf(commented) - 1);
  assert.equal([again.body.record_count, listOf(again.body.comments).map(inWords)] as unknown[], [
    0,
    ['www A: null > the first server'],
  ]);
  assert.equal(await domain.comments(), ['www A the first server']);
});

test('restores the records before an import, which keeps equal ones', async ({ daemon, alice }) => {
  const domain = await new Tested(daemon, alice.token).open();
  await domain.add('same');
  const { seq } = await domain.add('old', '192.0.2.2');
  const before = await domain.records();
  const headers = { 'content-type': 'text/dns' };
  const text = 'same 300 A 192.0.2.1\nnew 300 A 192.0.2.3\n';
  const answer = await daemon.call('PUT', `${domain.path}/zonefile`, { token: alice.token, body: text, headers });
  assert.is(answer.status, 200, answer.text);
  const [imported] = listOf((await domain.history()).changes);
  assert.equal(brief(imported.records).sort(), ['created:  > new 192.0.2.3 300', 'deleted: old 192.0.2.2 300 > ']);
  assert.is(codeOf(await domain.restore(seq)), '200 ');
  assert.equal(await domain.records(), before);
});

test('an import with its own apex is a change like others, and a restore leaves the apex', async ({
  daemon,
  alice,
}) => {
  const domain = await new Tested(daemon, alice.token).open();
  const { seq } = await domain.add('old', '192.0.2.2');
  const before = await domain.records();
  const soa = '@ 300 SOA ns1.other.example. host.other.example. 1 3600 600 86400 60';
  const body = `${soa}\n@ 300 NS ns1.other.example.\nnew 300 A 192.0.2.3\n`;
  const headers = { 'content-type': 'text/dns' };
  const answer = await daemon.call('PUT', `${domain.path}/zonefile?apex=keep`, { token: alice.token, body, headers });
  assert.is(answer.status, 200, answer.text);
  const { changes, begin, is_complete } = await domain.history();
  assert.equal([begin, is_complete, listOf(changes).length] as unknown[], [domain.created, true, 3]);
  assert.is(codeOf(await domain.restore(seq)), '200 ');
  const apex = '@ NS ns1.other.example. 300';
  assert.equal((await domain.records()).sort(), [...before, apex].sort());
});

test('another account, a domain that is deleted for good and unknown changes are 404', async ({
  daemon,
  alice,
  bob,
}) => {
  const domain = await new Tested(daemon, alice.token).open();
  await domain.add('www');
  const before = await domain.records();
  for (const answer of [
    await daemon.call('GET', `${domain.path}/history`, { token: bob.token }),
    await daemon.call('POST', `${domain.path}/history/${domain.created}/restore`, { token: bob.token, json: {} }),
  ])
    assert.is(codeOf(answer), '404 no_such_domain');
  assert.equal(await domain.records(), before);
  for (const seq of [0, daemon.journal.head + 1, Number.MAX_SAFE_INTEGER])
    assert.is(codeOf(await domain.restore(seq)), '404 no_such_change');
  assert.is(codeOf(await domain.restore(domain.created - 1)), '409 history_incomplete');
  await domain.send('DELETE', '?permanent=true');
  for (const answer of [
    await daemon.call('GET', `${domain.path}/history`, { token: alice.token }),
    await domain.restore(domain.created),
  ])
    assert.is(codeOf(answer), '404 no_such_domain');
});

test('If-Match, and a restart', async ({ daemon, alice }) => {
  const domain = await new Tested(daemon, alice.token).open();
  await domain.add('www');
  await daemon.restart();
  const path = `${domain.path}/history/${domain.created}/restore`;
  const send = (tag: string) =>
    daemon.call('POST', path, { token: alice.token, json: {}, headers: { 'if-match': tag } });
  assert.is(codeOf(await send('"1"')), '412 changed');
  const { headers } = await domain.send('GET', '');
  assert.is(codeOf(await send(headers.get('etag') ?? '')), '200 ');
  assert.equal(await domain.records(), []);
});

test('the preview has the ETag with which the restore is conditional on it', async ({ daemon, alice }) => {
  const domain = await new Tested(daemon, alice.token).open();
  await domain.add('www');
  const { headers } = await domain.restore(domain.created, { dry_run: true });
  const send = () =>
    daemon.call('POST', `${domain.path}/history/${domain.created}/restore`, {
      ...{ token: alice.token, json: {} },
      headers: { 'if-match': headers.get('etag') ?? '' },
    });
  await domain.add('meanwhile');
  assert.is(codeOf(await send()), '412 changed');
  assert.is((await domain.records()).length, 2);
});

test('an administrator who acts for the owner is named', async ({ daemon, alice }) => {
  const domain = await new Tested(daemon, alice.token).open();
  const json = { name: 'www', type: 'A', content: '192.0.2.1' };
  assert.is(codeOf(await daemon.call('POST', `${domain.path}/records`, { json })), '200 ');
  const [change] = listOf((await domain.history()).changes);
  assert.equal([change.actor.username, change.by_admin] as unknown[], ['admin', true]);
  const { body } = await daemon.call('GET', `/api/v1/audit?limit=1`);
  assert.equal(body.entries[0].revision as unknown, change.seq);
});

test('is independent of the stored journal', async ({ daemon, alice }) => {
  const domain = await new Tested(daemon, alice.token).open();
  const { seq } = await domain.add('www');
  const before = await domain.records();
  await domain.add('later');
  await fillJournal(daemon);
  assert.is(daemon.environment.journal.get(sequenceKey(seq)), undefined);
  const { begin, is_complete } = await domain.history();
  assert.equal([begin, is_complete] as unknown[], [domain.created, true]);
  assert.is(codeOf(await domain.restore(seq)), '200 ');
  assert.equal(await domain.records(), before);
});

test('has at least the last 1,000 changes', async ({ daemon, alice }) => {
  const domain = await new Tested(daemon, alice.token).open();
  const rows: RecordRow[] = [];
  for (let i = 0; i < 100; i++) {
    const { id } = await domain.add(`w${i}`);
    const row = new StoreReader(daemon.environment).record(id);
    assert.ok(row);
    rows.push(row);
  }
  // Concurrent changes share commits of the store. Those of one record would conflict.
  for (let round = 0; round < 11; round++)
    await Promise.all(
      rows.map((row) =>
        write(daemon.environment, daemon.journal, 'test', (draft) => draft.put(records, { ...row, ttl: 61 + round })),
      ),
    );
  let count = 0;
  for (let query: string | null = '?limit=1000'; query !== null; ) {
    const { changes, next_cursor }: Json = await domain.history(query);
    count += listOf(changes).length;
    query = next_cursor === null ? null : `?limit=1000&cursor=${next_cursor}`;
  }
  assert.ok(count >= 1000 && count <= 1016, `${count}`);
  const { begin, is_complete } = await domain.history();
  assert.is(is_complete as unknown, false);
  const refused = await domain.restore(Number(begin) - 1);
  assert.is(codeOf(refused), '409 history_incomplete');
  assert.match(String(refused.body.error.message), `begins after change ${begin}`);
  assert.is(codeOf(await domain.restore(Number(begin), { dry_run: true })), '200 ');
});

test('a change of more than 4 MB restarts the history', async ({ daemon, alice }) => {
  const domain = await new Tested(daemon, alice.token).open();
  await domain.add('www');
  const text = 'x'.repeat(250);
  const content = `"${text}" `.repeat(185).trim();
  const ids = await Promise.all(
    Array.from({ length: 95 }, async (_, i) => {
      const { body } = await domain.send('POST', '/records', { name: `t${i}`, type: 'TXT', content });
      return Number(body.record.id);
    }),
  );
  const { body, headers } = await domain.send('POST', '/records/batch', { delete: ids });
  assert.is(listOf(body.created).length, 0);
  const seq = Number(headers.get('x-waypost-revision'));
  const { changes, begin, is_complete } = await domain.history();
  assert.equal([begin, is_complete, listOf(changes).length] as unknown[], [seq, false, 1]);
  const [change] = listOf(changes);
  assert.equal([change.is_complete, change.record_count, listOf(change.records).length] as unknown[], [false, 95, 0]);
  assert.is(codeOf(await domain.restore(seq - 1)), '409 history_incomplete');
  const before = await domain.records();
  await domain.add('later');
  assert.is(codeOf(await domain.restore(seq)), '200 ');
  assert.equal(await domain.records(), before);
});

test('a domain from before histories were stored has its current state', async ({ daemon, alice }) => {
  const domain = await new Tested(daemon, alice.token).open();
  const { seq } = await domain.add('www');
  await daemon.environment.history.clearAsync();
  const { begin, is_complete, changes } = await domain.history();
  assert.equal([begin, is_complete, listOf(changes)] as unknown[], [seq, false, []]);
  const before = await domain.records();
  await domain.add('later');
  assert.is(codeOf(await domain.restore(seq)), '200 ');
  assert.equal(await domain.records(), before);
  assert.is(codeOf(await domain.restore(domain.created)), '409 history_incomplete');
});

test('a deleted domain has its history, and the deletion is its last change', async ({ daemon, alice }) => {
  const domain = await new Tested(daemon, alice.token).open();
  await domain.add('www');
  const id = Number(domain.path.split('/').at(-1));
  assert.is(readHistory(daemon.environment, id).length, 2);
  await domain.send('DELETE', '');
  const actions = readHistory(daemon.environment, id).map(({ about }) => about.action);
  assert.equal(actions, ['domain.delete', 'record.create', 'domain.create']);
});

const NAMES = fc.constantFrom('@', 'a', 'b', 'c.b', '*.d');
const BODY = fc.record({
  name: NAMES,
  type: fc.constantFrom('A', 'TXT', 'MX'),
  number: fc.integer({ min: 1, max: 4 }),
  ttl: fc.constantFrom(60, 300, 3600),
  comment: fc.constantFrom(undefined, '', 'one', 'two'),
});
const STEP = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('add' as const), body: BODY }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('change' as const), at: fc.nat(), body: BODY }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), at: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('import' as const), bodies: fc.array(BODY, { maxLength: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restore' as const), at: fc.nat() }) },
);

interface Body {
  readonly name: string;
  readonly type: string;
  readonly number: number;
  readonly ttl: number;
  readonly comment?: string;
}

const toBody = ({ name, type, number, ttl, comment }: Body) => ({
  ...{ name, type, ttl, comment },
  content: contentOf({ type, number }),
});
const contentOf = ({ type, number }: { type: string; number: number }): string =>
  type === 'A' ? `192.0.2.${number}` : type === 'MX' ? `${number} mail.example.com` : `"text ${number}"`;

test('after random edits, a restore gives exactly the records of any earlier change', async ({ daemon, alice }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 1, maxLength: 12 }), fc.nat(), async (steps, wanted) => {
      const domain = await new Tested(daemon, alice.token).open();
      const states = new Map([[domain.created, await domain.records()]]);
      const comments = new Map([[domain.created, await domain.comments()]]);
      const anyOf = <T>(values: readonly T[], at: number): T | undefined => values[at % Math.max(1, values.length)];
      for (const step of steps) {
        const current = listOf((await domain.send('GET', '/records?limit=1000')).body.records);
        let answer: Answer;
        // Refused edits, such as a second equal record, change nothing.
        if (step.kind === 'add') answer = await domain.attempt('POST', '/records', toBody(step.body));
        else if (step.kind === 'import')
          answer = await domain.importZone(
            step.bodies.map((reply) => `${reply.name} ${reply.ttl} ${reply.type} ${contentOf(reply)}`).join('\n'),
          );
        else if (step.kind === 'restore')
          answer = await domain.restore(anyOf([...states.keys()], step.at) ?? domain.created);
        else {
          const id = anyOf(current, step.at)?.id;
          if (id === undefined) continue;
          answer =
            step.kind === 'delete'
              ? await domain.attempt('DELETE', `/records/${id}`)
              : await domain.attempt('PUT', `/records/${id}`, toBody(step.body));
        }
        if (answer.status === 200) {
          states.set(revisionOf(answer), await domain.records());
          comments.set(revisionOf(answer), await domain.comments());
        }
        if (step.kind === 'restore') assert.is(answer.status, 200, answer.text);
      }
      const [seq, entries] = anyOf([...states], wanted) ?? [domain.created, []];
      const { body } = await domain.restore(seq, { dry_run: true });
      const before = await domain.records();
      const answer = await domain.restore(seq);
      assert.is(codeOf(answer), '200 ');
      assert.equal((await domain.records()).sort(), [...entries].sort());
      assert.equal(await domain.comments(), comments.get(seq));
      assert.equal(brief(answer.body.records), brief(body.records));
      // The preview is the difference.
      const expected = new Set(before);
      // First what goes: a record may become equal to another that is deleted.
      for (const { before: old } of listOf(body.records)) if (old !== null) expected.delete(lineOf(old));
      for (const { after } of listOf(body.records)) if (after !== null) expected.add(lineOf(after));
      assert.equal([...expected].sort(), [...entries].sort());
      await domain.send('DELETE', '');
    }),
    { numRuns: depth({ quick: 15, moderate: 25, full: 1000 }) },
  );
});

test.run();
