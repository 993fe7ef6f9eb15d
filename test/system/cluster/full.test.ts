/**
 * An etcd that has reached its quota: it is reported, writes are refused, and what `cluster status`
 * says to do makes it good.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { put } from '../../../core/journal/etcd-client/messages.ts';
import { startChild } from '../../support/child.ts';
import { runCommand } from '../../support/daemon.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { startCluster } from './rig.ts';

const QUOTA = 8 << 20;
const FILLER = '/filler/';

test('a full etcd', async () => {
  const { nodes, etcd, close } = await startCluster(1, {}, ['--quota-backend-bytes', String(QUOTA)]);
  try {
    const [{ api, env }] = nodes;
    const status = async (code: number): Promise<string> => {
      const { code: ended, output } = await runCommand(['cluster', 'status'], env);
      assert.is(ended, code, output);
      return output;
    };
    const before = await status(0);
    assert.match(before, /^the database of etcd uses \d+\.\d MiB.*; \d+\.\d MiB of this is live data$/m);
    assert.not.match(before, /is full/);
    const fill = async (): Promise<void> => {
      for (let i = 0; ; i++) await etcd.gateway.transaction([], [put(`${FILLER}${i}`, Buffer.alloc(1 << 20))]);
    };
    await fill().catch((error: Error) => assert.match(error.message, /space exceeded/));
    const refused = await api.request('POST', '/api/v1/domains', { domain: 'full.example' });
    assert.is(refused.status, 503, refused.text);
    assert.is((refused.body.error as { code: string }).code, 'etcd_full');

    const description = await status(1);
    assert.match(description, /etcd is full \(alarm NOSPACE\) and accepts no writes/);
    const etcdctl = async (...args: string[]): Promise<string> => {
      const child = startChild('etcdctl', args, { ...process.env, ETCDCTL_API: '3', ETCDCTL_ENDPOINTS: etcd.endpoint });
      assert.is(await child.ended(), 0, child.output());
      return child.output();
    };
    await etcdctl('del', '--prefix', FILLER);
    let revision = '';
    for (const [, line] of description.matchAll(/^ {2}\d\. etcdctl (.+?)(?: {2,}.*)?$/gm)) {
      const output = await etcdctl(...line.replace(/R$/, revision).split(' '));
      revision = /"revision":(\d+)/.exec(output)?.[1] ?? revision;
    }
    const { status: written, text } = await api.request('POST', '/api/v1/domains', { domain: 'full.example' });
    assert.is(written, 200, text);
    assert.not.match(await status(0), /is full/);
  } finally {
    await close();
  }
});

const why = whyNotPrograms('etcd', 'etcdctl');
if (why === null) test.run();
else console.log(`skipped: an etcd that is full, ${why}`);
