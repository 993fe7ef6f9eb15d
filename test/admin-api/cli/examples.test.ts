/**
 * Runs the examples of every --help against the API, as they stand but for the ids in them. What a
 * command reads from a file or from another program is written here.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { FOREIGN_KEY } from '../contract/sample.ts';
import { setState } from '../contract/signed.ts';
import { type Daemon, type Json, listOf, PASSWORD, startDaemon } from '../daemon.ts';
import { packageForm, packageText, UPLOAD } from '../miniapp/packages/package.ts';
import { run } from './harness.ts';
import { allHelp, examplesOf } from './help.ts';

/** Not requests of the API, or without an end, or for other programs. Other tests try them. */
const NOT_HERE =
  /^(?:answers|backup|check-config|cluster|compare|doctor|downgrade-check|external-dns-webhook|import|reload|serve|support-bundle)\b|^account reset |^audit --follow|^proxy tail|^pkg (?:conformance|dev|init|lint|pack|sdk)\b|^zone check .* --compare/;

/** What examples end with that need something that is not there. */
const REFUSED: readonly (readonly [RegExp, RegExp])[] = [
  [/^domain (?:add|primaries) example\.net .*192\.0\.2\.1/, /\(private_primary, /],
  [/^proxy test /, /^ {2}tcp +failed /m],
  [/^deliveries resume/, /\(not_paused\)/],
];

/** Ids in examples. */
const ID = /^(?:1|3|12|17|57|123|1234)$/;

const APP = 'com.example.notes';
const ZONE =
  '$TTL 300\n@ SOA ns1.example.net. hostmaster.example.net. 1 3600 600 604800 300\n@ NS ns1.example.net.\nns1 A 192.0.2.9\n';
// RFC 6605 section 6.1.
const PRIVATE_KEY =
  'Private-key-format: v1.2\nAlgorithm: 13 (ECDSAP256SHA256)\nPrivateKey: GU6SnQ/Ou+xC5RumuIUIuJZteXT2z0O/ok1s38Et6mQ=\n';
const PAGE = '<!doctype html><title>{{title}}</title>';
const steeringTo = (name: string) => ({ pools: [{ name, answers: [{ content: '192.0.2.1' }] }] });
const key = ecKey();
const FILES: Readonly<Record<string, string>> = {
  ...{ '404.html': PAGE, '5xx.html': PAGE, 'closed.html': PAGE },
  'Kexample.com.+013+12345.private': PRIVATE_KEY,
  'ca.pem': certificate({ name: 'ca', key, ca: true }),
  'db.example': ZONE,
  'example.net.zone': ZONE,
  'fullchain.pem': certificate({ name: 'example.com', key, dnsNames: ['example.com', '*.example.com'] }),
  'ksk.private': PRIVATE_KEY,
  'names.txt': 'example.net\nexample.org\n',
  'origins.json': '{"origins":[]}',
  'privkey.pem': pemOfKey(key),
  'rules.json': '{"rules":[]}',
  'steering.json': JSON.stringify(steeringTo('all')),
  'their-key.secret': `${Buffer.alloc(64, 7).toString('base64')}\n`,
  'zones/example.org.zone': ZONE,
};

interface Command {
  readonly argv: readonly string[];
  /** What another program or a file feeds it. Undefined: nothing. */
  readonly stdin: string | undefined;
  /** The file that gets its output. */
  readonly out: string | undefined;
}

/** The commands of a line for a shell. */
function commandsOf(line: string): Command[] {
  const inner = /\$\((waypost [^|)]*)[^)]*\)|<\((waypost [^)]*)\)/.exec(line);
  const lines = inner === null ? [] : [inner[1] ?? inner[2]];
  const outer = inner === null ? line : line.replace(`"${inner[0]}"`, '1234');
  if (outer.includes('waypost ') && outer !== line) lines.push(outer);
  else if (inner === null) lines.push(line);
  return lines.flatMap((text) => text.split(' && ')).map(commandOf);
}

