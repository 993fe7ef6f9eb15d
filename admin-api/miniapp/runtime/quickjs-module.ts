/** QuickJS in WebAssembly. */
import quickjsFile from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSWASMModule } from 'quickjs-emscripten-core';

/** Bytes of a page of WebAssembly memory. */
const PAGE = 64 * 1024;
/** Initial memory of the QuickJS build. */
const INITIAL_PAGES = 256;

/** TypeScript declares WebAssembly only in the browser types. */
const { WebAssembly: wasm } = globalThis as unknown as {
  readonly WebAssembly: { readonly Memory: new (limits: { initial: number; maximum: number }) => never };
};

// The package's types describe its CommonJS form, where the default export is a member.
const variant = quickjsFile as unknown as Parameters<typeof newVariant>[0];

/**
 * `memory`: maximum growth of the memory in bytes. The memory limit of a QuickJS runtime is not
 * enough: in the Emscripten build it counts every allocation as 8 bytes.
 */
export function loadQuickJs(memory: number): Promise<QuickJSWASMModule> {
  const maximum = INITIAL_PAGES + Math.ceil(memory / PAGE);
  const wasmMemory = new wasm.Memory({ initial: INITIAL_PAGES, maximum });
  return newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory }) as typeof variant & { type: 'sync' });
}

export const pagesOf = (quickjs: QuickJSWASMModule): number => quickjs.getWasmMemory().buffer.byteLength / PAGE;
/** Number of pages with half of the growth in use. */
export const halfOf = (memory: number): number => INITIAL_PAGES + Math.ceil(memory / PAGE / 2);
