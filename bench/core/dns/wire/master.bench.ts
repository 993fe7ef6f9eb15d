/**
 * Lines per second of the master file reader and writer. Run: node
 * dist/bench/core/dns/wire/master.bench.js
 */
import { Bench } from 'tinybench';
import { formatMaster, parseMaster } from '../../../../core/dns/wire/master/index.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';

const LINES = 200_000;
const origin = parseName('example.com.');
const host = (i: number) => `n${String(i).padStart(6, '0')}`;

const FILES: Record<string, (i: number) => string> = {
  A: (i) => `${host(i)} 300 IN A 198.51.${(i >> 8) & 255}.${i & 255}\n`,
  AAAA: (i) => `${host(i)} 300 IN AAAA 2001:db8::${i.toString(16).slice(-4)}:1\n`,
  CNAME: (i) => `${host(i)} IN CNAME www.${host(i)}\n`,
  'MX, blank owner': (i) => `${i % 2 ? '' : host(i)} MX ${i % 100} mail.example.net.\n`,
  'TXT, quoted': (i) => `${host(i)} 300 IN TXT "v=spf1 ip4:198.51.100.${i & 255} -all"\n`,
  'SRV, parentheses': (i) => `${host(i)} 300 IN SRV ( 0 5 5060 ; port\n sip.example.net. )\n`,
};

const bench = new Bench({ time: 1500, warmupIterations: 2 });
for (const [what, line] of Object.entries(FILES)) {
  const text = Buffer.from(`$TTL 300\n${Array.from({ length: LINES }, (_, i) => line(i)).join('')}`);
  const { records, errors } = parseMaster(text, { origin });
  if (records.length !== LINES || errors.length > 0) throw new Error(`${what}: ${JSON.stringify(errors[0])}`);
  bench.add(`parse ${what}`, () => {
    parseMaster(text, { origin });
  });
  bench.add(`format ${what}`, () => {
    for (const chunk of formatMaster(origin, records)) if (chunk === '') throw new Error('an empty chunk');
  });
}
await bench.run();
console.table(
  bench.tasks.map((task) => ({
    task: task.name,
    'records/s (median)':
      'latency' in task.result ? Math.round((LINES / task.result.latency.p50) * 1000).toLocaleString('en') : 'failed',
  })),
);
