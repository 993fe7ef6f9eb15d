/** Objects of the API. */
import type { RequestOf, ResponseOf } from '../../http/client.ts';
import type { ApiRoute } from '../../routes/routes.ts';

type Id = ApiRoute['operationId'];
type Response<O extends Id> = ResponseOf<Extract<ApiRoute, { readonly operationId: O }>>;
type Body<O extends Id> = RequestOf<Extract<ApiRoute, { readonly operationId: O }>>;

/** The JSON pointers (RFC 6901) of the fields of a body. */
type PointerTo<T> = T extends readonly (infer Item)[]
  ? `/${number}` | `/${number}${PointerTo<Item>}`
  : T extends object
    ? { [K in keyof T & string]: `/${K}` | `/${K}${PointerTo<NonNullable<T[K]>>}` }[keyof T & string]
    : never;

/** JSON pointers of the fields of an operation's request body. */
export type Pointer<O extends Id> = PointerTo<Body<O>>;

export type Domain = Response<'getDomain'>['domain'];
export type ListedDomain = Response<'listDomains'>['domains'][number];
export type Token = Response<'listTokens'>['tokens'][number];
export type TsigKey = Response<'listTsigKeys'>['tsig_keys'][number];
export type Webhook = Response<'listWebhooks'>['webhooks'][number];
export type WebhookDelivery = Response<'listWebhookDeliveries'>['deliveries'][number];
export type OriginsDocument = Response<'getOrigins'>;
export type ErrorPagesDocument = Response<'getErrorPages'>;
export type ErrorPagesBody = Body<'setErrorPages'>;
export type ProtectionDocument = Response<'getProtection'>;
export type ProtectionBody = Body<'setProtection'>;
export type LogsDocument = Response<'getLogs'>;
export type LogsBody = Body<'setLogs'>;
export type LogsNodeState = Response<'getLogsState'>['nodes'][number];
export type OriginsEntryBody = Body<'setOrigins'>['origins'][number];
export type RulesDocument = Response<'getRules'>;
export type DocumentVersion = Response<'listRulesVersions'>['versions'][number];
export type SiteRule = RulesDocument['rules'][number];
export type RuleBody = Body<'setRules'>['rules'][number];
export type RuleCount = Response<'getRuleCounters'>['rules'][number];
export type RuleTemplate = Response<'getRuleTemplates'>['templates'][number];
export type OriginsEntryHealth = Response<'getOriginsHealth'>['entries'][number];
export type OriginState = OriginsEntryHealth['origins'][number];
export type ProxyView = Response<'getProxy'>['proxy'];
export type ExposedRecord = ProxyView['exposed'][number];
export type DnssecView = Response<'getDnssec'>;
export type ForeignKeyView = Response<'listForeignKeys'>['foreign_keys'][number];
export type RecordView = Response<'listRecords'>['records'][number];
export type DomainChange = Response<'listHistory'>['changes'][number];
export type RecordChange = DomainChange['records'][number];
export type CommentChange = DomainChange['comments'][number];
export type ListedCertificate = Response<'listCertificates'>['certificates'][number];
export type AuditEntry = Response<'listAudit'>['entries'][number];
export type Account = Response<'listAccounts'>['accounts'][number];
export type Statistics = Response<'getStatistics'>['statistics'];
export type Node = Response<'listNodes'>['nodes'][number];
export type OwnAccountView = Response<'getOwnAccount'>['account'];
export type Passkey = Response<'listPasskeys'>['passkeys'][number];
export type SessionView = Response<'listSessions'>['sessions'][number];
export type Totp = Response<'getTotp'>['totp'];
export type App = Response<'getApp'>['app'];
export type Upload = Response<'getUpload'>['upload'];
export type UploadBrief = Response<'getApp'>['uploads'][number];
export type Finding = Upload['audit']['findings'][number];
export type Rule = Response<'listRules'>['rules'][number];
export type QueuedUpload = Response<'listReviewQueue'>['uploads'][number];
export type ImportPreview = NonNullable<Response<'importZone'>['preview']>;
export type ImportWarning = NonNullable<Response<'importZone'>['warnings']>[number];
