/**
 * The warnings and errors that the daemon can log, read from the sources, and those that
 * docs/operations.md explains.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Page, ROOT } from './pages.ts';

export interface Warning {
  /** With "…" for what is filled in. */
  readonly message: string;
  /** File and line, or the line of the page. */
  readonly location: string;
}

const LITERAL = String.raw`'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\`(?:[^\`\\]|\\.)*\``;
/** Calls whose text ends up in the log as a warning or an error. */
const CALLS: readonly string[] = [
  String.raw`\blog(?:\.(?:warn|error)|\[[^\]\n]+\])\(\s*`,
  String.raw`new (?:core\.)?FaultLog\(\s*[\w.#]+,\s*`,
  String.raw`\bonTrouble\?\.\(\s*`,
  String.raw`\bmessages(?::| =) \[\s*`,
  `kind: 'log', level: '(?:warn|error)', message: `,
];

/** Files with a function of their own that logs the text that it is given: its name. */
const HELPERS: Readonly<Record<string, string>> = {
  'core/nameserver/transfer/notify.ts': 'warn',
  'edge/gateway/application.ts': 'warn',
  'edge/gateway/origins.ts': 'warn',
  'edge/http/server/worker.ts': '(?:warn|tell)',
};

/** Calls that pass a text on which stands elsewhere: the file, and the argument. */
const PASSED_ON: ReadonlySet<string> = new Set([
  'core/base/log/throttle.ts this.started',
  'core/base/tasks.ts ...messages',
  'core/nameserver/transfer/notify.ts message',
  'edge/daemon/edge.ts message',
  'edge/daemon/edge.ts message.message',
  'edge/http/server/pool.ts message.message',
  'edge/http/server/worker.ts message',
]);

/**
 * `unknown`: calls whose text is not found. `unused`: patterns that no call matches, as after a
 * renaming.
 */
export function warningsOfSources(): { warnings: Warning[]; unknown: Warning[]; unused: string[] } {
  const warnings: Warning[] = [];
  const unknown: Warning[] = [];
  const unused = new Set(CALLS);
  for (const file of sources()) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const helper = HELPERS[file];
    for (const call of helper === undefined ? CALLS : [...CALLS, String.raw`(?<![.\w])${helper}\(\s*`])
      for (const match of text.matchAll(new RegExp(`${call}(${LITERAL}|[\\w.#]+)`, 'g'))) {
        const location = `${file}:${text.slice(0, match.index).split('\n').length}`;
        const argument = match[1];
        unused.delete(call);
        if (/^['"`]/.test(argument)) warnings.push({ message: plain(argument), location });
        else if (!PASSED_ON.has(`${file} ${argument}`)) unknown.push({ message: argument, location });
      }
  }
  return { warnings, unknown, unused: [...unused] };
}

function sources(): string[] {
  const under = (folder: string): string[] =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`);
  return ['main.ts', ...['core', 'admin-api', 'edge'].flatMap(under)].sort();
}

/** The text of a literal, with "…" for what a template fills in. */
function plain(literal: string): string {
  return literal
    .slice(1, -1)
    .replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…')
    .replace(/\\(.)/g, '$1');
}

/** Where /readyz gets its reasons and warnings from. */
const READINESS = [
  'core/cluster/backup/keeper.ts',
  'core/cluster/certificate-files.ts',
  'core/cluster/installation.ts',
  'core/journal/clock/guard.ts',
  'core/cluster/readiness.ts',
  'core/cluster/lag.ts',
  'core/upkeep/signing/keeper.ts',
  'core/os/protection/protection.ts',
];

export function reasonsOfSources(): Warning[] {
  return READINESS.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return [...text.matchAll(new RegExp(`(?:return \\[|(?:reasons|warnings)\\.push\\(\\s*)(${LITERAL})`, 'g'))].map(
      (match) => ({
        message: plain(match[1]),
        location: `${file}:${text.slice(0, match.index).split('\n').length}`,
      }),
    );
  });
}

/** The heading below which docs/operations.md has them, an item "- `message`: …" each. */
export const HEADING = '## Warnings and errors in the log';
export const REASONS_HEADING = '## Reasons and warnings in /readyz';

export function warningsOfPage({ lines, path }: Page, heading = HEADING): Warning[] {
  const warnings: Warning[] = [];
  let isWithin = false;
  for (const [i, { text, number }] of lines.entries()) {
    if (text.startsWith('## ')) isWithin = text === heading;
    if (!isWithin || !text.startsWith('- `')) continue;
    // A message may go on in the next lines.
    const item = lines
      .slice(i, i + 5)
      .map((line) => line.text.trim())
      .join(' ');
    const message = /^- `([^`]+)`/.exec(item)?.[1];
    if (message !== undefined) warnings.push({ message, location: `${path}:${number}` });
  }
  return warnings;
}
