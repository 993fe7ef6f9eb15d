/** Reads the environment variables of the systemd unit. */
const UNIT = 'waypost.service';
/** systemd.unit(5): the first folder wins. */
const FOLDERS = ['/etc/systemd/system', '/run/systemd/system', '/usr/local/lib/systemd/system'];
const SYSTEM_FOLDERS = ['/usr/lib/systemd/system', '/lib/systemd/system'];

const UNIT_PATHS: readonly string[] = [...FOLDERS, ...SYSTEM_FOLDERS].map((folder) => `${folder}/${UNIT}`);

export interface UnitEnvironment {
  readonly path: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** `readFile` throws for an unreadable file. Null: the unit is not installed. */
export function unitEnvironment(readFile: (path: string) => string): UnitEnvironment | null {
  const attempt = (path: string): string | null => {
    try {
      return readFile(path);
    } catch {
      return null;
    }
  };
  for (const path of UNIT_PATHS) {
    const text = attempt(path);
    if (text === null) continue;
    const dropIn = attempt(`/etc/systemd/system/${UNIT}.d/override.conf`) ?? '';
    return { path, variables: { ...readUnit(`${text}\n${dropIn}`, attempt) } };
  }
  return null;
}

/** Environment= and EnvironmentFile= (systemd.exec(5)): variables of files take precedence. */
function readUnit(text: string, attempt: (path: string) => string | null): Record<string, string> {
  const variables: Record<string, string> = {};
  const files: string[] = [];
  for (const line of text.split('\n')) {
    const match = /^\s*(Environment|EnvironmentFile)=(.*)$/.exec(line);
    if (match === null) continue;
    if (match[1] === 'EnvironmentFile') files.push(match[2].trim().replace(/^-/, ''));
    else
      for (const word of match[2].match(/"[^"]*"|\S+/g) ?? [])
        assign(variables, expand(word.replace(/^"(.*)"$/, '$1')));
  }
  for (const file of files)
    for (const line of (attempt(file) ?? '').split('\n')) if (!/^\s*[#;]/.test(line)) assign(variables, line.trim());
  return variables;
}

/** Specifiers, such as %d in %d/secret.key, can only be expanded by systemd. */
const expand = (word: string): string => (/%(?!%)/.test(word.replaceAll('%%', '')) ? '' : word.replaceAll('%%', '%'));

function assign(variables: Record<string, string>, text: string): void {
  const match = /^(WAYPOST_\w+)=(.*)$/.exec(text);
  if (match === null) return;
  variables[match[1]] = match[2].replace(/^(["'])(.*)\1$/, '$2');
}
