/** "waypost check-config" refuses what a start refuses, with the same text. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { environment, runCommand, USUAL } from '../../../support/daemon.ts';
import { temporaryFolder } from '../../../support/temp.ts';

const test = suite('check-config');
const folder = temporaryFolder('check-config');
const missing = join(folder, 'missing');

const settings = (more: Record<string, string>) =>
  environment({
    WAYPOST_DATA_DIR: join(folder, 'data'),
    WAYPOST_DNS_LISTEN: '127.0.0.1:0',
    WAYPOST_ADMIN_LISTEN: '127.0.0.1:0',
    ...USUAL,
    ...more,
  });

const AT = '127.0.0.1:18300';

const REFUSED: readonly [name: string, settings: Record<string, string>, text: RegExp][] = [
  ['DNS over TLS without a certificate', { WAYPOST_DNS_TLS_LISTEN: '127.0.0.1:0' }, /dns\.tls_listen needs/],
  [
    'files of a certificate that are missing',
    {
      WAYPOST_DNS_TLS_LISTEN: '127.0.0.1:0',
      WAYPOST_DNS_TLS_CERTIFICATE: `${missing}.crt`,
      WAYPOST_DNS_TLS_KEY: `${missing}.key`,
    },
    /dns\.tls_certificate and dns\.tls_key: ENOENT/,
  ],
  [
    'a certificate of the edge that is missing',
    {
      WAYPOST_EDGE_HTTP_LISTEN: '127.0.0.1:0',
      WAYPOST_EDGE_DEFAULT_CERTIFICATE: `${missing}.crt`,
      WAYPOST_EDGE_DEFAULT_KEY: `${missing}.key`,
    },
    /edge\.default_certificate and edge\.default_key: ENOENT/,
  ],
  [
    'root certificates of origins that are missing',
    { WAYPOST_EDGE_HTTP_LISTEN: '127.0.0.1:0', WAYPOST_EDGE_ORIGIN_CA_FILE: missing },
    /edge\.origin_ca_file: .* cannot be read: ENOENT/,
  ],
  ['root certificates of ACME that are missing', { WAYPOST_ACME_CA_FILE: missing }, /acme\.ca_file: .*ENOENT/],
  [
    'two places for backups',
    { WAYPOST_BACKUP_FOLDER: folder, WAYPOST_BACKUP_S3_BUCKET: 'bucket' },
    /backup\.folder and backup\.s3_bucket are both set/,
  ],
  [
    'a secret key in a folder that is missing',
    { WAYPOST_SECRETS_KEY_FILE: join(missing, 'secret.key') },
    /key file .*secret\.key cannot be created: ENOENT/,
  ],
  [
    'the edge on the port of the API',
    { WAYPOST_ADMIN_LISTEN: AT, WAYPOST_EDGE_HTTP_LISTEN: AT },
    /edge\.http_listen 127\.0\.0\.1:18300 and admin\.listen 127\.0\.0\.1:18300 need the same TCP port/,
  ],
  [
    'a node of a cluster without certificates',
    { WAYPOST_ETCD_ENDPOINTS: 'http://127.0.0.1:1' },
    /ca\.pem is missing\..* Run "waypost cluster init"/,
  ],
  [
    'a file with headers for traces that is missing',
    { WAYPOST_TRACES_ENDPOINT: 'http://127.0.0.1:1', WAYPOST_TRACES_HEADERS_FILE: missing },
    /traces\.headers_file: .* does not exist/,
  ],
];

for (const [name, more, text] of REFUSED)
  test(`a start and check-config refuse ${name}`, async () => {
    const env = settings(more);
    const checked = await runCommand(['check-config', '--quiet'], env);
    const served = await runCommand(['serve'], env);
    assert.equal([checked.code, served.code], [1, 1], `${checked.output}\n${served.output}`);
    assert.match(checked.output, text);
    assert.is(checked.output, served.output);
  });

test('a data folder below a file is refused', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const { code, output } = await runCommand(['check-config'], settings({ WAYPOST_DATA_DIR: file }));
  assert.is(code, 1);
  assert.match(output, /data_dir: cannot use the folder .*file: .*file is not a folder/);
});

test('all faults are listed at once', async () => {
  const { output } = await runCommand(
    ['check-config'],
    settings({ WAYPOST_DNS_TLS_LISTEN: '127.0.0.1:0', WAYPOST_ACME_CA_FILE: missing }),
  );
  assert.match(output, /2 errors:\n {2}dns\.tls_listen needs.*\n {2}acme\.ca_file/);
});

test('--bind refuses an address in use, and creates nothing', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const env = settings({ WAYPOST_ADMIN_LISTEN: `127.0.0.1:${port}`, WAYPOST_DATA_DIR: join(missing, 'data') });
  try {
    assert.is((await runCommand(['check-config', '--quiet'], env)).code, 0);
    const { code, output } = await runCommand(['check-config', '--quiet', '--bind'], env);
    assert.is(code, 1);
    assert.match(
      output,
      new RegExp(`admin\\.listen: cannot listen on 127\\.0\\.0\\.1:${port} \\(TCP\\): address in use`),
    );
  } finally {
    server.close();
  }
});

test.run();
