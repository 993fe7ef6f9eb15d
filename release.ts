/**
 * `npm run release [-- --out FOLDER]`: all artefacts of a release, from the last commit: the program
 * as a tar.gz and as a Debian package, its bill of materials, and the SHA-256 sums. The same commit
 * gives the same bytes.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeTarball } from './config/release/archive.ts';
import { buildLastCommit } from './config/release/checkout.ts';
import { writeDebianPackage } from './config/release/debian.ts';
import { run } from './config/release/run.ts';
import { billOfMaterials } from './config/release/sbom.ts';
import { stage } from './config/release/stage.ts';
import { describeBuild } from './core/base/build-info.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const { values } = parseArgs({
  options: { out: { type: 'string', default: join(ROOT, 'dist/release') }, version: { type: 'string' } },
});
const out = resolve(values.out);
const say = (text: string): void => void process.stderr.write(`${text}\n`);

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
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  say('Packing …');
  writeTarball(work, name, join(out, `${name}-linux-x64.tar.gz`), checkout.time);
  writeDebianPackage({ checkout, staged, version, work }, out);
  const node = run(join(staged, 'bin/node'), ['--version'], work).trim().slice(1);
  writeFileSync(join(out, `${name}.cdx.json`), billOfMaterials(checkout, node));
  const hashes = readdirSync(out)
    .sort()
    .map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(join(out, file)))
          .digest('hex')}  ${file}\n`,
    );
  writeFileSync(join(out, 'SHA256SUMS'), hashes.join(''));
  process.stdout.write(`${out}\n${hashes.join('')}`);
} finally {
  rmSync(work, { recursive: true, force: true });
  checkout.remove();
}
