/** The files of a support bundle. */
import { existsSync, readFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import type { BuildInfo } from '../../../core/base/build-info.ts';
import { formatHost } from '../../../core/dns/wire/name.ts';
import type { Context } from './context.ts';
import { knownSecrets } from './known-secrets.ts';
import { readText, runProgram } from './machine.ts';
import {
  findSecrets,
  HIDDEN,
  hideCredentials,
  hideInUrl,
  hideSecrets,
  type KnownSecret,
  NameHider,
  secretsInLog,
} from './redaction.ts';
import { runChecks, selectChecks } from './run.ts';

interface Entry {
  readonly name: string;
  /** Description of the content, and what to review. */
  readonly about: string;
  readonly text: string;
}

interface SupportOptions {
  readonly context: Context;
  readonly build: BuildInfo;
  /** Maximum number of log lines. */
  readonly lines: number;
  /** File with the log; undefined: the journal of systemd. */
  readonly log?: string;
  /** Whether to keep names and addresses of customers. */
  readonly withNames: boolean;
}

interface Bundle {
  /** The first is MANIFEST.md. */
  readonly entries: readonly Entry[];
  readonly secrets: readonly KnownSecret[];
}

const MAX_DOMAINS = 1_000_000;
/** Maximum bytes of an entry. */
const MAX_ENTRY = 16 << 20;

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Rejects only for bugs: an entry records its own read error. */
export async function collectSupport(options: SupportOptions): Promise<Bundle> {
  const { context, withNames } = options;
  const secrets = knownSecrets(context);
  const hider = new NameHider(await domainsOf(context), await ownNames(context));
  const clean = (text: string): string => {
    const open = hideSecrets(text, secrets);
    return withNames ? open : hider.hideDomains(open);
  };
  const ofLog = (text: string): string => {
    const open = hideCredentials(hideSecrets(text, secrets));
    return withNames ? open : hider.hideAll(open);
  };
  const findings = await runChecks(context, selectChecks({ only: [], skip: [] }));
  const [status, metrics, store, cluster, system, packages, log] = await Promise.all([
    attempt(async () => (await context.fetch('/readyz'))?.body ?? 'the daemon does not answer\n'),
    attempt(() => readMetrics(context)),
    attempt(async () => json((await context.store()).figures)),
    attempt(async () => json(await context.cluster())),
    attempt(() => readSystem(context)),
    attempt(() => readPackages(context)),
    attempt(() => readLog(options)),
  ]);
  secrets.push(...secretsInLog(log));
  const { version, platform, arch, versions } = process;
  const entries: Entry[] = [
    {
      name: 'build.json',
      about: 'the version of Waypost, Node and the system',
      text: json({ ...options.build, node: version, platform, arch, kernel: release(), versions }),
    },
    {
      name: 'configuration.json',
      about: 'all settings, without the values of secrets; check paths, host names and addresses',
      text: clean(json(shownSettings(context))),
    },
    {
      name: 'doctor.json',
      about: 'the findings of "waypost doctor"; check paths and addresses',
      text: clean(json(findings.map(({ found, ...rest }) => ({ ...rest, found: hideCredentials(found) })))),
    },
    { name: 'status.json', about: 'the state of the daemon (/readyz)', text: clean(status) },
    { name: 'metrics.txt', about: 'the metrics of the daemon', text: clean(metrics) },
    { name: 'store.json', about: 'sizes and numbers of rows of the database, no rows', text: clean(store) },
    { name: 'cluster.json', about: 'the nodes and etcd; check names and addresses of nodes', text: clean(cluster) },
    { name: 'system.txt', about: 'settings of the kernel, limits, memory, disks', text: clean(system) },
    { name: 'packages.txt', about: 'packages of the system and of Waypost, with versions', text: packages },
    {
      name: 'log.txt',
      about: `the last lines of the log${withNames ? ', with names of customers' : ''}; read them before you send it`,
      text: ofLog(log),
    },
  ].map((entry) => ({ ...entry, text: entry.text.slice(0, MAX_ENTRY) }));
  return { entries: [manifest(entries, withNames), ...entries], secrets };
}

/** Returns the remaining secrets in the entries, as `entry: name of the secret`. */
export function leaksOf({ entries, secrets }: Bundle): string[] {
  return entries.flatMap(({ name, text }) => findSecrets(text, secrets).map((secret) => `${name}: ${secret}`));
}

function manifest(entries: readonly Entry[], withNames: boolean): Entry {
  const rows = entries.map(
    ({ name, about, text: content }) => `| ${name} | ${Buffer.byteLength(content)} | ${about} |`,
  );
  const names = withNames
    ? 'It has names and addresses of customers (--with-names).'
    : 'Names and addresses of customers are numbers, the same in all files.';
  const text = [
    '# Support bundle of Waypost',
    '',
    `Values of secret settings, keys, passwords and tokens were removed. ${names}`,
    'Read log.txt and configuration.json before you send it to others.',
    '',
    ...['| file | bytes | what it holds |', '|---|---|---|', ...rows, ''],
  ].join('\n');
  return { name: 'MANIFEST.md', about: 'this list', text };
}

async function attempt(read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (error) {
    return `not available: ${(error as Error).message}\n`;
  }
}

/** Apexes of the store. */
async function domainsOf(context: Context): Promise<string[]> {
  try {
    const { reader } = await context.store();
    return (reader?.allDomains(null, MAX_DOMAINS) ?? []).map(({ apex }) => formatHost(apex).toLowerCase());
  } catch {
    return [];
  }
}

/** Names and addresses of the service. */
async function ownNames(context: Context): Promise<string[]> {
  if (context.fault !== null) return [];
  const { config } = context;
  const { dns, admin, edge, peer, cluster, nameservers, nodeName } = config;
  const listens = [...dns.listen, ...dns.tlsListen, admin.listen, peer.listen, ...edge.httpListen, ...edge.httpsListen];
  const nodes = await context.cluster().then(
    (status) => status.nodes.flatMap(({ name, address }) => [name, address]),
    () => [],
  );
  const addresses = listens.flatMap(({ address, port }) => [address, `${address}:${port}`]);
  const names = [...nameservers, ...admin.hostname, nodeName, ...cluster.ipv4, ...cluster.ipv6, ...nodes];
  return [...addresses, ...names, '127.0.0.1', '::1'].map((name) => name.toLowerCase());
}

/** The settings and their sources, without the values that the schema marks as secret. */
function shownSettings({ settings, fault, source }: Context): object {
  const rows = settings.map(({ key, origin, setting, value }) => {
    if (value === undefined) return { key, origin, value: null };
    if (setting.secret) return { key, origin, value: HIDDEN };
    return { key, origin, value: hideInUrls(value) };
  });
  // The error message contains values, including those of unknown keys.
  return { source, fault: fault === null ? null : hideCredentials(fault), settings: rows };
}

function hideInUrls(value: unknown): unknown {
  if (typeof value === 'string') return hideInUrl(value);
  if (Array.isArray(value)) return value.map(hideInUrls);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hideInUrls(inner)]));
  return value;
}

