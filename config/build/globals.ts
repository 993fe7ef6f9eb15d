/**
 * What the bundle takes in the place of global names that are getters, through which optimised code
 * calls each time they are named (see config/build/bundle.ts).
 */
export { Buffer } from 'node:buffer';
export { performance } from 'node:perf_hooks';
