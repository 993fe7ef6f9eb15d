/**
 * Secondary zones of Knot DNS, BIND, NSD and PowerDNS, signed and unsigned, whose transfers are cut
 * off at random, and whose primaries are killed during a transfer: nothing changes before a
 * transfer is complete, and in the end the content is that of the primary.
 */
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { depth, matrix } from '../../support/depth.ts';
import { Random } from '../../support/random.ts';
import { SEED } from '../../support/seed.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';
import { untilPasses } from '../../support/until.ts';
import { FILES, type Line, type PrimaryName, TestPrimary } from './primaries.ts';
import { dig, provenAt, zoneAt } from './zone-comparison.ts';

const NAMES: readonly PrimaryName[] = ['knot', 'bind', 'nsd', 'powerdns'];
/** The one sends differences, the other whole zones. secondary-zones.test.ts has all, uncut. */
const REPRESENTATIVES: readonly PrimaryName[] = ['knot', 'powerdns'];
/** Transfers of each kind and zone that are cut. */
const CUTS = depth({ quick: 2, moderate: 3, full: 60 });
const ROUNDS = depth({ quick: 1, moderate: 1, full: 4 });

const random = new Random(SEED);
const test = suite(`secondary zones whose transfers are cut (seed ${SEED})`);
let daemon: Borrowed;
const proxies: CuttingProxy[] = [];
const primaries: TestPrimary[] = [];

/** Forwards connections to a port, and ends them after a number of bytes of the response. */
class CuttingProxy {
  /** Bytes; null: all. */
  limit: number | null = null;
  /** Called at the limit. */
  onCut: () => void = () => {};
  /** Of the last response. */
  size = 0;
  readonly #server: Server;

  constructor(port: number) {
    this.#server = createServer((client) => this.#forward(client, connect(port, '127.0.0.1')));
  }

  async listen(): Promise<number> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
  }

  #forward(client: Socket, upstream: Socket): void {
    const { limit } = this;
    this.size = 0;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      const left = limit === null ? chunk.length : Math.max(0, limit - this.size);
      this.size += chunk.length;
      if (left >= chunk.length) client.write(chunk);
      else {
        upstream.pause();
        this.onCut();
        // What was sent arrives, then the end.
        client.write(chunk.subarray(0, left), () => end());
      }
    });
  }
}

interface State {
  readonly serial: number | null;
  readonly error: string | null;
}

/** A zone of a primary, and where it is transferred from. */
class TestZone {
  readonly name: string;
  readonly primary: TestPrimary;
  readonly proxy: CuttingProxy;
  #id = 0;

  constructor(name: string, primary: TestPrimary) {
    this.name = name;
    this.primary = primary;
    this.proxy = new CuttingProxy(primary.port);
    proxies.push(this.proxy);
  }

  async add(): Promise<void> {
    const primary = { address: `127.0.0.1:${await this.proxy.listen()}` };
    const body = { domain: this.name, kind: 'secondary', primaries: [primary] };
    this.#id = ((await daemon.api.call('POST', '/api/v1/domains', body)).body.domain as { id: number }).id;
  }

  async transfer(query = ''): Promise<State> {
    const { body } = await daemon.api.call('POST', `/api/v1/domains/${this.#id}/transfer${query}`);
    return (body.domain as unknown as { secondary: State }).secondary;
  }

  answer(): string {
    return dig(daemon.dnsPort, '+short', `www.${this.name}`, 'A').trim();
  }

  /** The content and the answers are those of the primary. */
  async untilSame(): Promise<void> {
    await untilPasses(async () => {
      await this.transfer();
      assert.equal(zoneAt(daemon.dnsPort, this.name), zoneAt(this.primary.port, this.name));
    });
    for (const [label, type] of [
      ['', 'SOA'],
      ['www.', 'A'],
      ['www.', 'AAAA'],
      ['absent.', 'A'],
    ]) {
      const [ours, theirs] = [daemon, this.primary].map((server) =>
        provenAt('dnsPort' in server ? server.dnsPort : server.port, `${label}${this.name}`, type),
      );
      assert.equal(ours, theirs, `${label}${this.name} ${type}`);
    }
  }