async function readMetrics(context: Context): Promise<string> {
  const reply = await context.fetch('/metrics');
  if (reply === null) return 'the daemon does not answer\n';
  return reply.status === 200
    ? reply.body
    : `status ${reply.status}: set WAYPOST_TOKEN to a token of an administrator\n`;
}

const KERNEL_SETTINGS = [
  ...['net.core.somaxconn', 'net.core.rmem_max', 'net.core.wmem_max', 'net.core.netdev_max_backlog'],
  ...['net.ipv4.ip_local_port_range', 'net.ipv4.ip_local_reserved_ports', 'net.ipv4.tcp_syncookies'],
  ...['net.ipv4.tcp_max_syn_backlog', 'net.ipv4.tcp_mem', 'net.netfilter.nf_conntrack_count'],
  ...['net.netfilter.nf_conntrack_max', 'net.ipv6.bindv6only', 'vm.swappiness', 'vm.overcommit_memory'],
  ...['vm.max_map_count', 'vm.dirty_ratio', 'fs.file-nr', 'fs.nr_open', 'kernel.core_pattern', 'kernel.pid_max'],
] as const;

async function readSystem(context: Context): Promise<string> {
  const { pid } = context;
  const id = pid ?? 'self';
  const sections: [string, string | null][] = [
    ['uname', readText('/proc/version')],
    ['os-release', readText('/etc/os-release')],
    ['sysctl', KERNEL_SETTINGS.map((name) => `${name} = ${kernelSetting(name)}`).join('\n')],
    ['transparent huge pages', readText('/sys/kernel/mm/transparent_hugepage/enabled')],
    ['memory', readText('/proc/meminfo')],
    ['load', readText('/proc/loadavg')],
    ['pressure of the disk', readText('/proc/pressure/io')],
    ['limits of the daemon', readText(`/proc/${id}/limits`)],
    ['status of the daemon', readText(`/proc/${id}/status`)],
    ['control group', readText(`/proc/${id}/cgroup`)],
    ['sockets', readText('/proc/net/sockstat')],
    [
      'disks',
      (await runProgram('df', ['-hT', existsSync(dataDirOf(context)) ? dataDirOf(context) : '/']))?.output ?? null,
    ],
    ['unit', (await runProgram('systemctl', ['show', 'waypost.service', '--property', UNIT]))?.output ?? null],
  ];
  return sections.map(([title, text]) => `== ${title}\n${text ?? 'not available'}\n`).join('\n');
}

/** Properties of the unit, except the environment, which may contain secrets. */
const UNIT =
  'ActiveState,SubState,UnitFileState,FragmentPath,DropInPaths,NRestarts,Result,ExecMainStatus,MemoryCurrent';

const kernelSetting = (name: string): string => readText(`/proc/sys/${name.replaceAll('.', '/')}`) ?? 'not available';

const dataDirOf = ({ fault, config }: Context): string => (fault === null ? config.dataDir : '/');

async function readPackages({ options: { program } }: Context): Promise<string> {
  const format = ['Package', 'Version', 'Architecture'].map((field) => `\${${field}}`).join(' ');
  const system = await runProgram('dpkg-query', ['-W', '-f', `${format}\n`]);
  return `== system\n${system?.output ?? 'not available\n'}\n== Waypost\n${ownPackages(program)}\n`;
}

function ownPackages(program: string): string {
  const path = join(program, 'package-lock.json');
  if (!existsSync(path)) return 'not available';
  const { packages = {} } = JSON.parse(readFileSync(path, 'utf8')) as {
    packages?: Record<string, { version?: string }>;
  };
  const rows = Object.entries(packages).filter(([name]) => name !== '');
  return rows.map(([name, { version }]) => `${name.replace(/^node_modules\//, '')} ${version}`).join('\n');
}

async function readLog({ log, lines }: SupportOptions): Promise<string> {
  if (log !== undefined) return `${readFileSync(log, 'utf8').trimEnd().split('\n').slice(-lines).join('\n')}\n`;
  const journal = await runProgram('journalctl', [
    ...['--unit', 'waypost.service', '--lines', String(lines), '--no-pager', '--output', 'short-iso'],
  ]);
  if (journal === null) return 'not available: this machine has no journal of systemd; pass --log FILE\n';
  return journal.output;
}
