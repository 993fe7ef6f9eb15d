/**
 * The contract of the API (test/admin-api/contract), and of packages, with the journal in etcd,
 * except what is decided before the journal is asked: malformed requests, and the access of others.
 * What only reads the store of the node, or audits packages, is left to test:deep.
 */
import { readdirSync } from 'node:fs';
import { suite } from 'uvu';
import { matrix } from '../../support/depth.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { stopEtcd } from './on-etcd.ts';

const named = (...names: readonly string[]): ReadonlySet<string> => new Set(names.map((name) => `${name}.test.js`));
const BEFORE_JOURNAL = named('crosswise', 'fuzz', 'unknown');
const READING = named('audits', 'catalog', 'lists', 'logs', 'range', 'sdk', 'statistics', 'whole-lists');
process.env.WAYPOST_TEST_JOURNAL = 'etcd';
const why = whyNotPrograms('etcd');
if (why !== null) console.log(`skipped: ${why}`);
else {
  for (const folder of ['contract', 'miniapp/packages']) {
    const url = new URL(`../../admin-api/${folder}/`, import.meta.url);
    const files = readdirSync(url).filter((file) => file.endsWith('.test.js') && !BEFORE_JOURNAL.has(file));
    for (const file of matrix(files.sort(), (item) => !READING.has(item))) await import(new URL(file, url).href);
  }
  const end = suite('the etcd of all');
  end('stops', stopEtcd);
  end.run();
}
