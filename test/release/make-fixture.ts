/**
 * `node dist/test/release/make-fixture.js`: makes test/fixtures/store-0.1 again, a store of Waypost
 * 0.1 with a row of each kind.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { removeFolder, temporaryFolder } from '../support/temp.ts';
import { buildOldVersion, populate, startVersion } from './old-version.ts';

const OUT = join(import.meta.dirname, '../../../test/fixtures/store-0.1');

const folder = temporaryFolder('fixture');
const data = join(folder, 'data');
const daemon = await startVersion(buildOldVersion(), data);
const content = await populate(daemon.api, 2);
await daemon.child.stop();
mkdirSync(OUT, { recursive: true });
writeFileSync(join(OUT, 'waypost.mdb.br'), brotliCompressSync(readFileSync(join(data, 'waypost.mdb'))));
copyFileSync(join(data, 'secret.key'), join(OUT, 'secret.key'));
writeFileSync(join(OUT, 'content.json'), `${JSON.stringify(content, null, 2)}\n`);
removeFolder(folder);
process.exit();
