/**
 * The test files that a change can reach: by the imports of the sources, by workers and programs
 * that they name by a relative path, and by the names of other files that they read.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/** What every test depends on: how it is built, run and helped. */
const EVERYTHING =
  /^(?:(?:package|package-lock|tsconfig[\w.]*)\.json|\.npmrc|config\/build\/(?!release\b)|test\/(?:support|runner)\/)/;
/** What no test reads. */
const TOOLS = /^(?:biome\.json|\.gitattributes|\.editorconfig|\.ci\/.*)$/;
/** Tests that look at the whole tree, so that every change reaches them. */
const WHOLE_TREE = /^test\/check\//;
/** Compiled, or packed into one that is; declarations are read as files. */
const SOURCE = /(?<!\.d)\.tsx?$/;
const TYPE_IMPORT = /\b(?:import|export)\s+type\s[^;]*?\bfrom\s*['"][^'"\n]+['"]/g;
const RELATIVE = /['"`](\.{1,2}\/[^'"`\n]*?)\.(?:tsx?|js)['"`]/g;
/** A folder whose files are listed, or of which a name is put together. */
const FOLDER = /['"`](\.{1,2}\/[\w./-]*)\/(?:['"`]|\$\{)/g;
/** A source that is read as a text. */
const FROM_ROOT = /['"`]((?:core|admin-api|edge|bench|test)\/[^'"`\n]*?)\.tsx?['"`]/g;
const COMMENT = /^\s*(?:\/\/|\/?\*).*$/gm;
/** A program of the compiled tree, as commands name it. */
const COMPILED = /\bdist\/([\w/.-]+?)\.js\b/g;
/**
 * Folders that the build makes (config/build/bundle.ts), as their readers name them, and their
 * sources.
 */
const PACKED: readonly (readonly [RegExp, string])[] = [
  [/['"`](?:\.{1,2}|dist)\/(?:[\w.-]+\/)*dashboard\/?['"`]/, 'admin-api/dashboard/'],
  [/['"`](?:\.{1,2}|dist)\/(?:[\w.-]+\/)*simulator\/?['"`]/, 'admin-api/miniapp/simulator/page/'],
  [/['"`]app-templates['"`]/, 'admin-api/miniapp/templates/apps/'],
];
/** Folders whose names say nothing of who reads their files. */
const PLAIN = new Set(['core', 'admin-api', 'edge', 'bench', 'test', 'config']);

export interface Selection {
  /** What is said about it before the tests run. */
  readonly reason: string;
  /** `path`: of a test file below test/, with the ending .js. */
  includes(path: string): boolean;
}

/** Arguments of a command with `--since main` for `--since` without a revision. */
export function withRevision(args: readonly string[]): string[] {
  return args.flatMap((arg, at) => {
    const next = args[at + 1];
    return arg === '--since' && (next === undefined || next.startsWith('-')) ? [arg, 'main'] : [arg];
  });
}

/** Throws Error if git does not know the revision. */
export function changedSince(revision: string): string[] {
  const git = (...args: string[]): string[] => {
    const text = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    return text.split('\0').filter((path) => path !== '');
  };
  try {
    // Relative to the merge base, so that commits on the other branch do not count.
    const [base] = git('merge-base', revision, 'HEAD');
    return [
      ...git('diff', '--name-only', '--no-renames', '-z', base.trim()),
      ...git('ls-files', '--others', '--exclude-standard', '-z'),
    ];
  } catch (error) {
    const reason = (error as { stderr?: string }).stderr?.trim() ?? (error as Error).message;
    throw new Error(`git cannot tell what has changed since ${revision}: ${reason}`);
  }
}

/** `changes`: paths from the root of the repository; some may be deleted. */
export function reachedBy(changes: readonly string[], root = ROOT): Selection {
  const sources = sourcesOf(root);
  const everything = (path: string, why: string): Selection => ({
    reason: `all files: ${path} ${why}`,
    includes: () => true,
  });
  const changed = new Set<string>();
  const readers: ReturnType<typeof readerOf>[] = [];
  for (const path of changes) {
    if (EVERYTHING.test(path)) return everything(path, 'concerns every test');
    if (SOURCE.test(path)) {
      changed.add(path);
      continue;
    }
    if (TOOLS.test(path)) continue;
    const isPage = path.endsWith('.md');
    const reads = readerOf(path, isPage);
    if (!isPage && !sources.all.some((source) => reads(source, sources.textOf(source))))
      return everything(path, 'is not named in any source');
    readers.push(reads);
  }
  const answers = new Map<string, boolean>();
  const isRead = (source: string): boolean => {
    let found = answers.get(source);
    if (found === undefined) {
      found = readers.some((reads) => reads(source, sources.textOf(source)));
      answers.set(source, found);
    }
    return found;
  };
  return {
    reason: `files that ${changes.length} changed ${changes.length === 1 ? 'file reaches' : 'files reach'}`,
    includes(path) {
      const source = join('test', path.replace(/\.js$/, '.ts'));
      if (WHOLE_TREE.test(source)) return changes.length > 0;
      const reached = sources.reachedFrom(source);
      for (const file of changed) if (reached.has(file)) return true;
      if (readers.length > 0) for (const file of reached) if (isRead(file)) return true;
      return false;
    },
  };
}

const escaped = (text: string): string => text.replace(/\W/g, '\\$&');

/** Whether a source may read a file: a string has its name, or that of one of its folders. */
function readerOf(path: string, isPage: boolean): (source: string, text: string) => boolean {
  const folders = dirname(path)
    .split('/')
    .filter((folder) => !PLAIN.has(folder) && folder !== '.')
    .map(escaped);
  const names = [
    `[\\w./-]*${escaped(basename(path))}`,
    ...folders.flatMap((folder) => [folder, `[\\w./-]*${folder}/[\\w./-]*`]),
  ];
  const literal = new RegExp(`(['"\`])(?:${names.join('|')})\\1`);
  // Only tests read pages of documentation; the product names them in messages.
  return (source, text) => (!isPage || source.startsWith('test/')) && literal.test(text);
}

const trees = new Map<string, Sources>();

/** Read once. */
function sourcesOf(root: string): Sources {
  const sources = trees.get(root) ?? new Sources(root);
  trees.set(root, sources);
  return sources;
}

class Sources {
  readonly #root: string;
  #all: readonly string[] | null = null;
  readonly #texts = new Map<string, string>();
  readonly #named = new Map<string, readonly string[]>();
  readonly #reached = new Map<string, ReadonlySet<string>>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Every source of the repository. */
  get all(): readonly string[] {
    this.#all ??= this.#list();
    return this.#all;
  }

  #list(): readonly string[] {
    const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '*.ts', '*.tsx'];
    const listed = execFileSync('git', args, { cwd: this.#root, encoding: 'utf8' }).split('\0');
    return listed.filter((path) => path !== '' && existsSync(join(this.#root, path)));
  }

  /** Without lines of comments; empty for a file that does not exist. */
  textOf(path: string): string {
    let text = this.#texts.get(path);
    if (text === undefined) {
      const file = join(this.#root, path);
      text = existsSync(file) ? readFileSync(file, 'utf8').replace(COMMENT, '') : '';
      this.#texts.set(path, text);
    }
    return text;
  }

  /** The source and all that it names, directly or not. */
  reachedFrom(path: string): ReadonlySet<string> {
    const before = this.#reached.get(path);
    if (before !== undefined) return before;
    const reached = new Set([path]);
    for (const next of reached) for (const file of this.#namedBy(next)) reached.add(file);
    this.#reached.set(path, reached);
    return reached;
  }

  /** Deleted files too: their deletion reaches what names them. */
  #namedBy(path: string): readonly string[] {
    const before = this.#named.get(path);
    if (before !== undefined) return before;
    const text = this.textOf(path).replace(TYPE_IMPORT, '');
    const paths = [
      ...[...text.matchAll(RELATIVE)].map(([, name]) => normalize(join(dirname(path), name))),
      ...[...text.matchAll(COMPILED), ...text.matchAll(FROM_ROOT)].map(([, name]) => name),
    ];
    const named = paths.flatMap((name) => [`${name}.ts`, `${name}.tsx`]);
    const folders = [
      ...PACKED.filter(([literal]) => literal.test(text)).map(([, folder]) => folder),
      ...[...text.matchAll(FOLDER)].map(([, name]) => `${normalize(join(dirname(path), name))}/`),
    ];
    for (const folder of folders) named.push(...this.all.filter((source) => source.startsWith(folder)));
    this.#named.set(path, named);
    return named;
  }
}
