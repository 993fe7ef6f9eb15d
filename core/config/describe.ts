/** The schema as documentation: a table, and the commented example config/waypost.toml. */
import { sections, settings } from './schema.ts';

export interface SettingDescription {
  /** Key in TOML, such as `dns.udp_payload`. */
  readonly key: string;
  readonly env: string;
  readonly expected: string;
  /** The default in TOML, or in words when it depends on the machine or on other settings. */
  readonly default: string;
  readonly doc: string;
  readonly secret: boolean;
  /** Whether a reload applies a changed value; otherwise it needs a restart. */
  readonly isReloadable: boolean;
}

/** Every setting, in the order of the schema. */
export function describeConfig(): SettingDescription[] {
  return settings.map(({ key, env, setting }) => ({
    key,
    env,
    expected: setting.kind.expected,
    default: setting.standardText ?? setting.kind.toToml(setting.standard()),
    doc: setting.doc,
    secret: setting.secret,
    isReloadable: setting.isReloadable === true,
  }));
}

const WIDTH = 100;

/** The text of config/waypost.toml: every key at its default, commented out if that is computed. */
export function exampleToml(): string {
  const lines = comment(
    'Waypost configuration: every setting with its default. The environment variable named with a setting ' +
      'overrides it. "Reload" with a setting: a reload (SIGHUP, "waypost reload") applies a change; all others need a restart. A size is a number of bytes, or a number with the unit KB, MB or GB (powers of 1024).',
  );
  let section = '';
  for (const { key, path, env, setting } of settings) {
    lines.push('');
    if (path.length > 1 && path[0] !== section) {
      section = path[0];
      lines.push(...comment(sections.get(section) ?? ''), `[${section}]`, '');
    }
    lines.push(
      ...comment(setting.doc),
      ...comment(`${env}: ${setting.kind.expected}.${setting.isReloadable === true ? ' Reload.' : ''}`),
    );
    const name = key.slice(key.lastIndexOf('.') + 1);
    if (setting.standardText === undefined) lines.push(`${name} = ${setting.kind.toToml(setting.standard())}`);
    else lines.push(...comment(`Default: ${setting.standardText}.`), `# ${name} = ${setting.example}`);
  }
  return `${lines.join('\n')}\n`;
}

function comment(text: string): string[] {
  const lines: string[] = [];
  let line = '#';
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > WIDTH && line !== '#') {
      lines.push(line);
      line = '#';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
