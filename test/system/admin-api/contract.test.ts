/** The contract of the API (test/admin-api/contract), and of packages, with the journal in etcd. */
import { readdirSync } from 'node:fs';
import { whyNotPrograms } from '../peers/transcript.ts';

process.env.WAYPOST_TEST_JOURNAL = 'etcd';
const why = whyNotPrograms('etcd');
if (why !== null) console.log(`skipped: ${why}`);
else
  for (const folder of ['contract', 'packages']) {
    const url = new URL(`../../admin-api/${folder}/`, import.meta.url);
    for (const file of readdirSync(url).sort()) if (file.endsWith('.test.js')) await import(new URL(file, url).href);
  }
