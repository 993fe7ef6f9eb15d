/** The Debian package: the staged program in /usr/lib/waypost, and the files of config/debian. */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Checkout } from './checkout.ts';
import { run } from './run.ts';
import { giveModes, LICENCES } from './stage.ts';
import type { ReleaseTarget } from './targets.ts';

const LIBRARY = 'usr/lib/waypost';
const DOCUMENTS = 'usr/share/doc/waypost';
const UNITS = 'lib/systemd/system';
const UNIT_FILES = [
  'waypost.service',
  'waypost-etcd.service',
  'waypost-etcd-reload.path',
  'waypost-etcd-reload.service',
];
const SCRIPTS = ['preinst', 'postinst', 'prerm', 'postrm', 'config'];

export interface DebianOptions {
  readonly checkout: Checkout;
  readonly target: ReleaseTarget;
  /** See `stage`. */
  readonly staged: string;
  readonly version: string;
  readonly manualPage: string;
  /** Of shells, by path. */
  readonly completions: ReadonlyMap<string, string>;
  /** Folder of its own for the work. */
  readonly work: string;
}

/** Writes waypost_VERSION_ARCHITECTURE.deb into `out`; its path. */
export function writeDebianPackage(options: DebianOptions, out: string): string {
  const { checkout, target, staged, manualPage, work } = options;
  const version = debianVersion(options.version);
  const { folder, time } = checkout;
  const source = join(folder, 'config/debian');
  const root = join(work, 'debian');
  const write = (path: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  const read = (name: string): string => readFileSync(join(source, name), 'utf8');
  const gzip = (text: string): Buffer => gzipSync(text, { level: 9 });

  cpSync(staged, join(root, LIBRARY), { recursive: true });
  for (const part of ['docs', 'config', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'systemd', LICENCES])
    rmSync(join(root, LIBRARY, part), { recursive: true });
  for (const part of ['docs', 'config']) cpSync(join(staged, part), join(root, DOCUMENTS, part), { recursive: true });
  for (const name of ['README.md', 'SECURITY.md']) write(`${DOCUMENTS}/${name}`, readFileSync(join(staged, name)));
  write(`${DOCUMENTS}/changelog.gz`, gzip(readFileSync(join(staged, 'CHANGELOG.md'), 'utf8')));
  write(`${DOCUMENTS}/changelog.Debian.gz`, gzip(changelog(version, time)));
  write(`${DOCUMENTS}/copyright`, read('copyright'));
  write(`${DOCUMENTS}/licences.gz`, gzip(readFileSync(join(staged, LICENCES), 'utf8')));
  write('usr/bin/waypost', read('waypost.sh'));
  write('etc/waypost/waypost.toml', read('waypost.toml'));
  write('usr/share/man/man1/waypost.1.gz', gzip(manualPage));
  for (const [path, script] of options.completions) write(path, script);
  write('usr/share/lintian/overrides/waypost', read('lintian-overrides'));
  write(`${DOCUMENTS}/sysctl.conf`, read('sysctl.conf'));
  for (const name of UNIT_FILES) write(`${UNITS}/${name}`, adapt(readFileSync(join(staged, 'systemd', name), 'utf8')));
  giveModes(root);

  const size = String(installedKilobytes(root));
  const fields = { VERSION: version, ARCHITECTURE: target.debian, SIZE: size };
  const control = read('control').replace(/@(\w+)@/g, (_, name: keyof typeof fields) => fields[name]);
  write('DEBIAN/control', control);
  write('DEBIAN/conffiles', '/etc/waypost/waypost.toml\n');
  write('DEBIAN/templates', read('templates'));
  write('DEBIAN/md5sums', sums(root));
  for (const name of SCRIPTS.filter((script) => readdirSync(source).includes(script)))
    write(`DEBIAN/${name}`, read(name));
  giveModes(join(root, 'DEBIAN'));
  for (const name of readdirSync(join(root, 'DEBIAN')))
    if (SCRIPTS.includes(name)) run('chmod', ['755', join(root, 'DEBIAN', name)], work);
  for (const path of readdirSync(root, { recursive: true }) as string[]) utimesSync(join(root, path), time, time);
  utimesSync(root, time, time);
  const file = join(out, `waypost_${version}_${target.debian}.deb`);
  run('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', root, file], work, { SOURCE_DATE_EPOCH: String(time) });
  return file;
}

/** A version of development is before the release; in the words of dpkg, a "-" has another meaning. */
export const debianVersion = (version: string): string => version.replace('-', '~');

/** The unit with the paths and the user of the package, whose data is not below "private". */
function adapt(unit: string): string {
  return unit
    .replaceAll('/var/lib/private/waypost/', '/var/lib/waypost/')
    .replaceAll('/usr/bin/node', `/${LIBRARY}/bin/node`)
    .replaceAll(`file:/${LIBRARY}/README.md`, `file:/${DOCUMENTS}/README.md`)
    .replace(/^DynamicUser=yes$/m, 'User=waypost\nGroup=waypost');
}

function changelog(version: string, time: number): string {
  const date = run('date', ['--utc', '--rfc-email', `--date=@${time}`], '/').trim();
  return `waypost (${version}) stable; urgency=medium\n\n  * See changelog.gz.\n\n -- Waypost <packages@waypost.test>  ${date}\n`;
}

/** As Debian's policy counts: on each file system the same, with 1 for a folder. */
function installedKilobytes(root: string): number {
  let total = 0;
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
    total += entry.isFile() ? Math.ceil(statSync(join(entry.parentPath, entry.name)).size / 1024) : 1;
  return total;
}

/** As dpkg checks the files. */
function sums(root: string): string {
  return (readdirSync(root, { recursive: true }) as string[])
    .filter((path) => !/^(?:DEBIAN|etc)(?:\/|$)/.test(path) && statSync(join(root, path)).isFile())
    .sort()
    .map(
      (path) =>
        `${createHash('md5')
          .update(readFileSync(join(root, path)))
          .digest('hex')}  ${path}\n`,
    )
    .join('');
}
