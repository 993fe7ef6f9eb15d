/** Reads the zones of other nameservers and providers. Pure: text in, zones and findings out. */
export { parseCloudflareFile, parseCloudflareJson } from './cloudflare.ts';
export { isDnscontrol, parseDnscontrol } from './dnscontrol.ts';
export { detectKind, examineMaster, isMaster, zoneOfMaster } from './examine.ts';
export { parseGcloud } from './gcloud.ts';
export { type JsonObject, objectOf, objectsOf, parseJson, textOf } from './json.ts';
export { parseKnot } from './knot.ts';
export { isKnotcList, parseKnotcList } from './knotc.ts';
export { parseNamed } from './named.ts';
export { parseNsd } from './nsd.ts';
export { isSplitFolder, parseOctodns, zoneOfFolder, zoneOfOctodns } from './octodns.ts';
export { parsePowerDnsZone } from './powerdns.ts';
export { type Question, questionsOf, type Reason, type ZoneContent } from './questions.ts';
export { compareReplies, type Difference, parseReply, type Reply, recordText } from './replies.ts';
export { parseRoute53 } from './route53.ts';
export {
  type ConfigFile,
  type ConfigFiles,
  type Content,
  type Finding,
  finding,
  LOSSES,
  oneOfEachName,
  type Position,
  type Primary,
  type Severity,
  SOURCE_KINDS,
  type Source,
  type SourceKey,
  type SourceKind,
  type SourceZone,
  zoneNameOf,
} from './source.ts';
