/** host-sdk.d.ts and background.d.ts: good uses compile, and wrong ones do not. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ts } from '@ts-morph/common';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ERROR_CODES } from '../../../../admin-api/miniapp/bridge/errors.ts';
import { OPERATIONS } from '../../../../admin-api/miniapp/bridge/operations.ts';

const test = suite('admin-api/miniapp/sdk/types');

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const SDK = join(ROOT, 'admin-api/miniapp/sdk');
/** The library of the language: in the package of the compiler for this system. */
const COMPILERS = join(ROOT, 'node_modules/@typescript');
const LIBRARY = join(COMPILERS, readdirSync(COMPILERS)[0], 'lib');

const PAGE = `
export async function use(image: { src: string }): Promise<string> {
  const value: string = (await Host.storage.get('a')) ?? '';
  await Host.storage.set('a', JSON.stringify({ value }));
  await Host.ui.toast('Saved');
  await Host.ui.vibrate(200);
  image.src = 'data:image/jpeg;base64,' + (await Host.camera.takePhoto());
  const { model, osVersion, batteryLevel } = await Host.device.info();
  const half: number = batteryLevel / 2;
  const { ok, body, headers, encoding } = await Host.network.fetch('https://a.example', { method: 'HEAD' });
  await Host.background.schedule('a', 1000);
  try {
    await Host.network.fetch('https://a.example');
  } catch (error) {
    const { code, operation } = error as HostError;
    if (code === 'network_error') return operation;
    const other: HostErrorCode = code;
    return other;
  }
  return [model, osVersion, half, ok && body, headers['content-type'], encoding === 'base64'].join();
}
`;

/** Each is an error where it stands. */
const WRONG_IN_PAGES: readonly string[] = [
  'const value: string = await Host.storage.get("a");',
  'Host.storage.get(1);',
  'Host.storage.set("a");',
  'Host.storage.set("a", { b: 1 });',
  'Host.storage.remove("a");',
  'Host.storage = Host.storage;',
  'Host.ui.toast();',
  'Host.ui.vibrate("200");',
  'Host.camera.takePhoto("back");',
  '(await Host.device.info()).batteryLevel = 100;',
  '(await Host.device.info()).serial;',
  'Host.network.fetch("https://a.example", { method: "POST" });',
  'Host.network.fetch("https://a.example", { headers: {} });',
  '(await Host.network.fetch("https://a.example")).json();',
  'Host.background.schedule("a");',
  'Host.call("storage.get", { key: "a" });',
  'const code: HostErrorCode = "not_found";',
  'new HostError("a");',
  'window.HostBridge;',
];

const BACKGROUND = `
function onBackgroundEvent(event: BackgroundEvent): void {
  const count: number = Number(Host.call('storage.get', { key: 'count' }) ?? 0);
  Host.call('storage.set', { key: 'count', value: String(count + event.timestamp) });
  const text: 'schedule' = event.type;
  event.appId.concat(text);
}
const handler: BackgroundEventHandler = onBackgroundEvent;
`;

const WRONG_IN_BACKGROUND: readonly string[] = [
  'const value: string = Host.call("storage.get", { key: "a" });',
  'Host.call("storage.get");',
  'Host.call("storage.get", { key: 1 });',
  'Host.call("storage.set", { key: "a" });',
  'Host.call("camera.takePhoto", {});',
  'Host.storage.get("a");',
  'function late(event: BackgroundEvent) { event.type = "schedule"; }',
  'setTimeout(() => {}, 1);',
];

const withErrors = (statements: readonly string[]): string =>
  statements.map((statement) => `{\n// @ts-expect-error\n${statement}\n}`).join('\n');

const libraries = new Map<string, ts.SourceFile>();
const readLibrary = (path: string): ts.SourceFile | undefined => {
  const text = ts.sys.readFile(path);
  return text === undefined ? undefined : ts.createSourceFile(path, text, ts.ScriptTarget.ES2022);
};

function faultsOf(types: string, source: string): string[] {
  const files = new Map([
    ['app.ts', source],
    ['sdk.ts', readFileSync(join(SDK, types), 'utf8')],
  ]);
  const options = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts'],
    types: [],
  };
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost(options),
    getDefaultLibLocation: () => LIBRARY,
    getSourceFile(path, target) {
      const text = files.get(path);
      if (text !== undefined) return ts.createSourceFile(path, text, target);
      const library = libraries.get(path) ?? readLibrary(path);
      if (library !== undefined) libraries.set(path, library);
      return library;
    },
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const line = file?.text.slice(0, start).split('\n').length;
    return `${file?.fileName}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}

test('pages: good uses compile, each wrong one is an error', () => {
  const wrong = `async () => {\n${withErrors(WRONG_IN_PAGES)}\n};`;
  assert.equal(faultsOf('host-sdk.d.ts', `${PAGE}${wrong}`), []);
});

test('background: good uses compile, each wrong one is an error', () => {
  assert.equal(faultsOf('background.d.ts', `${BACKGROUND}${withErrors(WRONG_IN_BACKGROUND)}`), []);
});

test('the types have each operation with an example, and each code', () => {
  const text = readFileSync(join(SDK, 'host-sdk.d.ts'), 'utf8');
  for (const name of OPERATIONS.keys()) assert.ok(text.includes(`await Host.${name}(`), name);
  const codes = text.slice(text.indexOf('type HostErrorCode')).match(/(?<=^ {2}\| ')\w+/gm);
  assert.equal(codes, [...ERROR_CODES]);
});

test.run();
