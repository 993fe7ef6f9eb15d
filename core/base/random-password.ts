import { randomBytes } from 'node:crypto';

/** 120 bits: 20 characters of the base64url alphabet. */
export const randomPassword = (): string => randomBytes(15).toString('base64url');
