/** Alerts with a real Prometheus: a fault is made in a running daemon, and its alert fires. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { statfsSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../core/dns/wire/name.ts';
import { TYPE } from '../../core/dns/wire/types.ts';
import { put } from '../../core/journal/etcd-client/messages.ts';
import { certificate, ecKey, pemOfKey } from '../support/certificate.ts';
import { queryTcp } from '../support/dns-client.ts';
import { encodeQuery } from '../support/message.ts';
import { MovedClock, whyNotMovedClock } from '../support/moved-clock.ts';
import { freePort } from '../support/ports.ts';
import { whyNotPrograms } from '../support/programs.ts';
import { edgeSettings } from '../support/shared-daemon.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';
import { startCluster } from '../system/cluster/rig.ts';
import { makeRoot, sitesOf } from '../system/edge/site/rig.ts';
import { http1Visitor } from '../system/edge/site/visitor.ts';
import { withDaemon, withPrometheus } from './alert-watch.ts';

/** Stops the process for a moment: its event loop, and commits that it has begun. */
async function pause(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await sleep(1500);
  process.kill(pid, 'SIGCONT');
  await sleep(300);
}

const missing = whyNotPrograms('prometheus', 'etcd');
if (missing !== null) console.log(`Skipped: alerts are not tried with Prometheus: ${missing}.`);
else {
  test('peers that are silent, backups and certificates that fail, a busy process, and one that is gone', async () => {
    const folder = temporaryFolder('faults');
    const silent = createSocket('udp4').bind(0, '127.0.0.1');
    await once(silent, 'listening');
    const file = join(folder, 'cert.pem');
    const key = ecKey();
    writeFileSync(file, certificate({ name: 'ns1.test', key, dnsNames: ['ns1.test'], from: -30, to: -1 }));
    writeFileSync(join(folder, 'key.pem'), pemOfKey(key));
    const settings = {
      WAYPOST_TRANSFER_NOTIFY: `127.0.0.1:${(silent.address() as AddressInfo).port}`,
      // A file is no folder.
      WAYPOST_BACKUP_FOLDER: join(file, 'backups'),
      WAYPOST_BACKUP_ENCRYPTION: 'none',
      WAYPOST_DNS_TLS_LISTEN: `127.0.0.1:${await freePort()}`,
      WAYPOST_DNS_TLS_CERTIFICATE: file,
      WAYPOST_DNS_TLS_KEY: join(folder, 'key.pem'),
      WAYPOST_DNSTAP_SOCKET: join(folder, 'none.sock'),
      WAYPOST_TRACES_ENDPOINT: 'http://127.0.0.1:9/v1/traces',
      WAYPOST_TRACES_RATIO: '1',
      WAYPOST_SECONDARY_ALLOW_PRIVATE_PRIMARIES: 'true',
    };
    try {
      await withDaemon(settings, async (daemon) => {
        const { api, dnsPort, child } = daemon;
        const id = await api.createDomain('changed.test');
        const primaries = [{ address: '127.0.0.1:9' }];
        await api.call('POST', '/api/v1/domains', { domain: 'never.test', kind: 'secondary', primaries });
        let round = 0;
        const step = async (): Promise<void> => {
          round++;
          const question = { name: parseName('never.test.'), type: TYPE.A, class: 1 };
          await queryTcp(
            dnsPort,
            Array.from({ length: 2000 }, (_, i) => encodeQuery(question, i)),
          );
          // Some commits have begun when the process stops.
          const writes = Array.from({ length: 20 }, (_, i) => api.createRecord(id, `r${round}-${i}`, 'A', '192.0.2.1'));
          await Promise.race(writes);
          await pause(child.pid);
          await Promise.all(writes);
        };
        await withPrometheus([daemon], async ({ untilFired }) => {
          await untilFired(
            [
              ...['WaypostNotifyUnanswered', 'WaypostBackupMissing', 'WaypostCertificateExpires'],
              ...['WaypostDnsFailures', 'WaypostDnstapDropped', 'WaypostTracesDropped'],
              ...['WaypostEventLoopBlocked', 'WaypostWritesSlow', 'WaypostBackupFails'],
            ],
            step,
          );
          assert.match((await api.request('GET', '/readyz')).text, /dns\.tls_certificate has expired/);
          for (let i = 0; i < 3; i++) {
            await daemon.stop();
            await daemon.start();
            // Each start is read once.
            await sleep(3000);
          }
          await untilFired(['WaypostRestarts']);
          await daemon.stop();
          await untilFired(['WaypostDown']);
        });
      });
    } finally {
      silent.close();
      removeFolder(folder);
    }
  });

  test('origins that are gone, seen by visitors', async () => {
    const root = makeRoot('Root of sites');
    const settings = { ...(await edgeSettings()), WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8' };
    await withDaemon(settings, async (daemon) => {
      const { addSite, https } = await sitesOf(daemon, root);
      await addSite('site.test', { host: '127.0.0.1', port: await freePort(), protocol: 'http' });
      const visitor = http1Visitor(https, root.pem);
      await withPrometheus([daemon], ({ untilFired }) =>
        untilFired(['WaypostEdgeErrors', 'WaypostOriginsFail'], async () => {
          for (let i = 0; i < 5; i++) await visitor.visit('site.test', `/${i}`);
        }),
      );
    });
  });

  test('a node that stands still, silent etcd, which is no other alert, and a node that is alone then', async () => {
    const { nodes, etcd, close } = await startCluster(2, { WAYPOST_CLUSTER_MAX_LAG: '5' });
    try {
      const [a, b] = nodes;
      await withPrometheus([a], async ({ untilFired, firing, prometheus }) => {
        const id = await a.api.createDomain('cluster.test');
        process.kill(b.child.pid, 'SIGSTOP');
        try {
          let round = 0;
          await untilFired(['WaypostPeersBehind'], () => a.api.createRecord(id, `r${round++}`, 'A', '192.0.2.1'));
        } finally {
          process.kill(b.child.pid, 'SIGCONT');
        }
        await etcd.stop();
        await untilFired(['WaypostEtcdSilent']);
        assert.not((await firing()).includes('WaypostNotFollowing'));
        const seen = await prometheus.query(
          'max_over_time(ALERTS{alertname="WaypostNotFollowing",alertstate="firing"}[5m])',
        );
        assert.equal(seen, []);
        await b.kill();
        await untilFired(['WaypostNotReady', 'WaypostLag']);
      });
    } finally {
      await close();
    }
  });

  test('etcd without room', async () => {
    const { nodes, etcd, close } = await startCluster(1, {}, ['--quota-backend-bytes', String(16 << 20)]);
    try {
      const [{ api }] = nodes;
      await withPrometheus(nodes, async ({ untilFired }) => {
        const fill = async (): Promise<void> => {
          for (let i = 0; ; i++) await etcd.gateway.transaction([], [put(`/filler/${i}`, Buffer.alloc(1 << 20))]);
        };
        await fill().catch((error: Error) => assert.match(error.message, /space exceeded/));
        await untilFired(['WaypostEtcdFull', 'WaypostApiErrors'], () =>
          api.request('POST', '/api/v1/domains', { domain: 'full.example' }),
        );
      });
    } finally {
      await close();
    }
  });

  test('a disk that is almost full', async () => {
    const { bavail, bsize } = statfsSync(tmpdir());
    // The reserve is more than half of what is free.
    await withDaemon({ WAYPOST_PROTECTION_DISK_RESERVE: String(Math.floor(0.7 * bavail * bsize)) }, (daemon) =>
      withPrometheus([daemon], ({ untilFired }) => untilFired(['WaypostDiskAlmostFull'])),
    );
  });

  test('an index and webhooks beyond their bounds, and a flood of queries', async () => {
    const settings = {
      WAYPOST_DNS_INDEX_MEMORY: '1MB',
      WAYPOST_DNS_RRL_ALLOW: '192.0.2.0/24',
      WAYPOST_DNS_RRL_RATE: '5',
      WAYPOST_WEBHOOKS_ALLOW_PRIVATE_RECEIVERS: 'true',
    };
    await withDaemon(settings, async ({ api, dnsPort, adminPort }) => {
      const id = await api.createDomain('large.test');
      const lines = Array.from({ length: 20_000 }, (_, i) => `n${i} A 192.0.2.1`);
      const imported = await api.request('PUT', `/api/v1/domains/${id}/zonefile`, lines.join('\n'), 'text/dns');
      assert.is(imported.status, 200, imported.text);
      for (let i = 0; i < 20; i++) await api.call('POST', '/api/v1/webhooks', { url: `http://127.0.0.1:9/${i}` });
      for (let i = 0; i < 60; i++) await api.createRecord(id, `w${i}`, 'A', '192.0.2.1');
      const client = createSocket('udp4');
      const query = encodeQuery({ name: parseName('n1.large.test.'), type: TYPE.A, class: 1 }, 1);
      await withPrometheus([{ adminPort }], ({ untilFired }) =>
        untilFired(['WaypostIndexFull', 'WaypostWebhooksWait', 'WaypostDnsRateLimited'], async () => {
          for (let i = 0; i < 500; i++) client.send(query, dnsPort, '127.0.0.1');
          await sleep(200);
        }),
      );
      client.close();
    });
  });

  test('descriptors that are almost used up', () =>
    withDaemon({ WAYPOST_PROTECTION_DESCRIPTORS: '20' }, (daemon) =>
      withPrometheus([daemon], ({ untilFired }) => untilFired(['WaypostOverloaded'])),
    ));

  test('an authority of certificates that is gone, and too many connections', async () => {
    const port = await freePort();
    const settings = {
      ...(await edgeSettings()),
      WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${port}`,
      WAYPOST_ACME_DIRECTORY: 'https://127.0.0.1:9/directory',
      WAYPOST_ACME_AGREE_TOS: 'true',
      WAYPOST_EDGE_MAX_CONNECTIONS_PER_ADDRESS: '1',
    };
    await withDaemon(settings, async (daemon) => {
      const id = await daemon.api.createDomain('ordered.test');
      await daemon.api.call('PUT', `/api/v1/domains/${id}/proxy`, { origin_host: '198.41.0.4', origin_port: 80 });
      await daemon.api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
      const step = async (): Promise<void> => {
        const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1').on('error', () => {}));
        await sleep(300);
        for (const socket of sockets) socket.destroy();
      };
      await withPrometheus([daemon], ({ untilFired }) =>
        untilFired(['WaypostCertificateErrors', 'WaypostConnectionsRefused'], step),
      );
    });
  });

  const noClock = whyNotMovedClock();
  if (noClock === null)
    test('a wrong clock, with which the API refuses writes', async () => {
      const clock = new MovedClock();
      await withDaemon({ ...clock.env, WAYPOST_CLOCK_MAX_OFFSET: '60' }, async (daemon) => {
        const { api } = daemon;
        const id = await api.createDomain('clock.test');
        await withPrometheus([daemon], async ({ untilFired }) => {
          clock.advance(30 * 86_400);
          await untilFired(['WaypostClockOff'], () =>
            api.request('POST', `/api/v1/domains/${id}/records`, { name: 'x', type: 'A', content: '192.0.2.1' }),
          );
        });
      });
    });

  for (const [title, days, alerts] of [
    [
      'signatures of a clock that was ahead, and a parent that cannot be asked',
      30,
      ['SignaturesInFuture', 'DsMismatch'],
    ],
    ['signatures that are not renewed', -20, ['SignaturesExpire']],
  ] as const)
    if (noClock === null)
      test(title, async () => {
        const clock = new MovedClock();
        clock.advance(days * 86_400);
        await withDaemon(clock.env, async (daemon) => {
          const { api } = daemon;
          const id = await api.createDomain('signed.test');
          await api.call('PUT', `/api/v1/domains/${id}/dnssec`, { enabled: true });
          // The first expiry is looked for at a start, and then from time to time.
          await daemon.stop();
          await daemon.start();
          await withPrometheus([daemon], ({ untilFired }) => untilFired(alerts.map((end) => `Waypost${end}`)));
        });
      });
}

test.run();
