/** One node of a cluster delivers webhooks; when it is killed, another does; nothing is lost. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { whyNotPrograms } from '../../support/programs.ts';
import { untilPasses } from '../../support/until.ts';
import { startReceiver } from '../core/observe/webhooks/receiver.ts';
import { startCluster } from './rig.ts';

test('the delivering node is killed while events are written', async () => {
  const receiver = await startReceiver();
  const rig = await startCluster(2, { WAYPOST_WEBHOOKS_ALLOW_PRIVATE_RECEIVERS: '127.0.0.0/8' });
  try {
    const [a, b] = rig.nodes;
    const id = await b.api.createDomain('hooked.test');
    await b.api.call('POST', '/api/v1/webhooks', { url: receiver.url, events: ['records.changed'] });
    const written: number[] = [];
    const add = async (i: number): Promise<void> => {
      const record = { name: `r${i}`, type: 'A', content: '192.0.2.1' };
      const { headers } = await b.api.call('POST', `/api/v1/domains/${id}/records`, record);
      written.push(Number(headers.get('x-waypost-revision')));
    };
    const sequences = (): number[] => receiver.arrived.map(({ body }) => JSON.parse(body).data.seq);
    for (let i = 0; i < 10; i++) await add(i);
    await untilPasses(() => assert.ok(receiver.arrived.length >= 10));
    assert.is(new Set(sequences()).size, receiver.arrived.length, 'two nodes did not deliver the same');
    for (let i = 10; i < 20; i++) await add(i);
    await a.kill();
    for (let i = 20; i < 30; i++) await add(i);
    await untilPasses(() => assert.ok(written.every((seq) => sequences().includes(seq))));
    const firsts = [...new Set(sequences())];
    assert.equal(firsts, written, 'in order');
  } finally {
    await rig.close();
    receiver.close();
  }
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: webhooks in a cluster, ${why}`);
