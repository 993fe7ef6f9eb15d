/**
 * The contract of the API (test/admin-api/contract), and of packages, with the journal in etcd,
 * except what is decided before the journal is asked: malformed requests, and the access of others.
 */
import { readdirSync } from 'node:fs';
import { suite } from 'uvu';
import { whyNotPrograms } from '../peers/transcript.ts';
import { stopEtcd } from './on-etcd.ts';

const BEFORE_JOURNAL: ReadonlySet<string> = new Set(['crosswise', 'fuzz', 'unknown'].map((name) => `${name}.test.js`));
process.env.WAYPOST_TEST_JOURNAL = 'etcd';
const why = whyNotPrograms('etcd');
if (why !== null) console.log(`skipped: ${why}`);
else {
  for (const folder of ['contract', 'packages']) {
    const url = new URL(`../../admin-api/${folder}/`, import.meta.url);
    for (const file of readdirSync(url).sort())
      if (file.endsWith('.test.js') && !BEFORE_JOURNAL.has(file)) await import(new URL(file, url).href);
  }
  const end = suite('the etcd of all');
  end('stops', stopEtcd);
  end.run();
}
