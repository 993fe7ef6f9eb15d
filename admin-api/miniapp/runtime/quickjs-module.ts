/** QuickJS in WebAssembly. */
import quickjsFile from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSWASMModule } from 'quickjs-emscripten-core';

/** Bytes. */
const PAGE = 64 * 1024;
/** With which it is built. */
const INITIAL_PAGES = 256;

/** Of every system; TypeScript has it with the types of browsers. */
const { WebAssembly: wasm } = globalThis as unknown as {
  readonly WebAssembly: { readonly Memory: new (limits: { initial: number; maximum: number }) => never };
};

// The package's types are those of its CommonJS form, where the default is a member.
const variant = quickjsFile as unknown as Parameters<typeof newVariant>[0];

/**
 * `memory`: bytes that its memory may grow by. The limit of a runtime is not enough: what was
 * compiled by Emscripten counts an allocation as 8 bytes, whatever its size.
 */
export function loadQuickJs(memory: number): Promise<QuickJSWASMModule> {
  const maximum = INITIAL_PAGES + Math.ceil(memory / PAGE);
  const wasmMemory = new wasm.Memory({ initial: INITIAL_PAGES, maximum });
  return newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory }) as typeof variant & { type: 'sync' });
}

export const pagesOf = (quickjs: QuickJSWASMModule): number => quickjs.getWasmMemory().buffer.byteLength / PAGE;
/** Pages from which on an event has taken more than half of what there was for it. */
export const halfOf = (memory: number): number => INITIAL_PAGES + Math.ceil(memory / PAGE / 2);
