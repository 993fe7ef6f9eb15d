/**
 * `node dist/bench/attacks/unfinished-bodies.js [--main FILE]`: a stranger at 127.0.0.9 sends
 * requests to admin.hostname whose bodies never end: 125 on each of 16 connections of HTTP/2, then
 * one on each of 530 connections of HTTP/1.1. Another client at 127.0.0.3 uses the API, DNS over
 * HTTPS and /readyz over the edge, with a new connection for each request.
 */
import { writeFileSync } from 'node:fs';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { parseName } from '../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../core/dns/wire/types.ts';
import { certificate, ecKey, pemOfKey } from '../../test/support/certificate.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../test/support/daemon.ts';
import { encodeQuery } from '../../test/support/message.ts';
import { freePort } from '../../test/support/ports.ts';
import { removeFolder, temporaryFolder } from '../../test/support/temp.ts';
import { attackOptions, type Probed, printRow, probeFor, processFigures } from './stage.ts';

const { main, seconds } = attackOptions('unfinished-bodies', 'Bodies that never end, sent to admin.hostname.');
const HOST = 'admin.waypost.test';
const ATTACKER = '127.0.0.9';
const OTHER = '127.0.0.3';
const SESSIONS = 16;
const STREAMS = 125;
const SOCKETS = 530;
const LENGTH = 1000;
const RETRY_MS = 200;
const PATIENCE_MS = 20_000;

interface State {
  isOver: boolean;
}

const folder = temporaryFolder('certificate');
const key = ecKey();
const ca = certificate({ name: HOST, key, dnsNames: [HOST] });
const [certificateFile, keyFile] = [join(folder, 'admin.pem'), join(folder, 'admin.key')];
writeFileSync(certificateFile, ca);
writeFileSync(keyFile, pemOfKey(key), { mode: 0o600 });
const port = await freePort();

function tls(from: string, protocol: string): TLSSocket {
  const socket = connectTcp({ host: '127.0.0.1', port, localAddress: from });
  const secure = connectTls({ socket, ca, servername: HOST, ALPNProtocols: [protocol] });
  socket.on('error', () => secure.destroy());
  secure.on('error', () => {});
  return secure;
}

/** One stream whose body does not end; again when it is over. */
async function keepStream(session: ClientHttp2Session, state: State): Promise<void> {
  while (!state.isOver && !session.destroyed && !session.closed) {
    const stream = session.request({
      ...{ ':method': 'POST', ':path': '/api/v1/auth/token', ':authority': HOST },
      ...{ 'content-type': 'application/json', 'content-length': String(LENGTH) },
    });
    stream.on('error', () => {});
    stream.write('{');
    stream.resume();
    await new Promise<void>((closed) => stream.once('close', closed));
    await sleep(RETRY_MS);
  }
}

async function overHttp2(state: State): Promise<void> {
  await Promise.all(
    Array.from({ length: SESSIONS }, async () => {
      while (!state.isOver) {
        const session = connectHttp2(`https://${HOST}`, { createConnection: () => tls(ATTACKER, 'h2') });
        session.on('error', () => {});
        const stop = setInterval(() => state.isOver && session.destroy(), RETRY_MS);
        await Promise.all(Array.from({ length: STREAMS }, () => keepStream(session, state)));
        clearInterval(stop);
        await sleep(RETRY_MS);
      }
    }),
  );
}

async function overHttp1(state: State): Promise<void> {
  const head = `POST /api/v1/auth/token HTTP/1.1\r\nHost: ${HOST}\r\nContent-Type: application/json\r\nContent-Length: ${LENGTH}\r\n\r\n{`;
  await Promise.all(
    Array.from({ length: SOCKETS }, async () => {
      while (!state.isOver) {
        const socket = tls(ATTACKER, 'http/1.1');
        const stop = setInterval(() => state.isOver && socket.destroy(), RETRY_MS);
        socket.once('secureConnect', () => socket.write(head));
        socket.resume();
        await new Promise<void>((closed) => socket.once('close', closed));
        clearInterval(stop);
        await sleep(RETRY_MS);
      }
    }),
  );
}

const daemon = await startDaemon(
  {
    ...{ WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${port}`, WAYPOST_EDGE_WORKERS: '1', WAYPOST_DNS_DOH: 'true' },
    ...{ WAYPOST_ADMIN_HOSTNAME: HOST, WAYPOST_DNS_DOH_RATE_LIMIT: '0' },
    ...{ WAYPOST_ADMIN_HOSTNAME_CERTIFICATE: certificateFile, WAYPOST_ADMIN_HOSTNAME_KEY: keyFile },
  },
  { main },
);

function get(path: string): Promise<void> {
  return new Promise((done, fail) => {
    const headers = { host: HOST, authorization: `Bearer ${daemon.api.token}` };
    const asking = request({
      ...{ host: '127.0.0.1', port, localAddress: OTHER, servername: HOST, ca, agent: false, path, headers },
    });
    asking.setTimeout(PATIENCE_MS, () => asking.destroy(new Error('no answer in time')));
    asking.on('error', fail);
    asking.on('response', (response) => {
      response.resume();
      response.on('end', () => (response.statusCode === 200 ? done() : fail(new Error(`${response.statusCode}`))));
    });
    asking.end();
  });
}

try {
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  await daemon.api.createDomain('other.test');
  const query = encodeQuery({ name: parseName('other.test.'), type: TYPE.SOA, class: CLASS_IN }, 0);
  const probes = [
    ['the API', '/api/v1/domains'],
    ['DNS over HTTPS', `/dns-query?dns=${Buffer.from(query).toString('base64url')}`],
    ['/readyz', '/readyz'],
  ] as const;
  const options = { intervalMs: 200, patienceMs: PATIENCE_MS };
  const measure = (): Promise<Probed[]> =>
    Promise.all(probes.map(([, path]) => probeFor(seconds, () => get(path), options)));
  const calm = await measure();
  for (const [name, attack] of [
    ['16 × 125 of HTTP/2', overHttp2],
    ['530 of HTTP/1.1', overHttp1],
  ] as const) {
    const state = { isOver: false };
    const flood = attack(state);
    await sleep(3000);
    const attacked = await measure();
    const { megabytes, descriptors } = processFigures(daemon.child.pid);
    state.isOver = true;
    for (const [i, [what]] of probes.entries())
      printRow(`${what}, ${name}`, calm[i], attacked[i], [`${megabytes} MB`, String(descriptors)]);
    await flood;
  }
} finally {
  await daemon.close();
  removeFolder(folder);
}
