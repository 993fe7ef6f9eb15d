/** A 404 is retried if another node has created the object. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { retryNotFound } from '../../../admin-api/http/catch-up.ts';
import { UnavailableError } from '../../../core/base/errors.ts';
import type { CommitRequest } from '../../../core/journal/journal.ts';
import { type Daemon, startDaemon } from '../daemon.ts';

/** A domain that this node does not have yet: `arrive` applies it. */
async function ahead({ journal, call }: Daemon): Promise<{ id: string; arrive(): Promise<number> }> {
  const { commit } = journal;
  const requests: CommitRequest[] = [];
  journal.commit = (request) => {
    requests.push(request);
    return commit.call(journal, request);
  };
  const { body } = await call('POST', '/api/v1/domains', { json: { domain: 'ahead.example' } });
  journal.commit = commit;
  const id = String(body.domain.id);
  assert.is((await call('DELETE', `/api/v1/domains/${id}`)).status, 200);
  const arrive = async (): Promise<number> => {
    for (const { by, changes } of requests)
      await journal.commit({ by, changes, reads: { at: journal.head, ranges: [] } });
    return journal.head;
  };
  return { id, arrive };
}

const PATHS = ['', '/records', '/zonefile', '/proxy'];

for (const path of PATHS)
  test(`GET of a domain${path} that arrives in time`, async () => {
    const daemon = await startDaemon('node');
    try {
      const { id, arrive } = await ahead(daemon);
      const at = `/api/v1/domains/${id}${path}`;
      // The other nodes have no further changes.
      assert.is((await daemon.call('GET', at)).status, 404);
      // The changes of the other nodes cannot be read.
      daemon.journal.latest = () => Promise.reject(new UnavailableError('etcd_unavailable', 'etcd does not answer.'));
      assert.is((await daemon.call('GET', at)).status, 404);
      daemon.journal.latest = arrive;
      const { status, text } = await daemon.call('GET', at);
      assert.is(status, 200, text);
    } finally {
      await daemon.stop();
    }
  });

test('retries for changes not applied yet, and for routes with a body', async () => {
  const daemon = await startDaemon('node');
  try {
    const { id, arrive } = await ahead(daemon);
    const next = `/api/v1/changes/${daemon.journal.head + 1}`;
    assert.is((await daemon.call('GET', next)).status, 404);
    const own = daemon.journal.latest;
    daemon.journal.latest = arrive;
    assert.is((await daemon.call('GET', next)).status, 200);
    daemon.journal.latest = own;
    assert.is((await daemon.call('DELETE', `/api/v1/domains/${id}`)).status, 200);
    daemon.journal.latest = arrive;
    const zonefile = { body: 'www 300 IN A 192.0.2.1\n', headers: { 'content-type': 'text/dns' } };
    const { status, text } = await daemon.call('PUT', `/api/v1/domains/${id}/zonefile`, zonefile);
    assert.is(status, 200, text);
  } finally {
    await daemon.stop();
  }
});

test('other errors are not retried', async () => {
  const journal = { head: 1, latest: () => Promise.resolve(++journal.head) };
  let runs = 0;
  const failed = await retryNotFound(journal, () => {
    runs++;
    throw new UnavailableError('x', 'x');
  }).catch((error: unknown) => error);
  assert.instance(failed, UnavailableError);
  assert.equal([runs, journal.head], [1, 1]);
});

test.run();
