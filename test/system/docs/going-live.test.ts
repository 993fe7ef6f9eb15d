/**
 * docs/going-live.md, followed once as it is: two servers, and a machine elsewhere, each in a
 * network namespace. The internet is one server with the root, `net` and the glue, and an ACME
 * directory.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { outputFault } from '../../check/docs/output.ts';
import { type Command, GOING_LIVE, readPage } from '../../check/docs/pages.ts';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { type Child, startChild } from '../../support/child.ts';
import { ADMIN_PASSWORD, environment } from '../../support/daemon.ts';
import { openNetwork, type Place, run } from '../../support/network.ts';
import { pathOf, whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { untilPasses } from '../../support/until.ts';
import { openMachine } from './machine.ts';
import type { Terminal } from './terminal.ts';

const PAGE = readPage(GOING_LIVE);
const [FIRST, SECOND, INTERNET, ELSEWHERE] = ['192.0.2.11', '192.0.2.12', '192.0.2.53', '192.0.2.99'];
const DIRECTORY = 'acme.net';

const ROOT_ZONE = `$TTL 60
. SOA a.root. hostmaster.root. 1 60 60 60 60
. NS a.root.
a.root. A ${INTERNET}
net. NS a.registry.net.
a.registry.net. A ${INTERNET}
`;
/** With what the page enters at the registrar. */
const NET_ZONE = `$TTL 60
net. SOA a.registry.net. hostmaster.registry.net. 1 60 60 60 60
net. NS a.registry.net.
a.registry.net. A ${INTERNET}
${DIRECTORY}. A ${INTERNET}
example.net. NS ns1.example.net.
example.net. NS ns2.example.net.
ns1.example.net. A ${FIRST}
ns2.example.net. A ${SECOND}
`;

interface Internet {
  /** File of the certificate of the directory. */
  readonly authority: string;
  close(): Promise<void>;
}

