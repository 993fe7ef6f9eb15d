/** App templates for `waypost pkg init`. The build copies their files next to this module. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../audit/archive/package-folder.ts';
import { readIssued } from '../sdk/issued-files.ts';

/** Folder next to the compiled module, and next to its bundle. */
export const TEMPLATES_FOLDER = 'app-templates';
/** Subfolders: TypeScript sources, and project files outside the package. */
export const TYPESCRIPT_FOLDER = 'typescript';
export const PROJECT_FOLDER = 'project';

/** Templates by name, with a description. */
export const TEMPLATES = {
  blank: 'a counter: the smallest app with storage',
  notes: 'list, search, add, edit and delete; JSON in storage',
  photo: 'the camera, and a gallery of small copies within the quota',
  weather: 'requests to a weather service, a cache, and offline',
  reminder: 'background tasks, and a background file',
} as const;

export type TemplateName = keyof typeof TEMPLATES;

interface NewApp {
  readonly id: string;
  readonly name: string;
  /** `blank` if omitted. */
  readonly template?: TemplateName;
  /** Content of host-sdk.js; default: the newest issued SDK. */
  readonly sdk?: Uint8Array;
}

/** Content by path. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

const pathOf = (...names: readonly string[]): string => join(import.meta.dirname, TEMPLATES_FOLDER, ...names);
const escaped = (text: string): string => text.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`);

/** Creates the files of a package. */
export function newApp({ id, name, template = 'blank', sdk }: NewApp): Files {
  const files: Record<string, string | Uint8Array> = {};
  for (const path of readdirSync(pathOf(template)).sort()) files[path] = readFileSync(pathOf(template, path));
  const manifest = JSON.parse(String(files['manifest.json'])) as object;
  files['manifest.json'] = `${JSON.stringify({ ...manifest, id, name }, null, 2)}\n`;
  files['index.html'] = String(files['index.html']).replaceAll('{{name}}', () => escaped(name));
  files['host-sdk.js'] = sdk ?? readIssued().script;
  return files;
}

interface NewProject extends NewApp {
  readonly typescript?: boolean;
}

/**
 * Creates a project: the package in the folder `app`, and files for editors and builds next to it.
 */
export function newProject(options: NewProject): Files {
  const { template = 'blank', typescript = false } = options;
  const app = newApp(options);
  const files: Record<string, string | Uint8Array> = {};
  for (const [path, content] of Object.entries(app)) files[join(PACKAGE_FOLDER, path)] = content;
  const { typings, backgroundTypings } = readIssued();
  files['host-sdk.d.ts'] = typings;
  if ('background.js' in app) files['background.d.ts'] = backgroundTypings;
  const project = (name: string): Buffer => readFileSync(pathOf(PROJECT_FOLDER, name));
  files['.gitignore'] = project('gitignore');
  if (!typescript) return { ...files, 'jsconfig.json': project('jsconfig.json') };
  return {
    ...files,
    [join(PACKAGE_FOLDER, 'app.js')]: readFileSync(pathOf(TYPESCRIPT_FOLDER, `${template}.js`)),
    'src/app.ts': readFileSync(pathOf(TYPESCRIPT_FOLDER, `${template}.ts`)),
    'package.json': project('package.json'),
    'tsconfig.json': project('tsconfig.json'),
  };
}
