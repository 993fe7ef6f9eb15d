/**
 * Load balancers in front of DNS state their clients with the PROXY protocol: dnsdist over UDP, TCP
 * and TLS, HAProxy over TCP, and kdig as a proxy of its own. The query log and the access list of
 * transfers see the client.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { type Child, startChild } from '../../support/child.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { freePort } from '../../support/ports.ts';
import { pathOf, runProgram, whyNotPrograms } from '../../support/programs.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { until } from '../../support/until.ts';

const missing = whyNotPrograms('dnsdist', 'haproxy', 'kdig', 'dig');
const test = suite('PROXY protocol of DNS load balancers');
const APEX = 'proxied.test';
const HOST = 'dns.waypost.test';
/** Where the load balancers connect from. */
const BALANCER = '127.0.0.3';
const CLIENT = '127.0.0.5';
const OTHER = '127.0.0.6';

let daemon: Daemon;
const children: Child[] = [];
/** Ports of the load balancers. */
const ports = { plain: 0, tcp: 0, tls: 0, haproxy: 0, dot: 0 };

test.before(async () => {
  if (missing !== null) return;
  const folder = temporaryFolder('dns-proxies');
  for (const name of Object.keys(ports) as (keyof typeof ports)[]) ports[name] = await freePort();
  const key = ecKey();
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  daemon = await startDaemon({
    WAYPOST_DNS_PROXY_PROTOCOL: `${BALANCER}/32`,
    WAYPOST_DNS_QUERY_LOG: '1',
    WAYPOST_LOG_LEVEL: 'info',
    WAYPOST_TRANSFER_ALLOW: `${CLIENT}/32`,
    WAYPOST_DNS_TLS_LISTEN: `127.0.0.1:${ports.dot}`,
    WAYPOST_DNS_TLS_CERTIFICATE: write('dns.crt', certificate({ name: HOST, key, dnsNames: [HOST] })),
    WAYPOST_DNS_TLS_KEY: write('dns.key', pemOfKey(key)),
  });
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const zone = await daemon.api.createDomain(APEX);
  for (const label of ['udp', 'tcp', 'tls', 'haproxy', 'kdig'])
    await daemon.api.createRecord(zone, label, 'A', '192.0.2.1');
  const server = (port: number, options: string): string =>
    `newServer({address="127.0.0.1:${port}", source="${BALANCER}", useProxyProtocol=true, healthCheckMode="up", ${options}}):setUp()`;
  const balancer = (listen: number, backend: string): string =>
    `setLocal("127.0.0.1:${listen}")\nsetACL({"127.0.0.0/8"})\nsetSecurityPollSuffix("")\n${backend}\n`;
  const configs = [
    balancer(ports.plain, server(daemon.dnsPort, 'name="plain"')),
    balancer(ports.tcp, server(daemon.dnsPort, 'name="tcp", tcpOnly=true')),
    balancer(
      ports.tls,
      server(ports.dot, `name="tls", tls="openssl", subjectName="${HOST}", validateCertificates=false`),
    ),
  ];
  configs.forEach((text, i) => {
    const file = write(`dnsdist-${i}.conf`, text);
    children.push(startChild(pathOf('dnsdist'), ['--supervised', '--disable-syslog', '-C', file]));
  });
  const file = write(
    'haproxy.cfg',
    `defaults\n mode tcp\n timeout connect 20s\n timeout client 60s\n timeout server 60s\nlisten dns\n bind 127.0.0.1:${ports.haproxy}\n source ${BALANCER}\n server one 127.0.0.1:${daemon.dnsPort} send-proxy-v2\n`,
  );
  children.push(startChild(pathOf('haproxy'), ['-db', '-f', file]));
});
test.after(async () => {
  for (const child of children) await child.stop();
  await daemon?.close();
});

/** The output of dig, once the load balancer listens. */
async function dig(port: number, from: string, ...args: readonly string[]): Promise<string> {
  let found = '';
  await until(
    async () => {
      const server = ['@127.0.0.1', '-p', `${port}`, '-b', from, '+tries=1', '+timeout=5'];
      const { code, output } = await runProgram('dig', [...server, ...args]);
      found = output;
      return code === 0 && /status: |XFR size|Transfer failed/.test(output);
    },
    () => `${found}\n${children.map((child) => child.output()).join('\n')}`,
  );
  return found;
}

const logged = (label: string, transport: string, client: string): Promise<void> =>
  until(
    () =>
      daemon.child
        .output()
        .split('\n')
        .some((line) =>
          [`name=${label}.${APEX}.`, `transport=${transport} `, `client=${client} `].every((part) =>
            line.includes(part),
          ),
        ),
    () => daemon.child.output(),
  );

const WAYS = [
  ['udp', 'plain', 'udp', []],
  ['tcp', 'tcp', 'tcp', []],
  ['tls', 'tls', 'tls', []],
  ['haproxy', 'haproxy', 'tcp', ['+tcp']],
] as const;
for (const [label, balancer, transport, options] of WAYS)
  test(`${label}: the query is that of the client`, async () => {
    if (missing !== null) return;
    assert.match(await dig(ports[balancer], CLIENT, `${label}.${APEX}`, ...options), /192\.0\.2\.1/);
    await logged(label, transport, CLIENT);
  });

for (const balancer of ['plain', 'haproxy'] as const)
  test(`${balancer}: the access list of transfers holds for the client`, async () => {
    if (missing !== null) return;
    assert.match(await dig(ports[balancer], CLIENT, APEX, 'AXFR'), /XFR size: [1-9]/);
    assert.match(await dig(ports[balancer], OTHER, APEX, 'AXFR'), /Transfer failed/);
  });

test('kdig states any client, over UDP and TCP; without a header it gets no answer', async () => {
  if (missing !== null) return;
  const kdig = async (...args: readonly string[]): Promise<string> => {
    const server = ['@127.0.0.1', '-p', `${daemon.dnsPort}`, '-b', BALANCER, '+retry=0', '+timeout=2'];
    return (await runProgram('kdig', [...server, `kdig.${APEX}`, ...args])).output;
  };
  assert.match(await kdig('+proxy=192.0.2.77#4000-192.0.2.53#53'), /192\.0\.2\.1/);
  await logged('kdig', 'udp', '192.0.2.77');
  assert.match(await kdig('+tcp', '+proxy=2001:db8::77#4000-2001:db8::53#53'), /192\.0\.2\.1/);
  await logged('kdig', 'tcp', '2001:db8::77');
  assert.not.match(await kdig(), /192\.0\.2\.1/);
});

test.run();
