/**
 * `npm run release [-- --out FOLDER]`: all artefacts of a release, from the last commit: for each
 * processor the program as a tar.gz and as a Debian package, the bill of materials, and the SHA-256
 * sums, signed with the SSH key that RELEASE_KEY names. The same commit gives the same
 * bytes.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeBuild } from '../../core/base/build-info.ts';
import { writeTarball } from './release/archive.ts';
import { buildLastCommit } from './release/checkout.ts';
import { writeDebianPackage } from './release/debian.ts';
import { completions, manualPage } from './release/manual-page.ts';
import { NODE } from './release/node.ts';
import { missingPackages, run } from './release/run.ts';
import { billOfMaterials } from './release/sbom.ts';
import { packagesFor, stage } from './release/stage.ts';
import { SUMS, writeSums } from './release/sums.ts';
import { BUILDER, TARGETS } from './release/targets.ts';
import { packageVersion, releasedBefore } from './version.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const { values } = parseArgs({
  options: { out: { type: 'string', default: join(ROOT, 'dist/release') }, version: { type: 'string' } },
});
const out = resolve(values.out);
const key = process.env.RELEASE_KEY || undefined;
const say = (text: string): void => void process.stderr.write(`${text}\n`);
function end(reason: string): never {
  say(reason);
  process.exit(1);
}

if (process.platform !== BUILDER.os || process.arch !== BUILDER.cpu)
  end(`A release is built on ${BUILDER.os} with a processor of ${BUILDER.cpu}.`);
const missing = missingPackages();
if (missing.length > 0) end(`A release needs programs of these Debian packages: ${missing.join(', ')}.`);
if (key !== undefined && !existsSync(key)) end(`RELEASE_KEY names ${key}, which does not exist.`);
const present = existsSync(out) ? readdirSync(out) : [];
if (present.length > 0 && !present.includes(SUMS))
  end(`${out} has files that are not of a release; choose an empty folder.`);
const released = releasedBefore(ROOT);
if (released !== null) end(released);
if (run('git', ['status', '--porcelain'], ROOT) !== '')
  say('Note: files differ from the last commit. The release has what is committed.');
if (key === undefined) say(`Note: ${SUMS} will have no signature, since RELEASE_KEY is not set.`);
say('Building the last commit …');
const checkout = buildLastCommit(ROOT);
const work = mkdtempSync(join(tmpdir(), 'waypost-artefacts-'));
try {
  // For a test of an upgrade.
  const version = values.version ?? packageVersion(checkout.folder);
  const name = `waypost-${version}`;
  const artefacts = join(work, 'artefacts');
  mkdirSync(artefacts);
  say(`Staging ${describeBuild(checkout.build)} …`);
  let page = '';
  let scripts: ReadonlyMap<string, string> = new Map();
  for (const target of TARGETS) {
    const own = join(work, target.cpu);
    const staged = join(own, name);
    mkdirSync(staged, { recursive: true });
    stage(checkout, target, packagesFor(target, checkout, work), staged);
    // By the program that runs here; the first target.
    if (target === BUILDER) {
      const program = [join(staged, 'bin/node'), join(staged, 'dist/main.js')] as const;
      page = manualPage(...program, version);
      scripts = completions(...program);
    }
    say(`Packing for ${target.cpu} …`);
    writeTarball(own, name, join(artefacts, `${name}-${target.os}-${target.cpu}.tar.gz`), checkout.time);
    writeDebianPackage(
      { checkout, target, staged, version, manualPage: page, completions: scripts, work: own },
      artefacts,
    );
    rmSync(own, { recursive: true });
  }
  writeFileSync(join(artefacts, `${name}.cdx.json`), billOfMaterials(checkout, NODE.version));
  const sums = writeSums(artefacts, key);
  rmSync(out, { recursive: true, force: true });
  cpSync(artefacts, out, { recursive: true });
  process.stdout.write(`${out}\n${sums}`);
} finally {
  rmSync(work, { recursive: true, force: true });
  checkout.remove();
}
