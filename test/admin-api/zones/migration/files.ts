/** Configurations in memory, and the texts of what is read from them. */
import type { ConfigFile, ConfigFiles, Source, SourceZone } from '../../../../admin-api/zones/migration/index.ts';

/** Files by path. Patterns match with `*`. */
export function filesOf(contents: Readonly<Record<string, string>>): ConfigFiles {
  return {
    read(path) {
      if (contents[path] === undefined) throw new Error('no such file');
      return contents[path];
    },
    glob(pattern) {
      const expression = new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '[^/]*')}$`);
      return Object.keys(contents).filter((path) => expression.test(path));
    },
  };
}

export const mainOf = (contents: Readonly<Record<string, string>>): ConfigFile => {
  const [file] = Object.keys(contents);
  return { file, text: contents[file] };
};

/** `name role path primaries`. */
export const zoneLine = ({ name, role, content, primaries, view }: SourceZone): string =>
  [
    name,
    role,
    content.kind === 'file' ? content.path : content.kind,
    ...primaries.map(
      ({ address, port, key, tls }) =>
        `${address}${port ? `@${port}` : ''}${key ? ` key ${key}` : ''}${tls ? ' tls' : ''}`,
    ),
    ...(view === undefined ? [] : [`view ${view}`]),
  ].join(' ');

export const zoneLines = ({ zones }: Source): string[] => zones.map(zoneLine);

/** `severity code zone line`. */
export const findingLines = ({ findings }: Pick<Source, 'findings'>): string[] =>
  findings.map(({ severity, code, zone, at }) => [severity, code, zone, at?.line].filter(Boolean).join(' '));

/** The text of the only zone, without the line of the origin. */
export function textOfZone({ zones }: Source, at = 0): string[] {
  const { content } = zones[at];
  if (content.kind !== 'text') throw new Error('no text');
  return content.text.split('\n').filter((line) => line !== '' && !line.startsWith('$ORIGIN'));
}
