/** Objects of the API. */
import type { components } from './generated.ts';

export type Domain = components['schemas']['Domain'];
export type ListedDomain = components['schemas']['ListedDomain'];
export type Token = components['schemas']['Token'];
export type TsigKey = components['schemas']['TsigKey'];
export type RecordView = components['schemas']['Record'];
export type DomainChange = components['schemas']['DomainChange'];
export type RecordChange = components['schemas']['RecordChange'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type Account = components['schemas']['Account'];
export type Node = components['schemas']['Node'];
export type OwnAccountView = components['schemas']['OwnAccount'];
export type Passkey = components['schemas']['Passkey'];
export type SessionView = components['schemas']['Session'];
export type Totp = components['schemas']['Totp'];
export type App = components['schemas']['App'];
export type Upload = components['schemas']['Upload'];
export type UploadBrief = components['schemas']['UploadBrief'];
export type Finding = components['schemas']['Finding'];
export type Rule = components['schemas']['Rule'];
export type QueuedUpload = components['schemas']['QueuedUpload'];
