/** Objects of the API. */
import type { ApiBody, ApiResponse, ApiRoute } from '../../routes/routes.ts';

/** The JSON pointers (RFC 6901) of the fields of a body. */
type PointerTo<T> = T extends readonly (infer Item)[]
  ? `/${number}` | `/${number}${PointerTo<Item>}`
  : T extends object
    ? { [K in keyof T & string]: `/${K}` | `/${K}${PointerTo<NonNullable<T[K]>>}` }[keyof T & string]
    : never;

/** JSON pointers of the fields of an operation's request body. */
export type Pointer<O extends ApiRoute['operationId']> = PointerTo<ApiBody<O>>;

export type Domain = ApiResponse<'getDomain'>['domain'];
export type PresentRecordsView = ApiResponse<'scanDomain'>;
export type ListedDomain = ApiResponse<'listDomains'>['domains'][number];
export type DeletedDomain = ApiResponse<'listDeletedDomains'>['domains'][number];
export type Token = ApiResponse<'listTokens'>['tokens'][number];
export type TsigKey = ApiResponse<'listTsigKeys'>['tsig_keys'][number];
export type Webhook = ApiResponse<'listWebhooks'>['webhooks'][number];
export type WebhookDelivery = ApiResponse<'listWebhookDeliveries'>['deliveries'][number];
export type OriginsDocument = ApiResponse<'getOrigins'>;
export type ErrorPagesDocument = ApiResponse<'getErrorPages'>;
export type ErrorPagesBody = ApiBody<'setErrorPages'>;
export type ProtectionDocument = ApiResponse<'getProtection'>;
export type ProtectionBody = ApiBody<'setProtection'>;
export type LogsDocument = ApiResponse<'getLogs'>;
export type LogsBody = ApiBody<'setLogs'>;
export type LogsNodeState = ApiResponse<'getLogsState'>['nodes'][number];
export type OriginsBody = ApiBody<'setOrigins'>;
export type OriginsEntryBody = OriginsBody['origins'][number];
export type RulesDocument = ApiResponse<'getRules'>;
export type DocumentVersion = ApiResponse<'listRulesVersions'>['versions'][number];
export type SiteRule = RulesDocument['rules'][number];
export type RulesBody = ApiBody<'setRules'>;
export type RuleBody = RulesBody['rules'][number];
export type RuleCount = ApiResponse<'getRuleCounters'>['rules'][number];
export type RuleTemplate = ApiResponse<'getRuleTemplates'>['templates'][number];
export type OriginsEntryHealth = ApiResponse<'getOriginsHealth'>['entries'][number];
export type OriginState = OriginsEntryHealth['origins'][number];
export type ProxyView = ApiResponse<'getProxy'>['proxy'];
export type ExposedRecord = ProxyView['exposed'][number];
export type SteeringDocument = ApiResponse<'getSteering'>;
export type SteeringBody = ApiBody<'setSteering'>;
export type SteeringTest = ApiResponse<'testSteering'>;
export type DnssecView = ApiResponse<'getDnssec'>;
export type ForeignKeyView = ApiResponse<'listForeignKeys'>['foreign_keys'][number];
export type RecordView = ApiResponse<'listRecords'>['records'][number];
export type DomainChange = ApiResponse<'listHistory'>['changes'][number];
export type RecordChange = DomainChange['records'][number];
export type CommentChange = DomainChange['comments'][number];
export type ListedCertificate = ApiResponse<'listCertificates'>['certificates'][number];
export type AuditEntry = ApiResponse<'listAudit'>['entries'][number];
export type Account = ApiResponse<'listAccounts'>['accounts'][number];
export type Overview = ApiResponse<'getOverview'>['overview'];
export type Statistics = ApiResponse<'getStatistics'>['statistics'];
export type Node = ApiResponse<'listNodes'>['nodes'][number];
export type OwnAccountView = ApiResponse<'getOwnAccount'>['account'];
export type Passkey = ApiResponse<'listPasskeys'>['passkeys'][number];
export type SessionView = ApiResponse<'listSessions'>['sessions'][number];
export type Totp = ApiResponse<'getTotp'>['totp'];
export type App = ApiResponse<'getApp'>['app'];
export type Upload = ApiResponse<'getUpload'>['upload'];
export type UploadBrief = ApiResponse<'getApp'>['uploads'][number];
export type Finding = Upload['audit']['findings'][number];
export type Rule = ApiResponse<'listRules'>['rules'][number];
export type QueuedUpload = ApiResponse<'listReviewQueue'>['uploads'][number];
export type ImportPreview = NonNullable<ApiResponse<'importZone'>['preview']>;
export type ImportWarning = NonNullable<ApiResponse<'importZone'>['warnings']>[number];