async function openInternet(place: Place, folder: string): Promise<Internet> {
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const [issuer, key] = [{ name: 'Authority of the directory', key: ecKey() }, ecKey()];
  const authority = file('authority.pem', certificate({ ...issuer, ca: true }));
  const named = file(
    'named.conf',
    `options {
  directory "${folder}"; pid-file none; session-keyfile none; listen-on { ${INTERNET}; }; listen-on-v6 { none; };
  lock-file none; recursion yes; allow-recursion { any; }; dnssec-validation no; max-ncache-ttl 1; empty-zones-enable no;
};
controls { };
zone "." { type primary; file "${file('root.zone', ROOT_ZONE)}"; };
zone "net" { type primary; file "${file('net.zone', NET_ZONE)}"; };
`,
  );
  const pebble = {
    certificate: file('own.pem', certificate({ name: DIRECTORY, key, issuer, dnsNames: [DIRECTORY] })),
    privateKey: file('own.key', pemOfKey(key)),
    listenAddress: `${INTERNET}:443`,
    managementListenAddress: `${INTERNET}:15000`,
    httpPort: 80,
    tlsPort: 443,
  };
  const config = file('pebble.json', JSON.stringify({ pebble }));
  const settings = { PATH: process.env.PATH, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' };
  const children: Child[] = place.inside(() => {
    run('ip', 'address', 'add', `${INTERNET}/24`, 'dev', 'eth0');
    return [
      startChild(pathOf('named'), ['-g', '-c', named], { PATH: process.env.PATH }),
      startChild(pathOf('pebble'), ['-config', config, '-dnsserver', `${INTERNET}:53`], settings),
    ];
  });
  await children[0].waitFor(/running/);
  await children[1].waitFor(/ACME directory available at/);
  return {
    authority,
    async close() {
      for (const child of children) await child.stop();
    },
  };
}

/** The commands of a section, by the beginning of its title. */
function section(title: string): Command[] {
  const start = PAGE.lines.find(({ text }) => text.startsWith(`## ${title}`))!.number;
  const end = PAGE.lines.find(({ text, number }) => number > start && text.startsWith('## '))?.number ?? Infinity;
  return PAGE.commands.filter(({ line }) => line > start && line < end);
}

async function follow(terminal: Terminal, { text, output, line }: Command): Promise<void> {
  const outcome = await terminal.run(text);
  const where = `${PAGE.path}:${line}: ${text}`;
  assert.is(outcome.code, 0, `${where}\nended with ${outcome.code}:\n${outcome.output}`);
  const fault = outputFault(output, outcome.output);
  assert.ok(fault === null, `${where}\n${fault}`);
}

async function followAll(terminal: Terminal, commands: readonly Command[]): Promise<void> {
  assert.ok(commands.length > 0);
  for (const command of commands) await follow(terminal, command);
}

/** Of the second server: the sections that the page leaves out there. */
const ofSecond = ({ text, ...command }: Command): Command => ({
  ...command,
  text: text.replace(/\[(?:transfer|acme|admin)\]\n(?:.+\n)+\n?/g, ''),
});

const why =
  process.getuid?.() !== 0
    ? 'it needs root'
    : whyNotPrograms('dig', 'curl', 'named', 'nft', 'openssl', 'pebble', 'promtool');
if (why !== null) {
  console.log(`skipped: going live, ${why}`);
  test.skip('going live', () => {});
} else {
  test('the page leads from two new machines to a service that others reach', async () => {
    const parent = temporaryFolder('going-live');
    const folderOf = (name: string): string => {
      mkdirSync(join(parent, name));
      return join(parent, name);
    };
    const places = openNetwork(4);
    const internet = await openInternet(places[0], folderOf('internet'));
    const terminals: Terminal[] = [];
    const open = async (place: Place, address: string): Promise<Terminal> => {
      const env = environment({
        WAYPOST_CONFIG: '/etc/waypost/waypost.toml',
        WAYPOST_DATA_DIR: '/var/lib/waypost',
        WAYPOST_ADMIN_PASSWORD: ADMIN_PASSWORD,
        // Addresses of documentation are no public ones, and the authority is one of the test.
        WAYPOST_SECONDARY_ALLOW_PRIVATE_PRIMARIES: '192.0.2.0/24',
        WAYPOST_ACME_DIRECTORY: `https://${DIRECTORY}/dir`,
        WAYPOST_ACME_AGREE_TOS: 'true',
        WAYPOST_ACME_CA_FILE: internet.authority,
        WAYPOST_EDGE_WORKERS: '1',
        WAYPOST_DNS_WORKERS: '1',
      });
      const terminal = await openMachine({ place, address, resolver: INTERNET, folder: folderOf(address), env });
      terminals.push(terminal);
      return terminal;
    };
    try {
      const first = await open(places[1], FIRST);
      const second = await open(places[2], SECOND);
      const elsewhere = await open(places[3], ELSEWHERE);

      const held = await first.run('WAYPOST_CONFIG= WAYPOST_DNS_LISTEN="*:53" waypost check-config --quiet --bind');
      assert.is(held.code, 1);
      assert.match(held.output, /dns\.listen: cannot listen on .*:53 .*in use/);
      for (const title of ['1.', '2.', '3.', '4.', '5.']) await followAll(first, section(title));
      await untilPasses(async () => {
        const { output } = await first.run('waypost proxy status example.net --json');
        assert.is(JSON.parse(output).proxy.ssl_status, 'active', output);
      });

      const [onFirst, ...onSecond] = section('6.');
      await follow(first, onFirst);
      for (const title of ['1.', '2.', '3.']) await followAll(second, section(title).map(ofSecond));
      await followAll(second, onSecond);
      await untilPasses(async () => {
        const { output } = await second.run('dig @127.0.0.1 example.net SOA +short');
        assert.match(output, 'ns1.example.net.');
      });

      await elsewhere.run('ln -sf /run/systemd/resolve/resolv.conf /etc/resolv.conf');
      const roots = `https://${DIRECTORY}:15000/roots/0`;
      const root = await elsewhere.run(`curl -sS --cacert ${internet.authority} -o root.pem ${roots}`);
      assert.is(root.code, 0, root.output);
      await elsewhere.run('export CURL_CA_BUNDLE="$HOME/root.pem"');
      await followAll(elsewhere, section('8.'));
      await followAll(first, section('9.'));
      await followAll(first, section('10.'));

      // The other server answers alone.
      await first.run('systemctl stop waypost');
      await followAll(
        elsewhere,
        section('8.').filter(({ text }) => text.includes(SECOND)),
      );
    } finally {
      for (const terminal of terminals) await terminal.close();
      await internet.close();
      for (const place of places) place.close();
      removeFolder(parent);
    }
  });

  test('every command of the page belongs to a section that the test follows', () => {
    const followed = ['1.', '2.', '3.', '4.', '5.', '6.', '8.', '9.', '10.'].flatMap(section);
    assert.equal(followed, [...PAGE.commands]);
  });
}

test.run();
