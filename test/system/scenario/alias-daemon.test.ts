/**
 * ALIAS in the running daemon: from the API to the packet, what lists and metrics tell of it, and
 * what a kill leaves.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName, parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../core/dns/wire/types.ts';
import { formatAddress } from '../../../core/net/address/index.ts';
import type { Json } from '../../support/api-client.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../support/daemon.ts';
import { UdpClient } from '../../support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { TargetServer } from '../../support/target-server.ts';
import { transferOver, transferRequest } from '../../support/transfer-client.ts';
import { untilIs } from '../../support/until.ts';

const TARGET = 'lb.target.example';
const TRIES = 400;

test('from the API to the packet, over an import, a kill and a restart', async () => {
  const server = await TargetServer.start();
  server.set(TARGET, { addresses: ['192.0.2.7', '10.0.0.1'], ttl: 3600 }, { rcode: 2 });
  const daemon = await startDaemon({
    WAYPOST_ALIAS_RESOLVERS: server.address,
    WAYPOST_ALIAS_ALLOW_PRIVATE_TARGETS: '192.0.2.0/24',
  });
  const client = await UdpClient.connect(daemon.dnsPort);
  let id = 0;
  const ask = async (name: string): Promise<string> => {
    const packet = encodeQuery({ name: parseName(name), type: TYPE.A, class: CLASS_IN }, ++id, false);
    const response = await client.query(packet);
    assert.ok(response !== null);
    const { rcode, answer } = decodeMessage(response);
    const addresses = answer.filter(({ type }) => type === TYPE.A).map(({ rdata }) => formatAddress(rdata));
    return `${rcode} ${addresses.join()}`;
  };
  const until = async (name: string, wanted: string): Promise<void> => {
    let seen = '';
    for (let i = 0; i < TRIES && seen !== wanted; i++) {
      if (i > 0) await sleep(25);
      seen = await ask(name);
    }
    assert.is(seen, wanted);
  };
  try {
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const domain = await daemon.api.createDomain('one.test');
    const path = `/api/v1/domains/${domain}/records`;
    await daemon.api.createRecord(domain, '@', 'ALIAS', `${TARGET}.`);
    await until('one.test', '0 192.0.2.7');

    const { body, headers } = await daemon.api.call('GET', path);
    const [record] = body.records as { alias: { [key: string]: Json } }[];
    assert.match(String(record.alias.checked_at), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.equal(
      { ...record.alias, checked_at: '' },
      {
        status: 'resolved',
        addresses: ['192.0.2.7'],
        checked_at: '',
        error: 'AAAA: the resolver returned SERVFAIL',
      },
    );
    // The tag of what was read is good for a write, though what is known of the target is part of
    // it.
    const tag = String(headers.get('etag'));
    assert.match(tag, /^"\d+-[0-9a-f]{16}"$/);
    const write = (ifMatch: string, name: string) =>
      fetch(`http://127.0.0.1:${daemon.adminPort}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${daemon.api.token}`,
          'content-type': 'application/json',
          'if-match': ifMatch,
        },
        body: JSON.stringify({ name, type: 'A', content: '192.0.2.1' }),
      });
    assert.is((await write(tag, 'a')).status, 200);
    assert.is((await write(tag, 'b')).status, 412);
    const plain = await daemon.api.call('GET', `${path}?type=A`);
    assert.match(String(plain.headers.get('etag')), /^"\d+"$/);
    assert.not.ok('alias' in (plain.body.records as { [key: string]: Json }[])[0]);

    // Compiled in another thread, which knows no targets.
    const zone = ['$ORIGIN two.test.', '$TTL 300', `@ ALIAS ${TARGET}.`, `*.w ALIAS ${TARGET}.`, 'c CNAME x.w'];
    for (let i = 0; i < 3000; i++) zone.push(`h${i} A 192.0.2.1`);
    const imported = await daemon.api.createDomain('two.test');
    await daemon.api.call('PUT', `/api/v1/domains/${imported}/zonefile`, zone.join('\n'), 'text/dns');
    for (const name of ['two.test', 'q.w.two.test', 'c.two.test']) assert.is(await ask(name), '0 192.0.2.7', name);
    assert.is(await ask('h7.two.test'), '0 192.0.2.1');

    const metrics = await (await fetch(`http://127.0.0.1:${daemon.adminPort}/metrics`)).text();
    assert.match(metrics, /^waypost_alias_targets\{status="resolved"\} 1$/m);
    assert.match(metrics, /^waypost_alias_lookups_total\{result="resolved",source="resolver"\} [1-9]/m);
    assert.match(metrics, /^waypost_alias_dropped_addresses_total [1-9]/m);

    server.set(TARGET, { silent: true }, { silent: true });
    await daemon.kill();
    await daemon.start();
    assert.is(await ask('one.test'), '0 192.0.2.7');
    server.set(TARGET, { addresses: ['192.0.2.8'], ttl: 3600 }, { rcode: 2 });
    await until('one.test', '0 192.0.2.8');
    assert.is(await daemon.stop(), 0);
  } finally {
    client.close();
    await daemon.close();
    await server.close();
  }
});

test('no transfer has a zone without the answers of its new ALIAS', async () => {
  const server = await TargetServer.start();
  server.set(TARGET, { silent: true }, { silent: true });
  const daemon = await startDaemon({
    WAYPOST_ALIAS_RESOLVERS: server.address,
    WAYPOST_ALIAS_ALLOW_PRIVATE_TARGETS: '192.0.2.0/24',
    WAYPOST_TRANSFER_ALLOW: '127.0.0.1/32',
  });
  const transferred = async (): Promise<string[]> => {
    const records = await transferOver(daemon.dnsPort, transferRequest('one.test.'));
    return records.filter(({ type }) => type === TYPE.A).map(({ name }) => formatName(name));
  };
  try {
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const domain = await daemon.api.createDomain('one.test');
    await daemon.api.createRecord(domain, '*', 'A', '192.0.2.99');
    await untilIs(transferred, ['*.one.test.']);
    await daemon.api.createRecord(domain, 'al', 'ALIAS', `${TARGET}.`);
    const waiting = transferred().catch(() => 'SERVFAIL');
    server.set(TARGET, { addresses: ['192.0.2.7'], ttl: 3600 }, { rcode: 2 });
    const first = await waiting;
    if (first !== 'SERVFAIL') assert.equal(first, ['*.one.test.', 'al.one.test.']);
    await untilIs(transferred, ['*.one.test.', 'al.one.test.']);
  } finally {
    await daemon.close();
    await server.close();
  }
});

test.run();
