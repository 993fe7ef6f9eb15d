/**
 * Slow TCP clients: 1,000 connections that send a byte a second and come back when they are cut,
 * 100 that ask for much and don't read, with the limits as they come. Others are answered all the
 * while, over UDP and over TCP, and the daemon's memory stays where it was.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../support/daemon.ts';
import { queryTcp, UdpClient } from '../../support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';

const SLOW = 1000;
const DEAF = 20;
const PER_ADDRESS = 32;
/** Longer than dns.tcp_query_timeout, so that they are cut and come back. */
const MS = 7000;
/** What a thousand connections and what waits for the deaf may cost, in bytes. */
const MEMORY = 96 << 20;

const soa = (id: number): Uint8Array =>
  encodeQuery({ name: parseName('slow.example.'), type: TYPE.SOA, class: CLASS_IN }, id);

function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) * 1024;
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)];

test('1,000 clients that send a byte a second, and some that do not read: other clients do not notice', async () => {
  const daemon = await startDaemon();
  const sockets = new Set<Socket>();
  let opened = 0;
  let isOver = false;
  const dial = (index: number, greet: (socket: Socket) => void): void => {
    const localAddress = `127.0.1.${1 + Math.floor(index / PER_ADDRESS)}`;
    const socket = connect({ port: daemon.dnsPort, host: '127.0.0.1', localAddress });
    opened++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('connect', () => greet(socket));
    socket.once('close', () => {
      sockets.delete(socket);
      if (!isOver) setTimeout(() => !isOver && dial(index, greet), 200);
    });
  };
  try {
    const { dnsPort, api, child } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    await api.call('POST', '/api/v1/domains', { domain: 'slow.example' });
    const udp = await UdpClient.connect(dnsPort);
    await queryTcp(dnsPort, [soa(1)]);
    const before = residentBytes(child.pid);
    for (let i = 0; i < SLOW; i++) dial(i, (socket) => socket.write(Uint8Array.of(0)));
    const many = soa(2);
    const frame = Buffer.concat([Uint8Array.of(0, many.length), many]);
    for (let i = 0; i < DEAF; i++)
      dial(SLOW + i, (socket) => {
        socket.pause();
        socket.write(Buffer.concat(new Array<Buffer>(20_000).fill(frame)));
      });
    const drip = setInterval(() => {
      for (const socket of sockets) if (!socket.isPaused()) socket.write(Uint8Array.of(40));
    }, 1000);
    const overUdp: number[] = [];
    const overTcp: number[] = [];
    let most = 0;
    const ends = Date.now() + MS;
    try {
      for (let id = 10; Date.now() < ends; id++) {
        let begun = performance.now();
        const bytes = await udp.query(soa(id));
        overUdp.push(performance.now() - begun);
        assert.is(bytes === null ? null : decodeMessage(bytes).rcode, RCODE.NOERROR);
        begun = performance.now();
        // A connection of its own, from an address that has no other.
        const [other] = await queryTcp(dnsPort, [soa(id)]);
        overTcp.push(performance.now() - begun);
        assert.is(decodeMessage(other).rcode, RCODE.NOERROR);
        most = Math.max(most, residentBytes(child.pid));
        await sleep(5);
      }
    } finally {
      clearInterval(drip);
      isOver = true;
      udp.close();
    }
    const grown = Math.round((most - before) / 2 ** 20);
    console.log(
      `${SLOW} slow and ${DEAF} deaf connections, ${opened} opened in ${MS / 1000} s; ${overUdp.length} queries over UDP: p50 ${quantile(overUdp, 0.5).toFixed(2)}, p99 ${quantile(overUdp, 0.99).toFixed(2)} ms; as many over TCP, each on a connection of its own: p50 ${quantile(overTcp, 0.5).toFixed(2)}, p99 ${quantile(overTcp, 0.99).toFixed(2)} ms; memory grew by ${grown} MB`,
    );
    // They were cut and came back.
    assert.ok(opened > SLOW + DEAF, `${opened} connections`);
    assert.ok(most - before < MEMORY, `the daemon grew by ${grown} MB`);
  } finally {
    isOver = true;
    for (const socket of sockets) socket.destroy();
    await daemon.close();
  }
});

test.run();
