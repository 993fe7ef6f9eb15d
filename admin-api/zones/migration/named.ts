/** Zones of a BIND configuration. */
import { dirname, isAbsolute, join } from 'node:path';
import { blockOf, keywordOf, readNamed, type Statement, wordsOf } from './named-syntax.ts';
import {
  type ConfigFile,
  type ConfigFiles,
  type Finding,
  finding,
  type Primary,
  type Source,
  type SourceKey,
  type SourceZone,
  zoneNameOf,
} from './source.ts';

/** Zones that a resolver answers for its own machine (RFC 6303, RFC 6761). */
const LOCAL =
  /^(localhost|localdomain|(0|127|255)\.in-addr\.arpa|0\.0\.127\.in-addr\.arpa|(0\.){31}1?0?\.?ip6\.arpa|1(\.0){31}\.ip6\.arpa|0(\.0){31}\.ip6\.arpa)$/;

/** Lists of primaries refer to each other by name. */
const MAX_DEPTH = 10;

interface Scope {
  /** Settings, those of the innermost block first. */
  readonly blocks: readonly (readonly Statement[])[];
  readonly view?: string;
}

/** Throws InvalidError `invalid_config`. Relative paths start from `options { directory }`. */
export function parseNamed(main: ConfigFile, files: ConfigFiles): Source {
  const findings: Finding[] = [];
  return new NamedReader(readNamed(main, files, findings), dirname(main.file), findings).source();
}

class NamedReader {
  readonly #directory: string;
  readonly #lists = new Map<string, Statement>();
  readonly #templates = new Map<string, readonly Statement[]>();
  readonly #zones: SourceZone[] = [];
  readonly #keys: SourceKey[] = [];
  readonly #findings: Finding[];

  constructor(
    private readonly statements: readonly Statement[],
    folder: string,
    findings: Finding[],
  ) {
    this.#findings = findings;
    const options = statements.filter((statement) => keywordOf(statement) === 'options').flatMap(blockOf);
    const directory = lastWord(options, 'directory') ?? folder;
    this.#directory = isAbsolute(directory) ? directory : join(folder, directory);
  }

