/** Certificates in files: the metric, the warnings of /readyz, and the log. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../core/base/log/index.ts';
import { PROMETHEUS, Registry } from '../../../core/base/metrics/index.ts';
import { CertificateFiles } from '../../../core/cluster/certificate-files.ts';
import { LiveConfig, loadConfig, resolveConfig } from '../../../core/config/index.ts';
import { certificate, ecKey } from '../../support/certificate.ts';
import { singleNodeTasks, VirtualClock } from '../../support/tasks.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

const DAY = 86_400_000;

const DNS_TLS = { WAYPOST_DNS_TLS_LISTEN: '127.0.0.1:853' };

/** Whole days until the expiry of dns.tls_certificate; undefined: not in the metric. */
function daysOf(metrics: Registry): number | undefined {
  const [, days] = /expiry_days\{setting="dns\.tls_certificate"\} (\S+)/.exec(metrics.expose(PROMETHEUS)) ?? [];
  return days === undefined ? undefined : Math.round(Number(days));
}

test('a certificate that expires is in the metric, and from 14 days before in warnings and log', async () => {
  const folder = temporaryFolder('certificates');
  try {
    const file = join(folder, 'cert.pem');
    const write = (to: number): void => writeFileSync(file, certificate({ name: 'ns1.test', key: ecKey(), to }));
    write(20);
    const clock = new VirtualClock(Date.now());
    const metrics = new Registry();
    const lines: string[] = [];
    const env = { ...DNS_TLS, WAYPOST_DNS_TLS_CERTIFICATE: file };
    const files = new CertificateFiles({
      config: loadConfig({ env }),
      metrics,
      tasks: singleNodeTasks(clock),
      log: createLogger({ level: 'info', format: 'text', write: (line) => void lines.push(line) }),
      now: () => clock.date(),
    });
    const days = (): number | undefined => daysOf(metrics);
    assert.equal([days(), files.warnings(), lines.length], [20, [], 0]);
    clock.jump(10 * DAY);
    await clock.advance(120_000);
    assert.is(days(), 10);
    assert.match(
      files.warnings().join(),
      /the certificate of dns\.tls_certificate expires in 1\d days; renew the file/,
    );
    assert.is(lines.length, 1, 'once a day');
    clock.jump(11 * DAY);
    await clock.advance(120_000);
    assert.equal(files.warnings(), ['the certificate of dns.tls_certificate has expired; renew the file']);
    assert.equal([days()! < 0, lines.length], [true, 2]);
    write(90);
    await clock.advance(120_000);
    assert.equal([files.warnings(), lines.length], [[], 2]);
  } finally {
    removeFolder(folder);
  }
});

test('of a file with a chain the first expiry counts, and a reload without the setting ends both', async () => {
  const folder = temporaryFolder('certificates');
  try {
    const file = join(folder, 'chain.pem');
    const [leaf, authority] = [40, 3].map((to) => certificate({ name: 'ns1.test', key: ecKey(), to }));
    writeFileSync(file, `${leaf}\n${authority}`);
    const clock = new VirtualClock(Date.now());
    const metrics = new Registry();
    const read = (env: Record<string, string>) => resolveConfig({ env: { ...DNS_TLS, ...env } });
    const live = new LiveConfig(read({ WAYPOST_DNS_TLS_CERTIFICATE: file }));
    const files = new CertificateFiles({
      config: live.config,
      metrics,
      tasks: singleNodeTasks(clock),
      log: createLogger({ level: 'info', format: 'text', write: () => {} }),
      now: () => clock.date(),
    });
    assert.is(daysOf(metrics), 3);
    assert.is(files.warnings().length, 1);
    await live.apply(read({}));
    await clock.advance(120_000);
    assert.is(daysOf(metrics), undefined);
    assert.equal(files.warnings(), []);
  } finally {
    removeFolder(folder);
  }
});

test('certificates of a cluster are watched, with the authority that issued that of the node', async () => {
  const folder = temporaryFolder('certificates');
  try {
    const [old, next] = [
      { name: 'old', key: ecKey() },
      { name: 'next', key: ecKey() },
    ];
    const authorities = [certificate({ ...next, ca: true, to: 700 }), certificate({ ...old, ca: true, to: 12 })];
    mkdirSync(join(folder, 'cluster'));
    writeFileSync(join(folder, 'cluster/ca.pem'), authorities.join(''));
    writeFileSync(join(folder, 'cluster/node.pem'), certificate({ name: 'a', key: ecKey(), issuer: old, to: 11 }));
    const warningsOf = (env: NodeJS.ProcessEnv): string[] =>
      new CertificateFiles({
        config: loadConfig({ env: { WAYPOST_DATA_DIR: folder, ...env } }),
        metrics: new Registry(),
        tasks: singleNodeTasks(new VirtualClock(Date.now())),
        log: createLogger({ level: 'error', format: 'text', write: () => {} }),
      }).warnings();
    assert.equal(warningsOf({}), [], 'a single node');
    const warnings = warningsOf({ WAYPOST_ETCD_ENDPOINTS: 'http://127.0.0.1:1' });
    assert.match(warnings[0], /peer\.certificate_file ends in 11 days: no node has renewed it/);
    assert.match(warnings[1], /peer\.ca_file ends in 12 days/);
  } finally {
    removeFolder(folder);
  }
});

test.run();
