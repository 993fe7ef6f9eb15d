/**
 * fast-check with the seed of this process, so that a run with the same seed generates the same
 * cases.
 */
import fc from 'fast-check';
import { SEED } from './seed.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });

export default fc;
