/** Providers of DNS that sign a zone with their own tools, and give away their private key. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { parseMaster } from '../../../core/dns/wire/master/index.ts';
import { parseName } from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { startPowerDnsServer } from '../peers/powerdns-server.ts';
import { startPeer } from '../peers/servers.ts';

export interface OtherProvider {
  readonly port: number;
  /** The file of the private key that the DS names. */
  readonly privateKey: string;
  /** Rdata of the DNSKEY records. The first one is that of the private key. */
  readonly dnskeys: readonly string[];
  stop(): Promise<void>;
}

const SOA = '@ 3600 SOA ns1.old.example. host.old.example. 1 7200 900 1209600 300\n@ 3600 NS ns1.old.example.\n';

interface Tools {
  /** Generates a KSK or a ZSK in the folder. Returns the name of its files, without suffix. */
  readonly generate: (run: Run, zone: string, isKsk: boolean) => string;
  /** Signs the file `zone` as `signed`. */
  readonly sign: (run: Run, zone: string, keys: readonly string[]) => void;
  readonly server: 'bind' | 'nsd';
}

type Run = (program: string, ...args: string[]) => string;

export const bindTools = (algorithm: string): Tools => ({
  generate: (run, zone, isKsk) => run('dnssec-keygen', '-q', '-a', algorithm, ...(isKsk ? ['-f', 'KSK'] : []), zone),
  sign: (run, zone, keys) => void run('dnssec-signzone', '-q', '-o', zone, '-f', 'signed', 'zone', ...keys),
  server: 'bind',
});

/** `bits`: of the KSK; the ZSK has 1024. */
export const ldnsTools = (algorithm: string, bits: number): Tools => ({
  generate: (run, zone, isKsk) =>
    run('ldns-keygen', '-a', algorithm, '-b', isKsk ? `${bits}` : '1024', ...(isKsk ? ['-k'] : []), zone),
  sign: (run, zone, keys) => void run('ldns-signzone', '-n', '-o', zone, '-f', 'signed', 'zone', ...keys),
  server: 'nsd',
});

/** A KSK that signs the keys, and a ZSK that signs the rest. `records`: below the apex. */
export async function startSplitKeys(zone: string, records: string, tools: Tools): Promise<OtherProvider> {
  const folder = temporaryFolder('provider');
  const run: Run = (program, ...args) =>
    execFileSync(program, args, {
      ...{ cwd: folder, encoding: 'utf8', timeout: PATIENCE_MS, stdio: ['ignore', 'pipe', 'pipe'] },
    }).trim();
  const keys = [true, false].map((isKsk) => tools.generate(run, zone, isKsk));
  const keyLines = keys.map((name) => /^[^;].*DNSKEY.*$/m.exec(readFileSync(join(folder, `${name}.key`), 'utf8'))![0]);
  writeFileSync(join(folder, 'zone'), `$ORIGIN ${zone}.\n${SOA}${records}${keyLines.join('\n')}\n`);
  tools.sign(run, zone, keys);
  const parsed = parseMaster(readFileSync(join(folder, 'signed')), { origin: parseName(`${zone}.`) });
  assert.equal(parsed.errors, []);
  const all = [...parsed.records];
  const soa = all.find(({ type }) => type === TYPE.SOA)!;
  const peer = await startPeer(tools.server, [[soa, ...all.filter((record) => record !== soa)]]);
  return {
    port: peer.port,
    privateKey: readFileSync(join(folder, `${keys[0]}.private`), 'utf8'),
    dnskeys: keyLines.map((line) => /DNSKEY\s+(.*?)\s*(;.*)?$/.exec(line)![1]),
    async stop() {
      await peer.stop();
      removeFolder(folder);
    },
  };
}

/** PowerDNS, which signs all with one key of RSA. */
export async function startPowerDnsProvider(zone: string, records: string): Promise<OtherProvider> {
  const server = await startPowerDnsServer();
  const call = async (method: string, path: string, body?: object): Promise<{ [field: string]: unknown }> => {
    const response = await fetch(`${server.url}/api/v1/servers/localhost/zones${path}`, {
      method,
      headers: { 'x-api-key': server.key, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    assert.ok(response.ok, text);
    return text === '' ? {} : JSON.parse(text);
  };
  const rrsets = [
    ...parseMaster(Buffer.from(`$ORIGIN ${zone}.\n${SOA}${records}`), { origin: parseName(`${zone}.`) }).records,
  ];
  assert.ok(rrsets.length > 0);
  await call('POST', '', { name: `${zone}.`, kind: 'Master', zone: `$ORIGIN ${zone}.\n${SOA}${records}` });
  const key = { keytype: 'csk', active: true, published: true, algorithm: 'rsasha256', bits: 2048 };
  const { id } = await call('POST', `/${zone}./cryptokeys`, key);
  await call('PUT', `/${zone}./rectify`);
  const { privatekey, dnskey } = await call('GET', `/${zone}./cryptokeys/${id}`);
  return {
    port: server.dnsPort,
    privateKey: String(privatekey),
    dnskeys: [String(dnskey)],
    stop: () => server.close(),
  };
}
