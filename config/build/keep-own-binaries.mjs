/**
 * Runs after `npm ci`. uWebSockets.js brings binaries for six kinds of machines and four versions of
 * Node, 133 MB. Keeps those that this machine can load.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';

const FOLDER = new URL('../../node_modules/uWebSockets.js/dist/bin/', import.meta.url);
/** `process.versions.modules` of Node 20 and 22. There are none for later versions. */
const VERSIONS = ['115', '127'];
const own = VERSIONS.map((version) => `uws_${process.platform}_${process.arch}_${version}.node`);

const names = existsSync(FOLDER) ? readdirSync(FOLDER) : [];
for (const name of names) if (name.endsWith('.node') && !own.includes(name)) rmSync(new URL(name, FOLDER));
