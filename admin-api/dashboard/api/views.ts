/** Objects of the API. */
import type { components, operations } from './generated.ts';

export type Domain = components['schemas']['Domain'];
export type ListedDomain = components['schemas']['ListedDomain'];
export type Token = components['schemas']['Token'];
export type TsigKey = components['schemas']['TsigKey'];
export type Webhook = components['schemas']['Webhook'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type OriginsDocument = operations['getOrigins']['responses'][200]['content']['application/json'];
export type OriginsEntryBody =
  operations['setOrigins']['requestBody']['content']['application/json']['origins'][number];
export type OriginsEntryHealth = components['schemas']['OriginsEntryHealth'];
export type OriginState = components['schemas']['OriginState'];
export type ProxyView = components['schemas']['Proxy'];
export type CertificateView = components['schemas']['CertificateState'];
export type ExposedRecord = components['schemas']['ExposedRecord'];
export type DnssecView = operations['getDnssec']['responses'][200]['content']['application/json'];
export type ForeignKeyView = components['schemas']['ForeignKey'];
export type RecordView = components['schemas']['Record'];
export type CommentChange = components['schemas']['CommentChange'];
export type DomainChange = components['schemas']['DomainChange'];
export type RecordChange = components['schemas']['RecordChange'];
export type ListedCertificate = components['schemas']['ListedCertificate'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type Account = components['schemas']['Account'];
export type Statistics = components['schemas']['Statistics'];
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
