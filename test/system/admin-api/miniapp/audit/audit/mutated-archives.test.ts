/**
 * Damaged archives in the whole audit: no crash, no hang; what is accepted is read whole, as yauzl
 * and Python's zipfile read it independently, which checks the CRC of each file; and what is
 * approved is sound.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fromBufferPromise } from 'yauzl';
import { DEFAULT_LIMITS } from '../../../../../../admin-api/miniapp/audit/archive/limits.ts';
import { openArchiveBytes } from '../../../../../../admin-api/miniapp/audit/archive/open-archive.ts';
import { type Audit, auditContent } from '../../../../../../admin-api/miniapp/audit/audit.ts';
import { Findings } from '../../../../../../admin-api/miniapp/audit/findings.ts';
import { SOUND } from '../../../../../admin-api/miniapp/audit/archive/archives.ts';
import { assertSound, bounded, type Contents } from '../../../../../admin-api/miniapp/audit/audit/sound-package.ts';
import { SDKS } from '../../../../../admin-api/miniapp/audit/corpus/audited.ts';
import { mutateArchive } from '../../../../../support/mutate-archive.ts';
import { Random } from '../../../../../support/random.ts';
import { SEED } from '../../../../../support/seed.ts';
import { temporaryFolder } from '../../../../../support/temp.ts';

const CASES = depth({ quick: 1000, moderate: 2000, full: 50_000 });

const test = suite(`damaged archives, seed ${SEED}`);

interface Read {
  /** Undefined: the archive was refused. */
  readonly files: Contents | undefined;
  readonly audit: Audit | undefined;
}

async function auditArchive(bytes: Buffer): Promise<Read> {
  const findings = new Findings();
  const content = await openArchiveBytes(bytes, DEFAULT_LIMITS, findings);
  if (content === undefined) {
    assert.ok(findings.summary().errors > 0, 'it is refused without a word');
    return { files: undefined, audit: undefined };
  }
  const isAccepted = findings.summary().errors === 0;
  const files = new Map<string, Buffer>();
  for (const { path, size, read } of isAccepted ? content.files.values() : []) {
    const data = await read();
    assert.is(data?.length, size, path);
    files.set(path, data!);
  }
  const audit = await auditContent(content, findings, { sdks: SDKS });
  if (!isAccepted) assert.is(audit.verdict, 'rejected');
  return { files: isAccepted ? files : undefined, audit };
}

async function byYauzl(bytes: Buffer): Promise<Map<string, Buffer>> {
  const zip = await fromBufferPromise(bytes, { strictFileNames: true });
  const files = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    const content = await buffer(await zip.openReadStreamPromise(entry));
    assert.is(crc32(content), entry.crc32, entry.fileName);
    if (!entry.fileName.endsWith('/')) files.set(entry.fileName, content);
  }
  return files;
}

/**
 * Reads the archives that follow one another in a file, each behind its length, and says of each
 * what is in it.
 */
const PYTHON = `
import sys, io, struct, hashlib, zipfile
data = open(sys.argv[1], 'rb').read()
at = 0
while at < len(data):
    size, = struct.unpack_from('<I', data, at)
    try:
        with zipfile.ZipFile(io.BytesIO(data[at + 4:at + 4 + size])) as zip:
            print(digest(zip))
    except Exception as error:
        print(repr(error))
    at += 4 + size
`;

import { depth } from '../../../../../support/depth.ts';

const DIGEST = `
def digest(zip):
    total = hashlib.sha256()
    for info in zip.infolist():
        if not info.is_dir():
            total.update(info.filename.encode() + b'\\0' + hashlib.sha256(zip.read(info)).digest())
    return total.hexdigest()
`;

const sha256 = (data: Uint8Array): Buffer => createHash('sha256').update(data).digest();
function digest(files: Contents): string {
  const total = createHash('sha256');
  for (const [path, data] of files) total.update(`${path}\0`).update(sha256(data));
  return total.digest('hex');
}

test('unchanged archives are approved', async () => {
  for (const bytes of SOUND) {
    const { files, audit } = await auditArchive(bytes);
    assert.equal([audit?.verdict, audit?.findings.filter(({ type }) => type !== 'notice')], ['approved', []]);
    assertSound(files!, audit!, 'undamaged');
  }
});

test(`${CASES} damaged archives`, async () => {
  const random = new Random(SEED);
  const accepted: { bytes: Buffer; expected: string; description: string }[] = [];
  let approved = 0;
  for (let n = 0; n < CASES; n++) {
    const bytes = mutateArchive(random.pick(SOUND), random, random.pick(SOUND));
    const description = `seed ${SEED}, case ${n}`;
    const { files, audit } = await bounded(description, () => auditArchive(bytes));
    if (files === undefined) continue;
    assert.equal([...files], [...(await byYauzl(bytes))], description);
    accepted.push({ bytes, expected: digest(files), description: description });
    if (audit?.verdict !== 'approved') continue;
    approved++;
    assertSound(files, audit, description);
  }
  // Otherwise nothing of the above was tried: times, attributes and the like may be anything.
  assert.ok(accepted.length > CASES / 100, `${accepted.length} accepted`);
  assert.ok(approved > CASES / 200, `${approved} approved`);
  byPython(accepted);
});

function byPython(accepted: readonly { bytes: Buffer; expected: string; description: string }[]): void {
  const path = join(temporaryFolder('archives'), 'all');
  const framed = accepted.flatMap(({ bytes }) => {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(bytes.length);
    return [size, bytes];
  });
  writeFileSync(path, Buffer.concat(framed));
  const { status, stdout, stderr, error } = spawnSync('python3', ['-c', DIGEST + PYTHON, path], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (error !== undefined && process.env.WAYPOST_REQUIRE_PEERS !== '1') {
    console.log('skipped: python3 is not installed.');
    return;
  }
  assert.is(status, 0, stderr);
  const lines = stdout.trimEnd().split('\n');
  assert.is(lines.length, accepted.length);
  for (const [n, { bytes, expected, description }] of accepted.entries())
    assert.is(lines[n], expected, `python3 on ${description}: ${bytes.toString('hex')}`);
}

test.run();