  /** Cuts transfers at random, none of which may leave anything behind but the old or new zone. */
  async cut(query: string, most: number, addresses: readonly string[]): Promise<void> {
    for (let i = 0; i < CUTS; i++) {
      this.proxy.limit = random.below(most);
      const { error } = await this.transfer(query);
      const answer = this.answer();
      const shown = `${this.name}${query} after ${this.proxy.limit} bytes: ${answer}, ${error}`;
      if (error !== null) assert.match(error, /closed the connection|connection failed/, shown);
      assert.ok(addresses.includes(answer), shown);
    }
    this.proxy.limit = null;
  }
}

const linesOf = (version: number): Line[] => [
  ['www', 'A', `192.0.2.${version}`],
  ['mail', 'MX', '10 www.example.org.'],
  ...Array.from({ length: 60 }, (_, i): Line => [`host${i}`, 'A', `10.0.0.${i}`]),
  ...Array.from({ length: 20 }, (_, i): Line => [`new${i}`, 'AAAA', `2001:db8::${version}:${i}`]),
];

test.before(async () => {
  daemon = await borrowDaemon();
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
});
test.after(async () => {
  for (const proxy of proxies) proxy.close();
  for (const primary of primaries) await primary.close();
  await daemon.giveBack();
});

for (const name of matrix(NAMES, (item) => REPRESENTATIVES.includes(item)))
  test(`zones of ${name}, cut off and with a primary that is killed`, async () => {
    const zone = `${name}.test`;
    const signedZone = `${name}-signed.test`;
    const primary = await TestPrimary.open(name, { zone, signedZone, secondary: daemon.dnsPort });
    primaries.push(primary);
    let version = 1;
    primary.write(version, linesOf(version));
    await primary.start();
    const zones = [zone, signedZone].map((each) => new TestZone(each, primary));
    for (const each of zones) {
      await each.add();
      await each.untilSame();
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const each of zones) {
        await each.transfer('?force=true');
        await each.cut('?force=true', each.proxy.size, [`192.0.2.${version}`]);
      }
      // Differences, where the primary has them; each NOTIFY is followed by a transfer that is cut.
      for (const each of zones) each.proxy.limit = random.below(1000);
      primary.write(++version, linesOf(version));
      const either = [`192.0.2.${version - 1}`, `192.0.2.${version}`];
      for (const each of zones) {
        await untilPasses(() =>
          assert.match(dig(primary.port, '+short', each.name, 'SOA'), new RegExp(` ${version} `)),
        );
        await each.cut('', 3000, either);
        await each.untilSame();
        assert.is(each.answer(), either[1]);
      }
      if (name !== 'powerdns') assert.match(daemon.output(), new RegExp(`transferred.*zone=${zone}.*kind=ixfr`));
      // The primary is killed when a part of its response has arrived.
      const last = zones[random.below(2)];
      let killed: Promise<void> | null = null;
      last.proxy.onCut = () => {
        killed ??= primary.kill();
      };
      last.proxy.limit = random.below(2000);
      assert.ok((await last.transfer('?force=true')).error !== null);
      assert.ok(killed !== null, 'the primary was killed');
      await killed;
      last.proxy.onCut = () => {};
      last.proxy.limit = null;
      assert.ok((await last.transfer()).error !== null);
      assert.is(last.answer(), either[1]);
      primary.write(++version, linesOf(version));
      await primary.start();
      for (const each of zones) {
        await each.untilSame();
        assert.is(each.answer(), `192.0.2.${version}`);
      }
    }
  });

const programs = ['dnssec-signzone', 'dnssec-keygen', 'ldns-signzone', 'pdnsutil'].map((each) => `/usr/bin/${each}`);
const missing = [...FILES, ...programs].filter((file) => !existsSync(file));
if (missing.length === 0) test.run();
else if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${missing.join(', ')} are missing.`);
else console.log(`skipped: cut secondary zones, ${missing.join(', ')} are missing`);
