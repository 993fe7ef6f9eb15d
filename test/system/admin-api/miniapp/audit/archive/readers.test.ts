/**
 * What is accepted, others read to the same names and bytes: Python's zipfile, unzip, bsdtar and
 * 7-Zip; and what they pack is accepted.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DEFAULT_LIMITS } from '../../../../../../admin-api/miniapp/audit/archive/limits.ts';
import { openArchiveBytes } from '../../../../../../admin-api/miniapp/audit/archive/open-archive.ts';
import { openFolder } from '../../../../../../admin-api/miniapp/audit/archive/open-folder.ts';
import { writeArchive } from '../../../../../../admin-api/miniapp/audit/archive/write-archive.ts';
import { Findings } from '../../../../../../admin-api/miniapp/audit/findings.ts';
import { SOUND } from '../../../../../admin-api/miniapp/audit/archive/archives.ts';
import { smallApp } from '../../../../../admin-api/miniapp/audit/corpus/small-app.ts';
import { mutateArchive } from '../../../../../support/mutate-archive.ts';
import { Random } from '../../../../../support/random.ts';
import { SEED } from '../../../../../support/seed.ts';
import { temporaryFolder } from '../../../../../support/temp.ts';

/** Damaged ones that are accepted all the same. */
const MUTATED = 5;

const UNICODE = { ...process.env, LC_ALL: 'C.UTF-8' };
const PYTHON = 'import sys,zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])';
/** Each reader as what unpacks an archive into a folder. */
const READERS: Readonly<Record<string, (archive: string, folder: string) => readonly [string, ...string[]]>> = {
  python3: (archive, folder) => ['python3', '-c', PYTHON, archive, folder],
  unzip: (archive, folder) => ['unzip', '-q', '-o', archive, '-d', folder],
  bsdtar: (archive, folder) => ['bsdtar', '-x', '-f', archive, '-C', folder],
  '7zz': (archive, folder) => ['7zz', 'x', '-bso0', '-y', `-o${folder}`, archive],
};
/** Each packer as what packs the folder that it runs in. */
const PACKERS: Readonly<Record<string, (archive: string) => readonly [string, ...string[]]>> = {
  zip: (archive) => ['zip', '-q', '-r', archive, '.'],
  'zip that stores': (archive) => ['zip', '-q', '-0', '-r', archive, '.'],
  python3: (archive) => ['python3', '-m', 'zipfile', '-c', archive, '.'],
  bsdtar: (archive) => ['bsdtar', '-c', '--format=zip', '-f', archive, ...readdirSync('.')],
  '7zz': (archive) => ['7zz', 'a', '-tzip', '-bso0', archive, '.'],
};

const isThere = (program: string): boolean => spawnSync(program, ['--help'], { stdio: 'ignore' }).error === undefined;
const readers = Object.keys(READERS).filter(isThere);
const absent = Object.keys(READERS).filter((program) => !readers.includes(program));
if (absent.length > 0) {
  const why = `Not installed: ${absent.join(', ')}`;
  if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${why}, and peers are required.`);
  console.log(`skipped: ${why}.`);
}

type Files = Map<string, string>;

function filesIn(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.sort().map((path) => [path.slice(folder.length + 1), readFileSync(path).toString('hex')]));
}

/** Undefined: refused. */
async function ours(bytes: Buffer): Promise<Files | undefined> {
  const findings = new Findings();
  const content = await openArchiveBytes(bytes, DEFAULT_LIMITS, findings);
  if (content === undefined || findings.summary().errors > 0) return;
  const paths = [...content.files.keys()].sort();
  return new Map(
    await Promise.all(
      paths.map(
        async (path): Promise<[string, string]> => [path, (await content.files.get(path)!.read())!.toString('hex')],
      ),
    ),
  );
}

function sameToAll(what: string, bytes: Buffer, expected: Files): void {
  const folder = temporaryFolder('read');
  const archive = join(folder, 'app.zip');
  writeFileSync(archive, bytes);
  for (const reader of readers) {
    const out = join(folder, reader);
    mkdirSync(out);
    const [program, ...args] = READERS[reader](archive, out);
    const { status, stderr } = spawnSync(program, args, { env: UNICODE, encoding: 'utf8' });
    assert.is(status, 0, `${reader} on ${what}: ${stderr}`);
    assert.equal([...filesIn(out)], [...expected], `${reader} on ${what}`);
  }
}

const app = smallApp({ 'assets/a b.txt': 'text', 'assets/empty': '', 'a/b/c/d.js': 'x'.repeat(5000) });
const source = temporaryFolder('source');
for (const [path, content] of Object.entries(app)) {
  mkdirSync(dirname(join(source, path)), { recursive: true });
  writeFileSync(join(source, path), content);
}

test('archives of all forms', async () => {
  for (const [n, bytes] of SOUND.entries()) sameToAll(`form ${n}`, bytes, (await ours(bytes))!);
});

test('damaged archives that are accepted', async () => {
  const random = new Random(SEED);
  for (let found = 0; found < MUTATED; ) {
    const base = random.pick(SOUND);
    const bytes = mutateArchive(base, random, random.pick(SOUND));
    const files = bytes.equals(base) ? undefined : await ours(bytes);
    if (files === undefined) continue;
    found++;
    sameToAll(`seed ${SEED}, ${bytes.toString('hex')}`, bytes, files);
  }
});

for (const [packer, pack] of Object.entries(PACKERS)) {
  const [program] = pack('');
  if (!isThere(program)) continue;
  test(`archives of ${packer}`, async () => {
    const archive = join(temporaryFolder('packed'), 'app.zip');
    const before = process.cwd();
    process.chdir(source);
    const [, ...args] = pack(archive);
    process.chdir(before);
    execFileSync(program, args, { cwd: source, env: UNICODE, stdio: 'ignore' });
    const files = await ours(readFileSync(archive));
    if (files !== undefined) assert.equal([...files], [...filesIn(source)]);
    assert.ok(files !== undefined, packer);
  });
}

// Last, since zip does not mark names as UTF-8.
test('our archives', async () => {
  const path = join(temporaryFolder('packed'), 'app.pkg');
  writeFileSync(join(source, 'é ü.txt'), 'é');
  const content = await openFolder(source, DEFAULT_LIMITS, new Findings());
  await writeArchive(content!, path, DEFAULT_LIMITS, new Findings());
  sameToAll('our own', readFileSync(path), filesIn(source));
});

test.run();
