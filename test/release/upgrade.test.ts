/**
 * From Waypost 0.1 to this version on the same data folder: every row, every answer, kills at
 * random moments of the conversion, and the way back.
 */
import { cpSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../core/dns/wire/name.ts';
import { TYPE } from '../../core/dns/wire/types.ts';
import { startChild } from '../support/child.ts';
import { environment, MAIN, runCommand } from '../support/daemon.ts';
import { UdpClient } from '../support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../support/message.ts';
import { Random } from '../support/random.ts';
import { SEED } from '../support/seed.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';
import { buildOldVersion, CONTENTS, type Populated, populate, startVersion, zoneFiles } from './old-version.ts';

const DOMAINS = 40;
const KILLS = 20;
const SETTINGS = {
  WAYPOST_NAMESERVERS: 'ns1.waypost.test,ns2.waypost.test',
  // The kills are ours.
  WAYPOST_PROTECTION_START_DELAY: '0',
};
const NAMES = [
  ...Object.keys(CONTENTS).map((type) => `${type.toLowerCase()}.x.`),
  '',
  'alias.',
  'any.wild.',
  'sub.',
  'below.sub.',
  'missing.',
];

interface Context {
  folder: string;
  data: string;
  old: string;
  content: Populated;
  answers: Map<string, string>;
}

const test = suite<Context>('upgrade from 0.1');

/** What is answered to each name and type, in a form that the order of records does not change. */
async function ask(port: number): Promise<Map<string, string>> {
  const client = await UdpClient.connect(port);
  const found = new Map<string, string>();
  let id = 0;
  for (let i = 0; i < DOMAINS; i++)
    for (const name of NAMES)
      for (const type of Object.keys(CONTENTS) as (keyof typeof TYPE)[]) {
        const owner = `${name}domain${i}.example`;
        const response = await client.query(
          encodeQuery({ name: parseName(owner), type: TYPE[type], class: 1 }, id++ % 65_536),
        );
        const { header, answer, authority } = decodeMessage(response!);
        const records = (all: typeof answer): string =>
          all
            // The settings of the SOA and its serial are not of the zone's rows.
            .filter((record) => record.type !== TYPE.SOA)
            .map(
              (record) =>
                `${Buffer.from(record.name).toString('latin1')} ${record.type} ${record.ttl} ${Buffer.from(record.rdata).toString('hex')}`,
            )
            .sort()
            .join('\n');
        found.set(`${owner} ${type}`, `${header.rcode} ${header.aa}\n${records(answer)}\n${records(authority)}`);
      }
  client.close();
  return found;
}

test.before(async (context) => {
  const folder = temporaryFolder('upgrade');
  const data = join(folder, 'data');
  const old = buildOldVersion();
  const daemon = await startVersion(old, data);
  const content = await populate(daemon.api, DOMAINS);
  const answers = await ask(daemon.dnsPort);
  await daemon.child.stop();
  Object.assign(context, { folder, data, old, content, answers });
});
test.after(({ folder }) => removeFolder(folder));

async function checkNew({ content, answers }: Context, data: string): Promise<void> {
  const daemon = await startVersion(MAIN, data, SETTINGS);
  try {
    daemon.api.token = content.token;
    assert.equal(await zoneFiles(daemon.api), content.zones);
    const now = await ask(daemon.dnsPort);
    for (const [question, answer] of answers) assert.is(now.get(question), answer, question);
    const { body } = await daemon.api.call('GET', '/api/v1/tsig-keys');
    assert.is((body.tsig_keys as unknown[]).length, 1);
    const created = await daemon.api.createDomain('after.example');
    await daemon.api.createRecord(created, 'www', 'A', '192.0.2.200');
    const uploaded = await daemon.api.call('GET', '/api/dev/uploads/1');
    assert.match(uploaded.text, content.sha256);
    daemon.api.token = content.adminToken;
    const audit = await daemon.api.call('GET', '/api/v1/audit?limit=100');
    assert.ok((audit.body.entries as unknown[]).length > 0);
  } finally {
    assert.is(await daemon.child.stop(), 0);
  }
}

test('every row and answer is there after the upgrade', async (context) => {
  const data = join(context.folder, 'once');
  cpSync(context.data, data, { recursive: true });
  await checkNew(context, data);
});

test('killed at random moments of the first start, the next start goes on', async (context) => {
  const random = new Random(SEED);
  console.log(`seed ${SEED}`);
  const data = join(context.folder, 'killed');
  cpSync(context.data, data, { recursive: true });
  for (let i = 0; i < KILLS; i++) {
    const env = environment({ WAYPOST_DATA_DIR: data, WAYPOST_DNS_LISTEN: '127.0.0.1:0', ...SETTINGS });
    const child = startChild(process.execPath, [MAIN, 'serve'], env);
    // A start takes about half a second, of which the conversion is the first part.
    await sleep(150 + random.below(500));
    await child.stop('SIGKILL');
  }
  await checkNew(context, data);
});

test('the way back: downgrade-check says what is lost, and the earlier version starts', async (context) => {
  const data = join(context.folder, 'back');
  cpSync(context.data, data, { recursive: true });
  await checkNew(context, data);
  const env = environment({ WAYPOST_DATA_DIR: data });
  const checked = await runCommand(['downgrade-check', '--to', '0.1'], env);
  assert.is(checked.code, 1, checked.output);
  assert.match(checked.output, /loses \d+ changes/);
  assert.is((await runCommand(['downgrade-check', '--to', '0.2.0'], env)).code, 0);
  for (const [, from, to] of checked.output.matchAll(/^ {2}sudo mv (\S+) (\S+)$/gm)) renameSync(from, to);
  const daemon = await startVersion(context.old, data);
  daemon.api.token = context.content.token;
  assert.equal(await zoneFiles(daemon.api), context.content.zones);
  assert.equal(await ask(daemon.dnsPort), context.answers);
  await daemon.child.stop();
});

test.run();