function commandOf(text: string): Command {
  const stages = text.split(/ \| (?=(?:[^"']|"[^"]*"|'[^']*')*$)/);
  const at = stages.findIndex((stage) => stage.startsWith('waypost '));
  const before = at === 0 ? undefined : stages[0];
  const [, command, file, out] = /^waypost (.*?)(?: < (\S+))?(?: > (\S+))?$/.exec(stages[at]) as string[];
  const words = command
    .replace(/"\$\(dig [^)]*\)"|257 3 13 \S+…/, `"${FOREIGN_KEY}"`)
    // Nothing leaves this machine.
    .replace(' --url http://192.0.2.1:8300', '');
  return {
    argv: [...words.matchAll(/'[^']*'|"[^"]*"|\S+/g)].map(([word]) => word.replace(/^(['"])(.*)\1$/, '$2')),
    stdin: file === undefined ? before && outputOf(before) : FILES[file],
    out,
  };
}

/** What a program prints in an example. */
function outputOf(command: string): string {
  const echoed = /^echo '(.*)'$/.exec(command)?.[1];
  if (echoed !== undefined) return echoed;
  return command.startsWith('dig ') ? FOREIGN_KEY : `${PASSWORD}\n`;
}

class World {
  #version = 0;

  constructor(readonly daemon: Daemon) {}

  async #send(method: string, path: string, json: object = {}): Promise<Json> {
    const { status, body, text } = await this.daemon.call(method, path, { json });
    assert.is(status, 200, `${method} ${path}: ${text}`);
    return body;
  }

  async #ids(path: string, rows: string): Promise<string[]> {
    const { body } = await this.daemon.call('GET', path);
    return listOf(body[rows]).map(({ id, seq }) => String(id ?? seq));
  }

  async #deleteAll(path: string, rows: string): Promise<void> {
    for (const id of await this.#ids(path, rows))
      if (rows !== 'accounts' || id !== '1') await this.daemon.call('DELETE', `${path}/${id}`);
  }

  /** New objects for an example, and the id in it. */
  async prepare([group, verb, ...rest]: readonly string[]): Promise<string> {
    await this.#deleteAll('/api/v1/domains', 'domains');
    const path = ['account', 'pkg', 'webhook'].includes(group) ? '' : await this.#domain(group, verb, rest);
    switch (group) {
      case 'history':
        return (await this.#ids(`${path}/history`, 'changes'))[0];
      case 'record':
        return verb === 'add' ? '' : (await this.#ids(`${path}/records`, 'records'))[0];
      case 'domain':
        if (verb === 'add') return this.#owners(group, verb);
        return verb === 'restore' ? (await this.#ids('/api/v1/domains/deleted', 'domains'))[0] : '';
      case 'dnssec':
        return rest.includes('3')
          ? String((await this.#send('POST', `${path}/dnssec/foreign-keys`, { dnskey: FOREIGN_KEY })).foreign_key.id)
          : '';
      case 'account':
      case 'token':
      case 'tsig':
        return this.#owners(group, verb);
      case 'webhook':
        return this.#webhook(rest);
      case 'pkg':
        return this.#package(verb);
      default:
        return '';
    }
  }

  async #owners(group: string, verb: string): Promise<string> {
    await this.#deleteAll('/api/v1/accounts', 'accounts');
    await this.#deleteAll('/api/v1/tsig-keys', 'tsig_keys');
    if (group !== 'account' || verb !== 'add')
      for (const username of ['alice', 'bob', 'carol', 'acme'])
        await this.#send('POST', '/api/v1/accounts', { username, password: PASSWORD });
    if (group === 'domain') {
      const secret = FILES['their-key.secret'].trim();
      await this.#send('POST', '/api/v1/tsig-keys', { name: 'their-key', outgoing: true, secret });
    }
    if (group === 'token') return String((await this.#send('POST', '/api/v1/tokens', { name: 'old' })).id);
    return group === 'tsig' && verb === 'rm'
      ? String((await this.#send('POST', '/api/v1/tsig-keys', { name: 'old' })).id)
      : '';
  }

  async #webhook(rest: readonly string[]): Promise<string> {
    await this.#deleteAll('/api/v1/webhooks', 'webhooks');
    const { id } = await this.#send('POST', '/api/v1/webhooks', { url: 'https://1.1.1.1/waypost' });
    const delivery = await this.#send('POST', `/api/v1/webhooks/${id}/test`);
    return rest.includes('--delivery') ? `${id} ${delivery.id}` : String(id);
  }

  async #package(verb: string): Promise<string> {
    const { call } = this.daemon;
    if (verb === 'keys') {
      if ((await this.#ids('/api/store/keys', 'keys')).length === 0) await this.#send('POST', '/api/admin/store/keys');
      const { body } = await call('GET', '/api/store/keys');
      return String(listOf(body.keys)[0].key_id);
    }
    await call('POST', `/api/dev/admin/apps/${APP}/reinstate`);
    const isReviewed = ['approve', 'reject', 'review'].includes(verb);
    const text = () => packageText(APP, ++this.#version, isReviewed ? 'review' : 'approve');
    const { body } = await call('POST', UPLOAD, packageForm(text()));
    const path = `/api/dev/uploads/${body.upload.id}`;
    for (const name of ['notes.pkg', `${APP}-0.1.0.pkg`]) writeFileSync(name, text());
    if (verb === 'suspend') await this.#send('POST', `${path}/publish`);
    if (verb === 'reinstate') await this.#send('POST', `/api/dev/admin/apps/${APP}/suspend`, { reason: 'It crashes.' });
    return String(body.upload.id);
  }

  async #domain(group: string, verb: string, rest: readonly string[]): Promise<string> {
    if (group === 'zone' && verb === 'export') await this.#send('POST', '/api/v1/domains', { domain: 'example.net' });
    if (group === 'domain' && ['transfer', 'primaries'].includes(verb))
      await this.#send('POST', '/api/v1/domains', {
        domain: 'example.net',
        kind: 'secondary',
        primaries: [{ address: '1.1.1.1' }],
      });
    if (group === 'zone' || (group === 'domain' && /^add/.test(verb)) || group === 'change') return '';
    const { domain } = await this.#send('POST', '/api/v1/domains', { domain: 'example.com' });
    const path = `/api/v1/domains/${domain.id}`;
    if (group === 'record') await this.#send('POST', '/api/v1/domains', { domain: '2.0.192.in-addr.arpa' });
    if (group !== 'record' || verb !== 'add')
      for (const name of ['www', 'old'])
        await this.#send('POST', `${path}/records`, { name, type: 'A', content: '192.0.2.1' });
    if (group === 'domain' && verb === 'restore') await this.#send('DELETE', path);
    if (['error-pages', 'logs', 'origins', 'protection', 'proxy', 'rules'].includes(group))
      await this.#proxy(path, group, rest);
    if (group === 'dnssec' && verb !== 'enable') {
      await this.#send('PUT', `${path}/dnssec`, { enabled: true });
      await setState(this.daemon, Number(domain.id), { phase: 'awaiting_ds', servedSince: 1, hasRequestedDs: true });
      if (rest.includes('--cancel')) await this.#send('POST', `${path}/dnssec/rollover`);
    }
    for (let version = 0; group === 'steering' && version < 3; version++)
      await this.#send('PUT', `${path}/steering/www/A`, steeringTo(`pool ${version}`));
    return path;
  }

  async #proxy(path: string, group: string, rest: readonly string[]): Promise<void> {
    const proxy = `${path}/proxy`;
    await this.#send('PUT', proxy, { origin: '1.1.1.1' });
    for (let version = 0; group === 'rules' && version < 3; version++)
      await this.#send('PUT', `${proxy}/rules`, { rules: [{ name: `rule ${version}`, action: { type: 'deny' } }] });
    if (group === 'error-pages')
      await this.#send('PUT', `${proxy}/error-pages`, {
        pages: ['404', '5xx'].map((status) => ({ status, html: PAGE })),
      });
    if (group === 'logs')
      await this.#send('PUT', `${proxy}/logs`, { enabled: true, endpoint: { url: 'https://1.1.1.1/logs' } });
    if (rest.includes('--order')) await this.#send('POST', `${proxy}/toggle`, { enable: true });
    if (rest.includes('--automatic'))
      await this.#send('PUT', `${proxy}/certificate`, {
        certificate: FILES['fullchain.pem'],
        private_key: FILES['privkey.pem'],
      });
  }
}

const test = suite<{ world: World; folder: string; home: string }>('admin-api/cli/examples');
test.before(async (context) => {
  context.world = new World(await startDaemon('auto', {}, async () => ['1.1.1.1']));
  context.home = process.cwd();
  context.folder = mkdtempSync(join(tmpdir(), 'waypost-examples-'));
  process.chdir(context.folder);
  mkdirSync('zones');
  for (const [name, content] of Object.entries(FILES)) writeFileSync(name, content);
});
test.after(async ({ world, folder, home }) => {
  process.chdir(home);
  await world.daemon.stop();
  rmSync(folder, { recursive: true });
});

/** Runs a command; returns its fault. */
async function tryCommand({ daemon }: World, { argv, stdin, out }: Command, id: string): Promise<string | null> {
  const env = { WAYPOST_URL: daemon.url, WAYPOST_TOKEN: daemon.adminToken };
  const ids = id.split(' ').filter(Boolean);
  const filled = argv.map((word, at) =>
    at > 0 && ID.test(word) && !/^--(?:limit|step|sample)/.test(argv[at - 1]) ? (ids.shift() ?? word) : word,
  );
  // At a terminal, they ask for the password twice, or for a yes.
  const isNew = argv[0] === 'account' && argv[1] === 'add';
  const typed = argv[0] === 'token' || isNew ? [`${PASSWORD}\n`, `${PASSWORD}\n`] : 'y\n';
  const { code, stdout, stderr } = await run(filled, stdin === undefined ? { env, typed } : { env, stdin });
  if (out !== undefined) writeFileSync(out, stdout);
  const refusal = REFUSED.find(([commands]) => commands.test(argv.join(' ')))?.[1];
  if (refusal !== undefined) return refusal.test(stdout + stderr) ? null : `${code}: ${stdout}${stderr}`;
  if (code !== 0) return `${filled.join(' ')}: ${code}: ${stderr}${stdout}`;
  if (argv.includes('--json')) for (const row of stdout.split('\n').filter(Boolean)) JSON.parse(row);
  return null;
}

test('the examples of every help run', async ({ world }) => {
  const faults: string[] = [];
  let tried = 0;
  const helps = await allHelp();
  for (const line of new Set([...helps.values()].flatMap(examplesOf))) {
    if (!/(?:^| |\()waypost /.test(line) || /^(?:sudo|systemctl|aws|[A-Z_]+=)|WAYPOST_DATA_DIR=/.test(line)) continue;
    const commands = commandsOf(line);
    if (commands.some(({ argv }) => NOT_HERE.test(argv.join(' ')))) continue;
    tried++;
    try {
      let id = await world.prepare(commands[0].argv);
      for (const command of commands) {
        if (command.argv[0] === 'change') id = String(world.daemon.writes());
        const fault = await tryCommand(world, command, id);
        if (fault !== null) faults.push(`${line}\n${fault}`);
      }
    } catch (error) {
      faults.push(`${line}\n${(error as Error).message}`);
    }
  }
  assert.is(faults.join('\n'), '');
  assert.ok(tried > 200, `only ${tried} examples were tried`);
});

test.run();
