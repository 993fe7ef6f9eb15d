/** Threads that live, and one that does not answer. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Pulse } from '../../../core/os/pulse.ts';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { serve, until, V4 } from '../nameserver/fixture.ts';

test('a thread that goes round for ever is silent, until it comes back', async () => {
  const pulse = new Pulse();
  const module = JSON.stringify(new URL('../../../core/os/pulse.js', import.meta.url).href);
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
    import(${module}).then(({ beat }) => {
      beat(workerData.pulse);
      parentPort.postMessage('beats');
      parentPort.on('message', (word) => Atomics.wait(word, 0, 0));
    });`,
    { eval: true, workerData: { pulse: pulse.shared } },
  );
  await new Promise((done) => worker.once('message', done));
  // Without beats it would be silent from the begin on.
  await sleep(2500);
  await until(() => pulse.silence <= 1000, 10_000, 'a beat');
  const word = new Int32Array(new SharedArrayBuffer(4));
  worker.postMessage(word);
  await until(() => pulse.silence >= 4000, 10_000, 'silence');
  Atomics.store(word, 0, 1);
  Atomics.notify(word, 0);
  await until(() => pulse.silence <= 1000, 10_000, 'a beat');
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
  await sleep(4500);
  await until(() => served.every((one) => one.silent(3500).length === 0), 10_000, 'a beat of each');
  assert.equal(served[0].silent(-1000), ['dns udp 1', 'dns tcp', 'dns tls']);
  for (const one of served) await one.stop();
});

test.run();
