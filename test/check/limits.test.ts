/**
 * The tables of docs/internals/limits.md against the code: each place where customers or
 * strangers can occupy something (a slot, a queue, memory) has a row with its bound, and each row
 * states what the code does.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { describeConfig } from '../../core/config/index.ts';
import { ROOT } from './docs/pages.ts';

/** Rooms of the daemon. Others run on the machine of an operator or of an author of packages. */
const ROOMS = ['core', 'admin-api', 'edge'];
const ELSEWHERE =
  /^(admin-api\/(cli|dashboard|zones\/migration|miniapp\/(simulator|templates|sdk))|core\/dns\/wire)\/|^core\/base\/fair-/;

/** Tools that bound concurrent work, queues, rates or memory. */
const TOOLS =
  /\bnew (FairSlots|FairQueue|FairLine|Semaphore|Piscina|ConnectionLimits|RateLimit|TokenBucket|UdpLimit|Shares|MemoryBudget)\b/g;
/** Constants that are such bounds, by their names. */
const NAMED =
  /^(?:export )?const ((?:(?:MAX|MOST)_(?:\w+_)?(?:CONCURRENT|QUEUED?|PENDING|WAITING|CONNECTIONS|OPEN|STREAMS|SESSIONS|SENDING|IN_FLIGHT|REMEMBERED|ENTRIES|UNSENT|LOOKS|BUFFERED|PER_[A-Z]+)(?:_[A-Z]+)?)|CONCURRENT\w*|AT_ONCE|PARALLEL)(?:: number)? = (.+);$/gm;

interface Limits {
  readonly path: string;
  readonly tools: readonly string[];
  /** Constants and their values. */
  readonly named: ReadonlyMap<string, number>;
}

interface Row {
  readonly line: number;
  readonly path: string;
  readonly text: string;
  /** `NAME = value` of the row. */
  readonly named: ReadonlyMap<string, number>;
  readonly settings: readonly string[];
  readonly tests: readonly string[];
}

const sources = (folder: string): string[] =>
  (readdirSync(join(ROOT, folder), { recursive: true }) as string[])
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`);

/** A product, sum or shift of numbers; undefined: something else. */
function evaluate(text: string): number | undefined {
  const plain = text.replaceAll('_', '').trim();
  return /^[\d\s*+/()<]+$/.test(plain) ? (Function(`return ${plain}`)() as number) : undefined;
}

function limitsIn(path: string): Limits {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const named = new Map<string, number>();
  for (const [, name, value] of text.matchAll(NAMED)) {
    const number = evaluate(value);
    if (number !== undefined) named.set(name, number);
  }
  return { path, tools: [...new Set([...text.matchAll(TOOLS)].map(([, tool]) => tool))], named };
}

const PAGE = 'docs/internals/limits.md';
const page = readFileSync(join(ROOT, PAGE), 'utf8');

function rows(): Row[] {
  return page.split('\n').flatMap((text, at) => {
    const cells = text.split('|').map((cell) => cell.trim());
    const path = /^`([^`]+)`$/.exec(cells[4] ?? '')?.[1];
    if (path === undefined) return [];
    const named = [...cells[2].matchAll(/`([A-Za-z][A-Za-z_]*)` = ([\d,]+)/g)].map(
      ([, name, value]): [string, number] => [name, Number(value.replaceAll(',', ''))],
    );
    const settings = [...cells[2].matchAll(/`([a-z][a-z\d_]*(?:\.[a-z\d_]+)*)`(?! =)/g)].map(([, name]) => name);
    const tests = [...(cells[5] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    return [{ line: at + 1, path, text, named: new Map(named), settings, tests }];
  });
}

/** Files with limits that neither customers nor strangers occupy, each with the reason. */
const elsewhere = new Set(
  [...page.matchAll(/^\| (`[^|]+`) \| [^|]+ \|$/gm)].flatMap(([, files]) =>
    [...files.matchAll(/`([^`]+)`/g)].map(([, path]) => path),
  ),
);
const table = rows();
const found = ROOMS.flatMap(sources)
  .filter((path) => !ELSEWHERE.test(path))
  .map(limitsIn)
  .filter(({ tools, named }) => tools.length > 0 || named.size > 0);
const rowsOf = (path: string): Row[] => table.filter((row) => row.path === path);

test('limits are found in the code, and rows in the table', () => {
  assert.ok(found.length > 30 && table.length > 30);
  assert.is(evaluate('8 << 20'), 8_388_608);
  assert.is(evaluate('32 * 1_024'), 32_768);
  assert.is(evaluate('BUCKETS * 2'), undefined);
});

test('each limit of the code has a row with its value', () => {
  const missing = found.flatMap(({ path, tools, named }) => {
    const own = rowsOf(path);
    if (elsewhere.has(path)) return own.length === 0 ? [] : [`${path}: is in both tables`];
    if (own.length === 0) return [`${path}: ${[...tools, ...named.keys()].join(', ')}`];
    const written = new Map(own.flatMap((row) => [...row.named]));
    return [...named]
      .filter(([name, value]) => written.get(name) !== value)
      .map(([name, value]) => `${path}: ${name} = ${value}`);
  });
  assert.equal(missing, [], `add these to ${PAGE}`);
});

test('files without a row are there, and have a limit', () => {
  const limited = new Set(found.map(({ path }) => path));
  assert.equal(
    [...elsewhere].filter((path) => !limited.has(path)),
    [],
  );
});

test('each row of the table is true', () => {
  const settings = new Set(describeConfig().map(({ key }) => key));
  const wrong = table.flatMap(({ line, path, named, settings: own, tests }) => {
    const where = `${PAGE}:${line}`;
    if (!existsSync(join(ROOT, path))) return [`${where}: there is no ${path}`];
    const text = readFileSync(join(ROOT, path), 'utf8');
    const constants = [...named].flatMap(([name, value]) => {
      const source = new RegExp(`\\b${name}(?:: number)?(?: =|:) ([\\d_ *+/()<]+)`).exec(text)?.[1];
      return source !== undefined && evaluate(source) === value ? [] : [`${where}: ${name} is ${source}`];
    });
    return [
      ...constants,
      ...own.filter((name) => !settings.has(name)).map((name) => `${where}: there is no setting ${name}`),
      ...tests.filter((name) => !existsSync(join(ROOT, name))).map((name) => `${where}: there is no ${name}`),
      ...(named.size + own.length === 0 ? [`${where}: no bound, neither a constant nor a setting`] : []),
      ...(tests.length === 0 ? [`${where}: no test`] : []),
    ];
  });
  assert.equal(wrong, []);
});

test.run();
