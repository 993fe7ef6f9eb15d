/** How the checks read the machine, and how they are run and shown. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { check, type Finding, NotChecked, NotNeeded, ok } from '../../../../admin-api/cli/doctor/check.ts';
import { parseNodes } from '../../../../admin-api/cli/doctor/cluster.ts';
import { Context, chooseConfiguration, unitEnvironment } from '../../../../admin-api/cli/doctor/context.ts';
import { parseSockets } from '../../../../admin-api/cli/doctor/ports.ts';
import { formatFindings, summarise, withoutSudo } from '../../../../admin-api/cli/doctor/report.ts';
import { exitCode, runChecks, selectChecks, unknownIds } from '../../../../admin-api/cli/doctor/run.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const line = (local: string, state: string, inode: number): string =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0`;

test('reads the sockets of /proc/net', () => {
  const text = [
    ...[HEAD, line('3500007F:0035', '0A', 1), line('00000000:01BB', '0A', 2), line('0100007F:01BC', '01', 3)],
    ...[line('00000000000000000000000000000000:0050', '0A', 4), line('B80D0120000000000000000001000000:0050', '0A', 5)],
    line('0000000000000000FFFF00000100007F:0050', '0A', 6),
  ].join('\n');
  const sockets = parseSockets(text, 'tcp').map(({ address, port, inode }) => `${address} ${port} ${inode}`);
  assert.equal(sockets, ['127.0.0.53 53 1', '0.0.0.0 443 2', ':: 80 4', '2001:db8::1 80 5', '127.0.0.1 80 6']);
  assert.is(parseSockets(text, 'udp').length, 6);
});

test('reads the nodes that a daemon reports', () => {
  const view = {
    name: 'b',
    is_self: false,
    version: '0.2.0',
    is_live: true,
    applied: 5,
    lag_seconds: 1,
    address: null,
  };
  const body = JSON.stringify({ ok: true, head: 9, nodes: [{ ...view, state: 'unreachable' }] });
  const node = { name: 'b', isLive: true, version: '0.2.0', lagSeconds: 1, address: '', applied: null };
  assert.equal(parseNodes(body), { head: 9, nodes: [node] });
  assert.is(parseNodes('{}'), null);
});

test('reads the environment of the unit', () => {
  const texts: Record<string, string> = {
    '/etc/systemd/system/waypost.service': [
      '[Service]',
      'Environment=NODE_ENV=production',
      'Environment=WAYPOST_CONFIG=/etc/waypost/waypost.toml "WAYPOST_NODE_NAME=a b"',
      'EnvironmentFile=-/etc/waypost/environment',
      'Environment=WAYPOST_DATA_DIR=/data WAYPOST_DNS_TLS_KEY=%d/dns.key',
    ].join('\n'),
    '/etc/waypost/environment': '# WAYPOST_X=1\nWAYPOST_DATA_DIR="/other"\nPATH=/x\nWAYPOST_ADMIN_PASSWORD=a%b',
    '/etc/systemd/system/waypost.service.d/override.conf': '[Service]\nEnvironment=WAYPOST_DNS_WORKERS=2',
  };
  const read = (path: string): string => {
    if (texts[path] === undefined) throw new Error('ENOENT');
    return texts[path];
  };
  assert.equal(unitEnvironment(read), {
    path: '/etc/systemd/system/waypost.service',
    variables: {
      WAYPOST_CONFIG: '/etc/waypost/waypost.toml',
      WAYPOST_NODE_NAME: 'a b',
      WAYPOST_DATA_DIR: '/other',
      WAYPOST_DNS_WORKERS: '2',
      WAYPOST_ADMIN_PASSWORD: 'a%b',
    },
  });
  assert.is(
    unitEnvironment(() => {
      throw new Error('ENOENT');
    }),
    null,
  );
});

test('uses the settings of the unit, unless others are given', () => {
  const variables = { WAYPOST_CONFIG: '/etc/waypost/waypost.toml', WAYPOST_NODE_NAME: 'a' };
  const unit = { path: '/lib/systemd/system/waypost.service', variables };
  const sourceOf = (env: NodeJS.ProcessEnv, file?: string) => chooseConfiguration({ env, file }, unit).source;
  assert.is(sourceOf({ WAYPOST_TOKEN: 'x', PATH: 'x' }), unit.path);
  assert.is(sourceOf({ WAYPOST_CONFIG: variables.WAYPOST_CONFIG }), unit.path);
  assert.is(chooseConfiguration({ env: {} }, unit).env.WAYPOST_NODE_NAME, 'a');
  assert.is(sourceOf({ WAYPOST_CONFIG: '/other.toml' }), '/other.toml');
  assert.is(sourceOf({ WAYPOST_DATA_DIR: '/other' }), 'the environment and the defaults');
  assert.is(sourceOf({}, 'a.toml'), 'a.toml');
  assert.is(chooseConfiguration({ env: {} }, null).source, 'the environment and the defaults');
});

const contextOf = (env: NodeJS.ProcessEnv): Context =>
  new Context({ env: { ...env, WAYPOST_ADMIN_LISTEN: '127.0.0.1:9' }, version: '0.2.0', program: '/nowhere' });

test('a check that fails, waits or is not needed does not stop the others', async () => {
  const made = (id: string, read: () => Promise<string>) => check({ id, why: 'w', read, judge: (found) => ok(found) });
  const findings = await runChecks(
    contextOf({}),
    [
      made('a.good', async () => 'fine'),
      made('a.broken', () => Promise.reject(new Error('broken'))),
      made('a.unread', () => Promise.reject(new NotChecked('no right', 'sudo x'))),
      made('a.unneeded', () => Promise.reject(new NotNeeded('single'))),
      made('a.slow', () => new Promise(() => {})),
    ],
    20,
  );
  assert.equal(
    findings.map(({ severity, found, fix }) => `${severity} ${found} ${fix ?? ''}`.trim()),
    [
      'ok fine',
      'note not checked: broken',
      'note not checked: no right sudo x',
      'ok single',
      'note not checked: no result within 0.02 s',
    ],
  );
});

test('an invalid configuration is one error, and what needs it is not checked', async () => {
  const context = contextOf({ WAYPOST_DNS_WORKERS: '0' });
  const findings = await runChecks(
    context,
    selectChecks({ only: ['configuration', 'disk', 'ports'], skip: ['ports.peer'] }),
  );
  const errors = findings.filter(({ severity }) => severity === 'error');
  assert.equal(
    errors.map(({ id }) => id),
    ['configuration.valid'],
  );
  assert.match(errors[0].found, /dns.workers \(WAYPOST_DNS_WORKERS\): found "0"/);
  assert.match(findings.find(({ id }) => id === 'disk.space')!.found, /not checked: the configuration has errors/);
  assert.not(findings.some(({ id }) => id === 'ports.peer'));
  assert.is(exitCode(findings), 2);
});

test('before the first start nothing is created, and nothing is wrong', async () => {
  const folder = temporaryFolder('doctor');
  const context = contextOf({ WAYPOST_DATA_DIR: `${folder}/data` });
  const findings = await runChecks(
    context,
    selectChecks({ only: ['permissions', 'store', 'disk', 'backup'], skip: [] }),
  );
  assert.is(exitCode(findings), 0, JSON.stringify(findings));
  assert.match(JSON.stringify(findings), /the first start creates it/);
  await context.close();
  removeFolder(folder);
});

test('knows the ids and groups', () => {
  assert.equal(unknownIds(['disk', 'disk.space', 'disks', 'disk.']), ['disks', 'disk.']);
  assert.equal(
    selectChecks({ only: ['store'], skip: ['store.map'] }).map(({ id }) => id),
    ['store.format', 'store.readers', 'store.usage'],
  );
});

const finding = (id: string, severity: Finding['severity'], more: Partial<Finding> = {}): Finding => ({
  ...{ id, severity, found: 'f', why: 'w' },
  ...more,
});

test('shows checks that share a reason together', () => {
  const unread = { found: 'not checked: no right', fix: 'sudo waypost doctor' };
  const findings = [finding('a.x', 'note', unread), finding('a.y', 'note'), finding('b.x', 'note', unread)];
  assert.equal(
    [...formatFindings(findings, { isVerbose: false, isRoot: false })],
    [
      ...['', 'Notes (3)', '  a.y: f', '      why: w', '  not checked: no right', '      a.x, b.x'],
      '      fix: sudo waypost doctor',
    ],
  );
});

test('shows errors first, and commands without sudo for root', () => {
  const findings = [
    finding('a.x', 'ok'),
    finding('a.y', 'ok'),
    finding('b.x', 'warning', { fix: 'sudo sysctl -w x=1 && echo x | sudo tee /etc/x' }),
    finding('b.y', 'error', { subject: 'S\u001b[1m' }),
  ];
  const lines = [...formatFindings(findings, { isVerbose: false, isRoot: true })];
  assert.equal(lines, [
    ...['', 'Errors (1)', '  b.y: S\\u001b[1m: f', '      why: w'],
    ...['', 'Warnings (1)', '  b.x: f', '      why: w', '      fix: sysctl -w x=1 && echo x | tee /etc/x'],
    ...['', 'Good (2)', '  a: x, y'],
  ]);
  assert.is(summarise(findings), '1 error, 1 warning, 0 notes, 2 good');
  assert.is(withoutSudo('sudoedit /etc/x'), 'sudoedit /etc/x');
  assert.equal(
    [finding('a.x', 'note')].map((found) => exitCode([found])),
    [0],
  );
  assert.is(exitCode([finding('a.x', 'warning')]), 1);
});

test.run();
