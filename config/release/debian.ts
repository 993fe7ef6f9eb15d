/** The Debian package: the staged program in /usr/lib/waypost, and the files of config/debian. */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Checkout } from './checkout.ts';
import { manualPage } from './manual-page.ts';
import { run } from './run.ts';
import { giveModes } from './stage.ts';

const LIBRARY = 'usr/lib/waypost';
const DOCUMENTS = 'usr/share/doc/waypost';
const UNITS = 'lib/systemd/system';
const SCRIPTS = ['preinst', 'postinst', 'prerm', 'postrm', 'config'];
/** Of the packages that the release holds, for the copyright file. */
const LICENSE = /^(?:licen[cs]e|copying)/i;

export interface DebianOptions {
  readonly checkout: Checkout;
  /** See `stage`. */
  readonly staged: string;
  readonly version: string;
  /** Folder of its own for the work. */
  readonly work: string;
}

/** Writes waypost_VERSION_amd64.deb into `out`; its path. */
export function writeDebianPackage({ checkout, staged, version, work }: DebianOptions, out: string): string {
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
  for (const part of ['docs', 'config', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'systemd'])
    rmSync(join(root, LIBRARY, part), { recursive: true });
  for (const part of ['docs', 'config']) cpSync(join(staged, part), join(root, DOCUMENTS, part), { recursive: true });
  for (const name of ['README.md', 'SECURITY.md']) write(`${DOCUMENTS}/${name}`, readFileSync(join(staged, name)));
  write(`${DOCUMENTS}/changelog.gz`, gzip(readFileSync(join(staged, 'CHANGELOG.md'), 'utf8')));
  write(`${DOCUMENTS}/changelog.Debian.gz`, gzip(changelog(version, time)));
  write(`${DOCUMENTS}/copyright`, read('copyright'));
  write(`${DOCUMENTS}/licences.gz`, gzip(licences(join(staged, 'node_modules'))));
  write('usr/bin/waypost', read('waypost.sh'));
  write('etc/waypost/waypost.toml', read('waypost.toml'));
  write(
    'usr/share/man/man1/waypost.1.gz',
    gzip(manualPage(join(staged, 'bin/node'), join(staged, 'dist/main.js'), version)),
  );
  write('usr/share/lintian/overrides/waypost', read('lintian-overrides'));
  write(`${DOCUMENTS}/sysctl.conf`, read('sysctl.conf'));
  for (const name of ['waypost.service', 'waypost-etcd.service'])
    write(`${UNITS}/${name}`, adapt(readFileSync(join(staged, 'systemd', name), 'utf8')));
  giveModes(root);

  const size = Number(run('du', ['--summarize', '--apparent-size', '--block-size=1024', root], work).split('\t')[0]);
  write('DEBIAN/control', read('control').replace('@VERSION@', version).replace('@SIZE@', String(size)));
  write('DEBIAN/conffiles', '/etc/waypost/waypost.toml\n');
  write('DEBIAN/templates', read('templates'));
  write('DEBIAN/md5sums', sums(root));
  for (const name of SCRIPTS.filter((name) => readdirSync(source).includes(name))) write(`DEBIAN/${name}`, read(name));
  giveModes(join(root, 'DEBIAN'));
  for (const name of readdirSync(join(root, 'DEBIAN')))
    if (SCRIPTS.includes(name)) run('chmod', ['755', join(root, 'DEBIAN', name)], work);
  for (const path of readdirSync(root, { recursive: true }) as string[]) utimesSync(join(root, path), time, time);
  utimesSync(root, time, time);
  const file = join(out, `waypost_${version}_amd64.deb`);
  run('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', root, file], work, { SOURCE_DATE_EPOCH: String(time) });
  return file;
}

/** The unit with the paths and the user of the package. Data of a fixed user is not below "private". */
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

/** The licences of the packages, each text once. */
function licences(modules: string): string {
  const texts = new Map<string, string[]>();
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !LICENSE.test(entry.name)) continue;
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8').trim();
    texts.set(text, [...(texts.get(text) ?? []), entry.parentPath.slice(modules.length + 1)]);
  }
  return [...texts]
    .map(([text, packages]) => `${packages.sort().join(', ')}:\n\n${text}\n`)
    .sort()
    .join('\n');
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
