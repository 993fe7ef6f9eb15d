/**
 * How a script is parsed. `background`: a script of the headless engine, where `Host` is another
 * one; `unknown`: nothing loads it, so what it is shows when it is parsed; `data`: of a type that
 * no browser runs, and maybe no script at all.
 */
export type ScriptKind = 'script' | 'module' | 'handler' | 'background' | 'unknown' | 'data';
