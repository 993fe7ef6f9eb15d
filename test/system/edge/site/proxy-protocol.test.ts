/**
 * The PROXY protocol with nginx and HAProxy: a load balancer in front of the edge states the
 * visitor, and origins get its address.
 */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Child, startChild } from '../../../support/child.ts';
import { freePort } from '../../../support/ports.ts';
import { pathOf, runProgram, whyNotPrograms } from '../../../support/programs.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { until } from '../../../support/until.ts';
import { makeRoot, ORIGIN_ADDRESS, withSites } from './rig.ts';

const test = suite('the PROXY protocol');
const why = whyNotPrograms('curl', 'haproxy', 'nginx');
const SITE = 'site.test';
const VISITOR = '127.0.0.5';
/** Where the load balancer connects from. */
const BALANCER = '127.0.0.3';

const TIMEOUTS = 'timeout connect 20s\n timeout client 60s\n timeout server 60s';

/** `servers`: address, and its options, by port of a listener. */
const balancerConfig = (servers: ReadonlyMap<number, string>): string => `
global
 log stdout format raw local0
defaults
 mode tcp
 log global
 ${TIMEOUTS}
${[...servers].map(([port, server]) => `listen l${port}\n bind 127.0.0.1:${port}\n source ${BALANCER}\n server edge ${server}`).join('\n')}
`;

const haproxyOrigin = (port: number): string => `
defaults
 mode http
 ${TIMEOUTS}
frontend origin
 bind ${ORIGIN_ADDRESS}:${port} accept-proxy
 http-request return status 200 content-type text/plain lf-string "haproxy %ci %cp %[req.hdr(x-real-ip)]"
`;

const nginxOrigin = (folder: string, clear: number, tls: number): string => `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
  server {
    listen ${ORIGIN_ADDRESS}:${clear} proxy_protocol;
    listen ${ORIGIN_ADDRESS}:${tls} proxy_protocol ssl;
    ssl_certificate ${folder}/cert.pem;
    ssl_certificate_key ${folder}/key.pem;
    default_type text/plain;
    location / {
      return 200 "nginx $scheme $proxy_protocol_addr $proxy_protocol_port $http_x_real_ip";
    }
  }
}
`;

async function started(command: 'haproxy' | 'nginx', args: readonly string[], port: number): Promise<Child> {
  const child = startChild(pathOf(command), args);
  await until(async () => {
    if (child.exited()) throw new Error(child.output());
    return (await runProgram('curl', ['-sS', '--max-time', '5', `http://127.0.0.1:${port}/`])).code !== 7;
  }, `${command} listens`);
  return child;
}

