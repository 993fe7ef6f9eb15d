/**
 * `npm run release [-- --out FOLDER]`: all artefacts of a release, from the last commit: the
 * program as a tar.gz and as a Debian package, its bill of materials, and the SHA-256 sums. The
 * same commit gives the same bytes.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeBuild } from '../../core/base/build-info.ts';
import { writeTarball } from './release/archive.ts';
import { buildLastCommit } from './release/checkout.ts';
import { writeDebianPackage } from './release/debian.ts';
import { NODE } from './release/node.ts';
import { run } from './release/run.ts';
import { billOfMaterials } from './release/sbom.ts';
import { stage, TARGET } from './release/stage.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const { values } = parseArgs({
  options: { out: { type: 'string', default: join(ROOT, 'dist/release') }, version: { type: 'string' } },
});
const out = resolve(values.out);
const SUMS = 'SHA256SUMS';
const say = (text: string): void => void process.stderr.write(`${text}\n`);
function end(reason: string): never {
  say(reason);
  process.exit(1);
}

// npm installs packages with binaries for this machine only.
if (process.platform !== TARGET.os || process.arch !== TARGET.cpu)
  end(`A release is built on ${TARGET.os} with a processor of ${TARGET.cpu}.`);
const present = existsSync(out) ? readdirSync(out) : [];
if (present.length > 0 && !present.includes(SUMS))
  end(`${out} has files that are not of a release; choose an empty folder.`);
if (run('git', ['status', '--porcelain'], ROOT) !== '')
  say('Note: files differ from the last commit. The release has what is committed.');
say('Building the last commit …');
const checkout = buildLastCommit(ROOT);
const work = mkdtempSync(join(tmpdir(), 'waypost-artefacts-'));
try {
  // For a test of an upgrade.
  const version = values.version ?? checkout.build.version;
  const name = `waypost-${version}`;
  const staged = join(work, name);
  mkdirSync(staged);
  say(`Staging ${describeBuild(checkout.build)} …`);
  stage(checkout, staged);
  const artefacts = join(work, 'artefacts');
  mkdirSync(artefacts);
  say('Packing …');
  writeTarball(work, name, join(artefacts, `${name}-linux-x64.tar.gz`), checkout.time);
  writeDebianPackage({ checkout, staged, version, work }, artefacts);
  writeFileSync(join(artefacts, `${name}.cdx.json`), billOfMaterials(checkout, NODE.version));
  const hashes = readdirSync(artefacts)
    .sort()
    .map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(join(artefacts, file)))
          .digest('hex')}  ${file}\n`,
    );
  writeFileSync(join(artefacts, SUMS), hashes.join(''));
  rmSync(out, { recursive: true, force: true });
  cpSync(artefacts, out, { recursive: true });
  process.stdout.write(`${out}\n${hashes.join('')}`);
} finally {
  rmSync(work, { recursive: true, force: true });
  checkout.remove();
}
