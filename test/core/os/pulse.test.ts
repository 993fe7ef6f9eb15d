/** Threads that live, and one that does not answer. */

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Pulse } from '../../../core/os/pulse.ts';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { until } from '../../support/until.ts';
import { serve, V4 } from '../nameserver/fixture.ts';

test('a thread in an endless loop is silent until it returns', async () => {
  const pulse = new Pulse();
  const module = JSON.stringify(new URL('../../../core/os/pulse.js', import.meta.url).href);
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
    import(${module}).then(({ beat }) => {
      beat(workerData.pulse, () => {}, 50);
      parentPort.on('message', (word) => {
        parentPort.postMessage('blocks');
        Atomics.wait(word, 0, 0);
      });
    });`,
    { eval: true, workerData: { pulse: pulse.shared } },
  );
  const last = new Int32Array(pulse.shared);
  const forgetBeat = (): void => void Atomics.store(last, 0, 0);
  forgetBeat();
  await until(() => pulse.silence <= 5000, 'a beat');
  const word = new Int32Array(new SharedArrayBuffer(4));
  const blocks = once(worker, 'message');
  worker.postMessage(word);
  await blocks;
  forgetBeat();
  await sleep(200);
  assert.is(Atomics.load(last, 0), 0);
  Atomics.store(word, 0, 1);
  Atomics.notify(word, 0);
  await until(() => pulse.silence <= 5000, 'a beat');
  await worker.terminate();
});

test('a thread collects its garbage at the heartbeat after a request, once', async () => {
  const pulse = new Pulse();
  const module = JSON.stringify(new URL('../../../core/os/pulse.js', import.meta.url).href);
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
    let collections = 0;
    parentPort.on('message', () => parentPort.postMessage(collections));
    import(${module}).then(({ beat }) => beat(workerData.pulse, () => void collections++, 5));`,
    { eval: true, workerData: { pulse: pulse.shared } },
  );
  const collections = async (): Promise<number> => {
    const answered = once(worker, 'message');
    worker.postMessage(null);
    return (await answered)[0] as number;
  };
  const last = new Int32Array(pulse.shared);
  Atomics.store(last, 0, 0);
  await until(() => pulse.silence <= 5000, 'a beat');
  assert.is(await collections(), 0);
  pulse.requestCollection();
  await until(async () => (await collections()) > 0, 'a collection');
  Atomics.store(last, 0, 0);
  await until(() => pulse.silence <= 5000, 'another beat');
  assert.is(await collections(), 1);
  await worker.terminate();
});

test('all threads of a nameserver beat, of both transports', async () => {
  const folder = temporaryFolder('pulse');
  const files = { certificate: join(folder, 'dns.crt'), key: join(folder, 'dns.key') };
  const key = ecKey();
  writeFileSync(files.certificate, certificate({ name: 'pulse.test', key }));
  writeFileSync(files.key, pemOfKey(key));
  const transports = ['batch', 'portable'] as const;
  const served = await Promise.all(
    transports.map((transport) => serve({ transport, tls: { listen: [V4], ...files } })),
  );
  // A start counts as a beat; after this time it is too long ago.
  await sleep(3000);
  await until(() => served.every((item) => item.silentThreads(2000).length === 0), 'a beat of each');
  assert.equal(served[0].silentThreads(-1000), ['dns udp 1', 'dns tcp', 'dns tls']);
  for (const item of served) await item.stop();
});

test.run();
