/** The daemon, its unit of systemd, and the version of Node. */
import { join } from 'node:path';
import { type AnyCheck, check, failure, NotChecked, NotNeeded, note, ok, type Verdict, warning } from './check.ts';
import type { Readiness } from './context.ts';
import { quoted, readText } from './machine.ts';

interface DaemonReading {
  readonly pid: number | null;
  readonly url: string;
  readonly readiness: Readiness | null;
}

export const daemon = check<DaemonReading>({
  id: 'daemon.ready',
  why: 'A daemon that is not ready does not serve all changes.',
  read: async (context) => ({ pid: context.pid, url: context.url, readiness: await context.readiness() }),
  judge({ pid, url, readiness }) {
    const who = pid === null ? 'the daemon' : `the daemon (process ${pid})`;
    if (readiness === null && pid === null)
      return note('the daemon does not run', 'sudo systemctl start waypost   # or: waypost serve');
    if (readiness === null)
      return failure(`process ${pid} runs, but ${url} does not answer`, 'sudo journalctl -u waypost -n 50');
    const { reasons, warnings } = readiness;
    const verdicts: Verdict[] = [];
    if (!readiness.ok)
      verdicts.push(failure(`${who} is not ready: ${reasons.join('; ') || 'no reason'}`, 'waypost status'));
    for (const text of warnings) verdicts.push(warning(text, 'sudo journalctl -u waypost -p warning -n 50'));
    return verdicts.length > 0 ? verdicts : ok(`${who} is ready (${url})`);
  },
});

interface NodeReading {
  /** `process.versions.node`. */
  readonly node: string;
  readonly openssl: string;
}

/** When Node's security updates end: https://github.com/nodejs/release#release-schedule */
const SUPPORTED: Readonly<Record<number, string>> = { 20: '2026-04-30', 22: '2027-04-30', 24: '2028-04-30' };

export const nodeCheck = check<NodeReading>({
  id: 'daemon.node',
  why: 'Old versions of Node get no security updates, and lack parts of TLS.',
  read: () => ({ node: process.versions.node, openssl: process.versions.openssl }),
  judge({ node, openssl }) {
    const [major, minor] = node.split('.').map(Number);
    const found = `Node ${node} with OpenSSL ${openssl}`;
    const fix = 'node --version   # install Node 22: see docs/install.md';
    const isOld = major < 20 || (major === 20 && minor < 18) || (major === 22 && minor < 11);
    if (isOld || (major < 24 && major % 2 === 1)) return failure(`${found}, which is not supported`, fix);
    if (major === 20) return warning(`${found}, without security updates since ${SUPPORTED[20]}`, fix);
    if (!/^3\.([5-9]|\d\d)/.test(openssl)) return note(`${found}: without X25519MLKEM768`, fix);
    return ok(found);
  },
});

interface UnitReading {
  /** Null: systemd is not running, or the unit is not installed. */
  readonly unit: ReadonlyMap<string, string> | null;
  readonly hasSystemd: boolean;
  /** The shipped unit. */
  readonly shippedPath: string;
  readonly isShipped: boolean;
  /** Differences between the installed unit and the shipped one. */
  readonly differences: number;
}

const PACKAGED = ['/usr/lib/systemd/system/waypost.service', '/lib/systemd/system/waypost.service'];

/** The settings of a unit: its lines without comments. */
const settingsOf = (text: string): string[] => text.split('\n').filter((line) => line !== '' && !/^[#;]/.test(line));

export const unitCheck = check<UnitReading>({
  id: 'daemon.unit',
  why: 'The unit restarts the daemon, limits its rights, and starts it with the machine.',
  async read(context) {
    const own = join(context.options.program, 'systemd/waypost.service');
    // The Debian package installs its unit in another folder.
    const shippedPath = [own, ...PACKAGED].find((candidate) => readText(candidate) !== null) ?? own;
    const shipped = readText(shippedPath);
    const unit = await context.unit();
    const path = unit?.get('FragmentPath');
    const installed = path === undefined ? null : readText(path);
    const [before, now] = [new Set(settingsOf(shipped ?? '')), new Set(settingsOf(installed ?? ''))];
    const differences =
      [...before].filter((line) => !now.has(line)).length + [...now].filter((l) => !before.has(l)).length;
    const hasSystemd = readText('/proc/1/comm') === 'systemd';
    return { unit, hasSystemd, shippedPath, isShipped: shipped !== null, differences };
  },
  judge({ unit, hasSystemd, shippedPath, isShipped, differences }) {
    if (!hasSystemd) return note('systemd does not run on this machine, so nothing restarts the daemon');
    const install = `sudo cp ${quoted(shippedPath)} /etc/systemd/system/ && sudo systemctl daemon-reload`;
    if (unit === null)
      return note('waypost.service is not installed', `${install} && sudo systemctl enable --now waypost`);
    const verdicts: Verdict[] = [];
    const state = unit.get('UnitFileState') ?? 'unknown';
    const path = unit.get('FragmentPath') ?? '';
    if (!['enabled', 'enabled-runtime', 'static'].includes(state))
      verdicts.push(
        warning(`waypost.service is ${state}: it does not start with the machine`, 'sudo systemctl enable waypost'),
      );
    if (isShipped && differences > 0)
      verdicts.push(
        note(
          `${differences} lines of ${path} differ from the shipped unit`,
          `diff ${quoted(shippedPath)} ${quoted(path)}`,
        ),
      );
    const dropIns = unit.get('DropInPaths') ?? '';
    if (dropIns !== '') verdicts.push(note(`drop-ins change the unit: ${dropIns}`, 'systemctl cat waypost'));
    return verdicts.length > 0 ? verdicts : ok(`${path} is ${state}${isShipped ? ', and as shipped' : ''}`);
  },
});

interface VersionReading {
  readonly own: string;
  /** Version of the running daemon; null: not reported. */
  readonly running: string | null;
}

export const version = check<VersionReading>({
  id: 'daemon.version',
  why: 'After an upgrade, the previous version runs until the daemon is restarted.',
  async read(context) {
    const reply = await context.fetch('/metrics');
    if (reply === null) throw new NotNeeded('the daemon does not answer');
    if (reply.status !== 200)
      throw new NotChecked('/metrics needs a token of an administrator', 'export WAYPOST_TOKEN=…');
    const running = /^waypost_build_info\{[^}]*version="([^"]+)"/m.exec(reply.body)?.[1] ?? null;
    return { own: context.options.version, running };
  },
  judge({ own, running }) {
    if (running === null) return note(`this command has version ${own}; the daemon does not report its version`);
    return running === own
      ? ok(`version ${own}`)
      : warning(`the daemon has version ${running}, and this command ${own}`, 'sudo systemctl restart waypost');
  },
});

export const SERVICE_CHECKS: readonly AnyCheck[] = [daemon, version, nodeCheck, unitCheck];