  source(): Source {
    const options = this.statements.filter((statement) => keywordOf(statement) === 'options').flatMap(blockOf);
    for (const statement of this.statements) {
      const keyword = keywordOf(statement);
      const [name] = wordsOf(statement);
      if (['primaries', 'masters', 'remote-servers'].includes(keyword) && name !== undefined)
        this.#lists.set(name, statement);
      if (keyword === 'template' && name !== undefined) this.#templates.set(name, blockOf(statement));
    }
    this.#read(this.statements, { blocks: [options] });
    return { kind: 'bind', zones: this.#zones, keys: this.#keys, findings: this.#findings };
  }

  #read(statements: readonly Statement[], scope: Scope): void {
    for (const statement of statements) {
      const keyword = keywordOf(statement);
      const block = blockOf(statement);
      if (keyword === 'zone') this.#zone(statement, scope);
      else if (keyword === 'key') this.#key(statement);
      else if (keyword === 'catalog-zones') this.#findings.push(finding.catalog(undefined, statement.at));
      else if (keyword === 'options') this.#read(block, scope);
      else if (keyword === 'view') this.#read(block, { blocks: [block, ...scope.blocks], view: wordsOf(statement)[0] });
      else if (keyword === 'dlz')
        this.#findings.push({
          severity: 'decision',
          code: 'database',
          at: statement.at,
          message: 'Zones of a database (DLZ) are not part of the configuration and are not imported.',
          next: 'Transfer each zone to a file, for example with "dig @SERVER ZONE AXFR", and import the folder.',
        });
    }
  }

  #key(statement: Statement): void {
    const block = blockOf(statement);
    const [name] = wordsOf(statement);
    if (name === undefined) return;
    const key: SourceKey = {
      name: zoneNameOf(name),
      algorithm: lastWord(block, 'algorithm')?.toLowerCase() ?? '',
      secret: lastWord(block, 'secret'),
      at: statement.at,
    };
    this.#keys.push(key);
  }

  #zone(statement: Statement, { blocks, view }: Scope): void {
    const { at } = statement;
    const own = blockOf(statement);
    const [written] = wordsOf(statement);
    if (written === undefined) return;
    const name = zoneNameOf(written);
    const template = this.#templates.get(lastWord(own, 'template') ?? '') ?? [];
    const scopes = [own, template, ...blocks];
    const setting = (keyword: string): Statement | undefined => {
      for (const block of scopes) {
        const found = block.findLast((entry) => keywordOf(entry) === keyword);
        if (found !== undefined) return found;
      }
      return undefined;
    };
    const word = (keyword: string): string | undefined => lastWord([setting(keyword)].filter(isSet), keyword);
    if (wordsOf(statement)[1] !== undefined && !/^in$/i.test(wordsOf(statement)[1])) return;
    // The same zone as in the other view.
    if (word('in-view') !== undefined) return;
    const type = word('type')?.toLowerCase() ?? '';
    const isSecondary = type === 'secondary' || type === 'slave' || type === 'mirror';
    const isPrimary = type === 'primary' || type === 'master';
    const leftOut = (code: string, message: string, next?: string) =>
      this.#findings.push({ severity: 'warning', code, zone: name, at, message, next });
    if (!isPrimary && !isSecondary) {
      leftOut('not_authoritative', `A zone of type "${type}" is for a resolver. It is not imported.`);
      return;
    }
    if (isPrimary && LOCAL.test(name)) {
      leftOut('local_zone', 'A resolver has this zone for its own machine. It is not imported.');
      return;
    }
    if (isPrimary && word('database') !== undefined && !/^rbt|^qp/.test(word('database')!)) {
      leftOut(
        'database',
        'The content is in a database. It is not imported.',
        'Transfer the zone to a file, and import the file.',
      );
      return;
    }
    const file = substituted(word('file'), name, view, type);
    if (isPrimary && file === undefined) this.#findings.push(finding.noFile(name, at));
    if (isPrimary && isDynamic(setting)) this.#findings.push(finding.dynamic(name, at));
    const policy = word('dnssec-policy');
    if (
      isPrimary &&
      ((policy !== undefined && policy !== 'none') || isOn(word('inline-signing')) || isOn(word('auto-dnssec')))
    )
      this.#findings.push(finding.signed(name, at));
    this.#zones.push({
      name,
      role: isPrimary ? 'primary' : 'secondary',
      content:
        file === undefined
          ? { kind: 'none' }
          : { kind: 'file', path: isAbsolute(file) ? file : join(this.#directory, file), base: this.#directory },
      primaries: isSecondary ? this.#primaries(setting('primaries') ?? setting('masters'), 0) : [],
      view,
      at,
    });
  }

  #primaries(statement: Statement | undefined, depth: number): Primary[] {
    if (statement === undefined || depth > MAX_DEPTH) return [];
    const port = numberAfter(wordsOf(statement), 'port');
    return blockOf(statement).flatMap((entry) => {
      const address = keywordOf(entry);
      const words = wordsOf(entry);
      const named = this.#lists.get(entry.items[0]?.kind === 'word' ? entry.items[0].text : '');
      if (named !== undefined) return this.#primaries(named, depth + 1);
      const key = after(words, 'key');
      return [
        {
          address,
          port: numberAfter(words, 'port') ?? port,
          key: key === undefined ? undefined : zoneNameOf(key),
          tls: after(words, 'tls') === undefined ? undefined : true,
        },
      ];
    });
  }
}

const isSet = (statement: Statement | undefined): statement is Statement => statement !== undefined;

const isOn = (value: string | undefined): boolean =>
  value !== undefined && !['no', 'off', 'false', '0'].includes(value.toLowerCase());

function isDynamic(setting: (keyword: string) => Statement | undefined): boolean {
  const policy = setting('update-policy');
  if (policy !== undefined) return true;
  const allowed = setting('allow-update');
  if (allowed === undefined) return false;
  const entries = blockOf(allowed).map(keywordOf);
  return entries.length > 0 && entries.some((entry) => entry !== 'none');
}

function lastWord(statements: readonly Statement[], keyword: string): string | undefined {
  const found = statements.findLast((statement) => keywordOf(statement) === keyword);
  return found === undefined ? undefined : wordsOf(found)[0];
}

function after(words: readonly string[], keyword: string): string | undefined {
  const at = words.findIndex((word) => word.toLowerCase() === keyword);
  return at < 0 ? undefined : words[at + 1];
}

function numberAfter(words: readonly string[], keyword: string): number | undefined {
  const text = after(words, keyword);
  return text !== undefined && /^\d{1,5}$/.test(text) ? Number(text) : undefined;
}

/** The variables of BIND 9.20 and later in `file`. */
function substituted(
  file: string | undefined,
  name: string,
  view: string | undefined,
  type: string,
): string | undefined {
  const values: Readonly<Record<string, string>> = { name, type, view: view ?? '_default' };
  return file?.replace(/\$(name|type|view)\b/g, (_, variable: string) => values[variable]);
}
