export { type Acme, type AcmeOptions, createAcme } from './acme.ts';
export { CHALLENGE_PATH, challengeResponse } from './http-challenge.ts';
