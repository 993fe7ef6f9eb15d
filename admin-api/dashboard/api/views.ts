/** Objects of the API. */
import type { components } from './generated.ts';

export type Domain = components['schemas']['Domain'];
export type RecordView = components['schemas']['Record'];
export type Account = components['schemas']['Account'];
export type Node = components['schemas']['Node'];
export type OwnAccountView = components['schemas']['OwnAccount'];
export type Passkey = components['schemas']['Passkey'];
export type SessionView = components['schemas']['Session'];
export type Totp = components['schemas']['Totp'];
