/**
 * Folders are read under the rules of archives, and written to archives that are the same each
 * time.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DEFAULT_LIMITS, type PackageLimits } from '../../../../../../admin-api/miniapp/audit/archive/limits.ts';
import { openArchive } from '../../../../../../admin-api/miniapp/audit/archive/open-archive.ts';
import { openFolder } from '../../../../../../admin-api/miniapp/audit/archive/open-folder.ts';
import { writeArchive } from '../../../../../../admin-api/miniapp/audit/archive/write-archive.ts';
import type { PackageContent } from '../../../../../../admin-api/miniapp/audit/content.ts';
import { Findings } from '../../../../../../admin-api/miniapp/audit/findings.ts';
import { smallApp } from '../../../../../admin-api/miniapp/audit/corpus/small-app.ts';
import { temporaryFolder } from '../../../../../support/temp.ts';

function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryFolder('package');
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

async function opened(
  folder: string,
  limits: PackageLimits = DEFAULT_LIMITS,
): Promise<{ content: PackageContent | undefined; codes: string[] }> {
  const findings = new Findings();
  const content = await openFolder(folder, limits, findings);
  return { content, codes: findings.list().map(({ code, file }) => (file === null ? code : `${code} ${file}`)) };
}

test('an app: its files, in order, with their content', async () => {
  const files = smallApp({ 'assets/é.txt': 'é', 'assets/empty': '' });
  const { content, codes } = await opened(folderOf(files));
  assert.equal(codes, []);
  assert.equal([...content!.files.keys()], Object.keys(files).sort());
  for (const [path, bytes] of Object.entries(files))
    assert.ok((await content!.files.get(path)!.read())!.equals(Buffer.from(bytes as string)), path);
});

test('links are not followed, pipes do not block, junk is left out, dot files are reported', async () => {
  const folder = folderOf(smallApp({ '.env': 'x', '.git/config': 'x', 'a/.DS_Store': 'x', 'b~': 'x' }));
  symlinkSync('/etc/passwd', join(folder, 'link.js'));
  symlinkSync('/', join(folder, 'root'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const { content, codes } = await opened(folder);
  assert.equal(codes, [
    'archive_dot_file .env',
    'archive_junk .git',
    'archive_junk a/.DS_Store',
    'archive_junk b~',
    'archive_symlink link.js',
    'archive_special_file pipe',
    'archive_symlink root',
  ]);
  assert.equal([...content!.files.keys()], Object.keys(smallApp({ '.env': 'x' })).sort());
});

test('a folder that exceeds a limit is refused, with the reason', async () => {
  const app = smallApp({ 'a/b/c/d.js': 'x', 'large.bin': Buffer.alloc(5000) });
  const codesWith = async (limits: Partial<PackageLimits>): Promise<string[]> =>
    (await opened(folderOf(app), { ...DEFAULT_LIMITS, ...limits })).codes;
  assert.equal(await codesWith({ entries: 10 }), []);
  assert.equal(await codesWith({ entries: 9 }), ['archive_too_many_entries']);
  assert.equal(await codesWith({ depth: 2 }), ['archive_path_too_deep a/b/c/d.js']);
  assert.equal(await codesWith({ fileBytes: 4999 }), ['archive_file_too_large large.bin']);
  assert.equal(await codesWith({ totalBytes: 5000 }), ['archive_content_too_large']);
});

test('a file that grows after its check is not read', async () => {
  const folder = folderOf(smallApp());
  const { content } = await opened(folder, { ...DEFAULT_LIMITS, fileBytes: 10_000 });
  truncateSync(join(folder, 'app.js'), 10_001);
  assert.is(await content!.files.get('app.js')!.read(), undefined);
});

/** Packs a folder in a process of its own, which has one time zone from its start to its end. */
function packedIn(zone: string, folder: string, path: string): string {
  const part = (name: string): string =>
    new URL(`../../../../../../admin-api/miniapp/audit/${name}.js`, import.meta.url).href;
  const program = `
    import { DEFAULT_LIMITS } from '${part('archive/limits')}';
    import { openFolder } from '${part('archive/open-folder')}';
    import { writeArchive } from '${part('archive/write-archive')}';
    import { Findings } from '${part('findings')}';
    const [folder, path] = process.argv.slice(1);
    const content = await openFolder(folder, DEFAULT_LIMITS, new Findings());
    console.log((await writeArchive(content, path, DEFAULT_LIMITS, new Findings())).sha256);`;
  const args = ['--input-type=module', '-e', program, folder, path];
  return execFileSync(process.execPath, args, { env: { ...process.env, TZ: zone }, encoding: 'utf8' }).trim();
}

test('the same files make the same archive, whenever and wherever', async () => {
  const files = smallApp({ 'z/é.txt': 'é', 'a/empty': '', 'a/random': Buffer.from('8f14e45fceea167a', 'hex') });
  const hashes = new Set<string>();
  for (const [n, zone] of ['UTC', 'Pacific/Auckland', 'America/New_York'].entries()) {
    const folder = folderOf(n === 1 ? Object.fromEntries(Object.entries(files).reverse()) : files);
    utimesSync(join(folder, 'app.js'), n * 1e6, n * 1e6);
    const path = join(temporaryFolder('packed'), 'app.pkg');
    hashes.add(packedIn(zone, folder, path));
    assert.ok(hashes.has(createHash('sha256').update(readFileSync(path)).digest('hex')));
    const findings = new Findings();
    const again = await openArchive(path, DEFAULT_LIMITS, findings);
    assert.equal(findings.list(), []);
    assert.equal([...again!.files.keys()], Object.keys(files).sort());
    for (const [name, bytes] of Object.entries(files))
      assert.ok((await again!.files.get(name)!.read())!.equals(Buffer.from(bytes as string)), name);
  }
  assert.is(hashes.size, 1);
});

test('a refused folder writes nothing and leaves nothing behind', async () => {
  const folder = temporaryFolder('packed');
  const path = join(folder, 'app.pkg');
  const file = (name: string) => ({ path: name, size: 1, read: async () => Buffer.from('x') });
  const pack = async (names: readonly string[], limits = DEFAULT_LIMITS): Promise<string[]> => {
    const findings = new Findings();
    const files = new Map(names.map((name) => [name, file(name)]));
    assert.is(await writeArchive({ files, close: async () => {} }, path, limits, findings), undefined);
    return findings.list().map(({ code }) => code);
  };
  assert.equal(await pack(['a.js', 'A.js']), ['archive_name_collision']);
  assert.equal(await pack(['a.js', 'con.js']), ['archive_name_reserved']);
  assert.equal(await pack(['a.js'], { ...DEFAULT_LIMITS, archiveBytes: 100 }), ['archive_too_large']);
  assert.not.ok(existsSync(path));
  assert.equal(readdirSync(folder), []);
});

test.run();
