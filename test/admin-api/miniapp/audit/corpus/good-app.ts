/**
 * A package of realistic size without a finding: twelve screens, each with a module, a style sheet
 * and a picture, what they share, and a background file.
 */
import { MANIFEST, png, SDK } from './small-app.ts';

const SCREENS = [
  'today',
  'lists',
  'search',
  'trash',
  'tags',
  'share',
  'export',
  'import',
  'themes',
  'account',
  'help',
  'about',
];

const screen = (
  name: string,
  size: number,
): string => `import { element, heading } from '../lib/dom.js'; import { load, save } from '../lib/store.js';

const KEY = '${name}';

/** Shows the screen in the root element. */
export async function show(root) {
  const items = await load(KEY, []);
  root.replaceChildren(heading('${name}'), list(items, root));
}

function list(items, root) {
  const ul = element('ul', { className: 'screen-${name}' });
  for (const [index, item] of items.entries()) {
    const button = element('button', { type: 'button', textContent: 'Remove' });
    button.addEventListener('click', async () => {
      await save(KEY, items.filter((_, at) => at !== index));
      await show(root);
    });
    ul.append(element('li', {}, item.title, button));
  }
  return ul;
}
${Array.from(
  { length: size },
  (_, i) => `
export function rank${i}(items) {
  const weighed = items.map((item) => ({ item, weight: (item.title.length * ${i + 3}) % ${i + 11} }));
  weighed.sort((a, b) => a.weight - b.weight);
  return weighed.map(({ item }) => item);
}
`,
).join('')}`;

const style = (name: string): string => `.screen-${name} {
  display: grid;
  gap: 0.5rem;
  list-style: none;
  margin: 0;
  padding: 1rem;
}

.screen-${name} li {
  align-items: center;
  display: flex;
  justify-content: space-between;
}
`;

const DOM = `/** A list, an item or a button, with its properties and children. */
export function element(tag, properties = {}, ...children) {
  const made = tag === 'ul' ? document.createElement('ul') : tag === 'li' ? document.createElement('li') : document.createElement('button');
  for (const [name, value] of Object.entries(properties)) {
    if (name === 'className') made.className = value;
    else if (name === 'type') made.type = value;
    else if (name === 'textContent') made.textContent = value;
  }
  made.append(...children);
  return made;
}

export function heading(text) {
  const made = document.createElement('h1');
  made.textContent = text;
  return made;
}
`;

const STORE = `export async function load(key, otherwise) {
  const stored = await Host.storage.get(key);
  return stored === null ? otherwise : JSON.parse(stored);
}

export async function save(key, value) {
  await Host.storage.set(key, JSON.stringify(value));
  Host.ui.toast('Saved');
}
`;

const BACKGROUND = `'use strict';

var LIMIT = 100;

function trimmed(runs) {
  return runs.length > LIMIT ? runs.slice(runs.length - LIMIT) : runs;
}

function onBackgroundEvent(event) {
  if (event.type !== 'schedule') return;
  let runs = JSON.parse(Host.call('storage.get', { key: 'runs' }) || '[]');
  runs = trimmed(runs.concat(event.timestamp));
  Host.call('storage.set', { key: 'runs', value: JSON.stringify(runs) });
}
`;

/** `size`: functions of each screen; 5 make about 50 KB in all. */
export function goodApp(size = 5): Readonly<Record<string, string | Uint8Array>> {
  const files: Record<string, string | Uint8Array> = {
    'manifest.json': `${JSON.stringify(
      {
        ...MANIFEST,
        permissions: ['storage', 'background'],
        background: {
          enabled: true,
          entry: 'background/background.js',
          events: ['schedule'],
          permissions: ['storage'],
        },
      },
      null,
      2,
    )}\n`,
    'index.html': index(),
    'app.js': app(),
    'app.css': 'body {\n  font-family: system-ui, sans-serif;\n  margin: 0;\n}\n',
    'host-sdk.js': SDK,
    'icon.png': png(192),
    'lib/dom.js': DOM,
    'lib/store.js': STORE,
    'background/background.js': BACKGROUND,
  };
  for (const name of SCREENS) {
    files[`screens/${name}.js`] = screen(name, size);
    files[`styles/${name}.css`] = style(name);
    files[`pictures/${name}.png`] = png(64);
  }
  return files;
}

const index = (): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Notes</title>
    <link rel="stylesheet" href="app.css">
${SCREENS.map((name) => `    <link rel="stylesheet" href="styles/${name}.css">`).join('\n')}
    <script src="host-sdk.js"></script>
    <script type="module" src="app.js"></script>
  </head>
  <body>
    <nav>
${SCREENS.map((name) => `      <a href="#${name}"><img src="pictures/${name}.png" alt="${name}"></a>`).join('\n')}
    </nav>
    <main id="root"></main>
  </body>
</html>
`;

const app =
  (): string => `${SCREENS.map((name) => `import { show as ${name}Screen } from './screens/${name}.js';`).join('\n')}

const root = document.getElementById('root');

const screens = new Map([
${SCREENS.map((name) => `  ['${name}', ${name}Screen],`).join('\n')}
]);

async function route() {
  const shown = screens.get(location.hash.slice(1)) ?? todayScreen;
  await shown(root);
}

addEventListener('hashchange', route);
Host.background.schedule('tidy', 3600000);
await route();
`;
