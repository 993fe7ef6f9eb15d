/**
 * A token or session that another node has issued, and this node has not applied yet, is not a 401.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { UnavailableError } from '../../../core/base/errors.ts';
import type { CommitRequest } from '../../../core/journal/journal.ts';
import { type Answer, type Daemon, PASSWORD, startDaemon } from '../daemon.ts';
import { testedTransports } from '../transports.ts';

const REST = 250;

const ofSeveral = (transport: 'uws' | 'node' | 'auto'): Promise<Daemon> =>
  startDaemon(transport, {}, undefined, undefined, undefined, undefined, (seq) => ({ seq, applied: [], pending: [] }));

/** Commits what `work` writes, and what undoes it; `arrive` commits the former again. */
async function recorded<T>(
  { journal }: Daemon,
  work: () => Promise<T>,
  undo: (result: T) => Promise<unknown>,
): Promise<{ result: T; arrive(): Promise<number> }> {
  const { commit } = journal;
  const requests: CommitRequest[] = [];
  journal.commit = (request) => {
    requests.push(request);
    return commit.call(journal, request);
  };
  const result = await work();
  journal.commit = commit;
  await undo(result);
  const arrive = async (): Promise<number> => {
    for (const { by, changes } of requests)
      await journal.commit({ by, changes, reads: { at: journal.head, ranges: [] } });
    return journal.head;
  };
  return { result, arrive };
}

/** A token that this node does not have yet: `arrive` applies it. */
async function ahead(daemon: Daemon): Promise<{ token: string; arrive(): Promise<number> }> {
  const json = { name: 'ahead', scopes: ['dns', 'packages'] };
  const { result, arrive } = await recorded(
    daemon,
    () => daemon.call('POST', '/api/v1/tokens', { json }),
    ({ body }) => daemon.call('DELETE', `/api/v1/tokens/${body.id}`),
  );
  return { token: String(result.body.token), arrive };
}

/** More bytes than are buffered in memory. */
const LONG_COMMENT = `; ${'x'.repeat(200)}\n`.repeat(10_000);

for (const transport of await testedTransports('tokens that are late')) {
  const test = suite(`tokens that are late, ${transport}`);

  test('catches up for each kind of request, with its body', async () => {
    const daemon = await ofSeveral(transport);
    try {
      const { body } = await daemon.call('POST', '/api/v1/domains', { json: { domain: 'here.example' } });
      const domain = `/api/v1/domains/${body.domain.id}`;
      const zone = `${LONG_COMMENT}www 300 IN A 192.0.2.1\n`;
      const form = new FormData();
      form.set('package', new Blob([Buffer.alloc(2_000_000)]), 'x.pkg');
      const multipart = new Response(form);
      const upload = {
        body: new Uint8Array(await multipart.arrayBuffer()),
        headers: { 'content-type': multipart.headers.get('content-type') ?? '' },
      };
      const requests = [
        ['GET', domain, {}, 200],
        ['POST', '/api/v1/domains', { json: { domain: 'new.example' } }, 200],
        ['PUT', `${domain}/zonefile`, { body: zone, headers: { 'content-type': 'text/dns' } }, 200],
        // The whole body was read: it is not a package.
        ['POST', '/api/dev/apps/upload', upload, 422],
      ] as const;
      const own = daemon.journal.latest;
      for (const [method, path, options, expected] of requests) {
        const { token, arrive } = await ahead(daemon);
        daemon.journal.latest = own;
        const before = await daemon.call(method, path, { ...options, token });
        assert.equal([before.status, before.body.error?.code], [401, 'invalid_token'], before.text);
        // The changes of the other nodes cannot be read.
        daemon.journal.latest = () => Promise.reject(new UnavailableError('etcd_unavailable', 'etcd does not answer.'));
        assert.is((await daemon.call(method, path, { ...options, token })).status, 401);
        daemon.journal.latest = arrive;
        const { status, text } = await daemon.call(method, path, { ...options, token });
        assert.is(status, expected, `${method} ${path}: ${text}`);
      }
    } finally {
      await daemon.stop();
    }
  });

  test('catches up for a session', async () => {
    const daemon = await ofSeveral(transport);
    try {
      const json = { login: 'admin', password: PASSWORD };
      const fieldsOf = ({ headers, body }: Answer) => ({
        cookie: headers.get('set-cookie')?.split(';', 1)[0] ?? '',
        'x-waypost-csrf': String(body.csrf_token),
      });
      const { result, arrive } = await recorded(
        daemon,
        () => daemon.call('POST', '/api/v1/session', { json, token: null }),
        (answer) => daemon.call('DELETE', '/api/v1/session', { headers: fieldsOf(answer), token: null }),
      );
      const create = (): Promise<Answer> =>
        daemon.call('POST', '/api/v1/domains', {
          ...{ json: { domain: 'session.example' } },
          ...{ headers: fieldsOf(result), token: null },
        });
      assert.is((await create()).body.error.code, 'invalid_session');
      daemon.journal.latest = arrive;
      await sleep(REST);
      const { status, text } = await create();
      assert.is(status, 200, text);
    } finally {
      await daemon.stop();
    }
  });

  test.run();
}

const looks = suite('looks for tokens');

looks('requests with invalid tokens share few catch-ups', async () => {
  const daemon = await ofSeveral('auto');
  try {
    const { token } = await ahead(daemon);
    let count = 0;
    daemon.journal.latest = async () => {
      count++;
      return daemon.journal.head;
    };
    const ask = (): Promise<unknown> => daemon.call('GET', '/api/v1/domains', { token });
    const began = performance.now();
    for (let round = 0; round < 3; round++) await Promise.all(Array.from({ length: 100 }, ask));
    const most = 2 + (performance.now() - began) / REST;
    assert.ok(count >= 3 && count <= most, `${count} looks, at most ${most}`);
    // A malformed or known token causes no catch-up.
    const before = count;
    assert.is((await daemon.call('GET', '/api/v1/domains', { token: `${token}x` })).status, 401);
    assert.is((await daemon.call('GET', '/api/v1/domains', { token: null })).status, 401);
    assert.is((await daemon.call('GET', '/api/v1/domains')).status, 200);
    assert.is(count, before);
  } finally {
    await daemon.stop();
  }
});

looks.run();
