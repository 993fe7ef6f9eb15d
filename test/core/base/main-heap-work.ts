/** For main-heap-program.ts and its test: many times a young generation of 6 MB. */
export const ALLOCATED_MB = 256;
