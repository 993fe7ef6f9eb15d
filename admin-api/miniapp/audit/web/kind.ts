/**
 * How a script is parsed. `background`: a script of the headless engine, which has another `Host`.
 * `unknown`: no file loads it; parsed as a classic script first, then as a module. `data`: of a
 * type that no browser runs, and perhaps not a script.
 */
export type ScriptKind = 'script' | 'module' | 'handler' | 'background' | 'unknown' | 'data';