if (why === null) {
  test('haproxy in front: version 1 and 2, over TLS and without; nothing else is accepted from it', async () => {
    const origin = createServer(({ headers }, response) => {
      response.end(`${headers['x-forwarded-for']} ${headers['x-real-ip']}`);
    });
    await new Promise<void>((done) => void origin.listen(0, ORIGIN_ADDRESS, done));
    const { port } = origin.address() as { port: number };
    const settings = {
      WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: ORIGIN_ADDRESS,
      WAYPOST_EDGE_PROXY_PROTOCOL: BALANCER,
      WAYPOST_EDGE_WORKERS: '1',
    };
    const children: Child[] = [];
    try {
      await withSites(settings, async ({ daemon: { api }, root, https, http, addSite, counter }) => {
        const id = await addSite(SITE, { host: ORIGIN_ADDRESS, port, protocol: 'http' });
        const action = { type: 'set_request_header', name: 'X-Real-IP', value: '{client.ip}' };
        await api.call('PUT', `/api/v1/domains/${id}/proxy/rules`, { rules: [{ action }] });
        const servers = new Map<number, string>();
        for (const server of [`127.0.0.1:${https}`, `127.0.0.1:${http}`])
          for (const option of ['send-proxy', 'send-proxy-v2', ''])
            servers.set(await freePort(), `${server} ${option}`);
        const file = join(temporaryFolder('haproxy'), 'haproxy.cfg');
        writeFileSync(file, balancerConfig(servers));
        const ports = [...servers.keys()];
        children.push(await started('haproxy', ['-db', '-f', file], ports[5]));
        const visit = async (scheme: string, at: number, ...args: readonly string[]): Promise<string> => {
          const { output } = await runProgram('curl', [
            ...['-sS', '--cacert', root.file, '--interface', VISITOR, '-w', ' %{http_code}', ...args],
            ...['--connect-to', `${SITE}::127.0.0.1:${at}`, `${scheme}://${SITE}/`],
          ]);
          return output;
        };
        const seen = `${VISITOR} ${VISITOR} 200`;
        await until(async () => (await visit('https', ports[0])) === seen, 'the rule holds');
        for (const version of ['--http1.1', '--http2'])
          for (const at of ports.slice(0, 2)) assert.is(await visit('https', at, version), seen);
        // Redirected to HTTPS.
        for (const at of ports.slice(3, 5)) assert.match(await visit('http', at), / 308$/);
        const failures = 'waypost_edge_handshake_failures_total{reason="proxy_header"}';
        const before = await counter(failures);
        assert.match(await visit('https', ports[2]), / 000$/);
        assert.match(await visit('http', ports[5]), / 000$/);
        assert.is(await counter(failures), before + 2);
        // Others need no header, and cannot state one.
        assert.is(await visit('https', https), seen);
        assert.match(await visit('http', http, '--haproxy-protocol'), / 501$/);
      });
    } finally {
      for (const child of children) await child.stop();
      origin.close();
    }
  });

  test('nginx and haproxy as origins: each request has its visitor, also past TLS, and in health checks', async () => {
    const root = makeRoot('Root of origins');
    const folder = temporaryFolder('nginx');
    const { cert, key } = root.issue(['origin.test']);
    const [clear, tls, port] = [await freePort(), await freePort(), await freePort()];
    writeFileSync(join(folder, 'cert.pem'), cert);
    writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 });
    writeFileSync(join(folder, 'nginx.conf'), nginxOrigin(folder, clear, tls));
    writeFileSync(join(folder, 'haproxy.cfg'), haproxyOrigin(port));
    const children = [
      startChild(pathOf('nginx'), ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr']),
      startChild(pathOf('haproxy'), ['-db', '-f', join(folder, 'haproxy.cfg')]),
    ];
    try {
      const settings = { WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: ORIGIN_ADDRESS, WAYPOST_EDGE_WORKERS: '1' };
      await withSites(settings, async ({ daemon: { api }, root: sites, https, addSite }) => {
        const id = await addSite(SITE, { host: ORIGIN_ADDRESS, port, protocol: 'http' });
        const at = `/api/v1/domains/${id}/proxy`;
        const action = { type: 'set_request_header', name: 'X-Real-IP', value: '{client.ip}:{client.port}' };
        await api.call('PUT', `${at}/rules`, { rules: [{ action }] });
        const secure = { ca: root.pem, server_name: 'origin.test' };
        const origins = (['v1', 'v2'] as const).flatMap((version) =>
          [
            { path: `/nginx/${version}`, pool: [{ origin: ORIGIN_ADDRESS, port: clear, protocol: 'http' }] },
            { path: `/tls/${version}`, pool: [{ origin: ORIGIN_ADDRESS, port: tls, protocol: 'https' }], ...secure },
            { path: `/haproxy/${version}`, pool: [{ origin: ORIGIN_ADDRESS, port, protocol: 'http' }] },
          ].map((entry) => ({ ...entry, proxy_protocol: version, health: { interval: 2 } })),
        );
        await api.call('PUT', `${at}/origins`, { origins });
        const visit = async (path: string): Promise<string> => {
          const { output } = await runProgram('curl', [
            ...['-sS', '--cacert', sites.file, '--interface', VISITOR],
            ...['--connect-to', `${SITE}:443:127.0.0.1:${https}`, `https://${SITE}${path}`],
          ]);
          return output;
        };
        const expected = new RegExp(
          `^(nginx http|nginx https|haproxy) ${VISITOR.replaceAll('.', '\\.')} (\\d+) ${VISITOR}:\\2$`,
        );
        await until(async () => expected.test(await visit('/nginx/v1')), 'the documents hold');
        for (const { path } of origins)
          for (let i = 0; i < 3; i++) assert.match(await visit(`${path}/${i}`), expected, path);
        assert.match(await visit('/tls/v2'), /^nginx https /);
        await until(async () => {
          const { entries } = (await api.call('GET', `${at}/origins/health`)).body as unknown as {
            entries: { origins: { state: string }[] }[];
          };
          return entries.every(({ origins: [{ state }] }) => state === 'up');
        }, 'that all checks succeed');
      });
    } finally {
      for (const child of children) await child.stop();
    }
  });
}

test.run();
