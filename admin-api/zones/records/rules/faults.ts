/** Errors of records, shared by single records and zone files. */
import { InvalidError, StateError } from '../../../../core/base/errors.ts';
import { typeName } from '../../../../core/dns/wire/mnemonics.ts';
import { formatName, type Name } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';

const format = (name: Name): string => formatName(name);
const count = (bytes: number): string => bytes.toLocaleString('en-US');

export const cnameAtApex = (): StateError =>
  new StateError(
    'cname_at_apex',
    'A CNAME is not allowed at the apex, which has SOA and NS records (RFC 1034 3.6.2); use ALIAS instead.',
    {
      pointer: '/type',
    },
  );

export const cnameConflict = (name: Name): StateError =>
  new StateError(
    'cname_conflict',
    `A CNAME must be the only record at its name (RFC 2181 10.1); ${format(name)} has other records.`,
    {
      pointer: '/name',
    },
  );

export const aliasConflict = (name: Name): StateError =>
  new StateError(
    'alias_conflict',
    `An ALIAS provides all addresses of its name, so ${format(name)} cannot also have A, AAAA or other ALIAS records.`,
    { pointer: '/name' },
  );

export const dnameConflict = (name: Name): StateError =>
  new StateError(
    'dname_conflict',
    `A name can have only one DNAME, and no CNAME or delegation with it (RFC 6672 2.4); ${format(name)} has such records.`,
    { pointer: '/name' },
  );

export const recordExists = (): StateError =>
  new StateError('record_exists', 'This record already exists.', { pointer: '/content' });

export const steeredSet = (name: Name, type: number): StateError =>
  new StateError(
    'steered',
    `The ${typeName(type)} records of ${format(name)} follow its steering; change that, or delete it and then the records.`,
    { pointer: '/name' },
  );

export const occludedBy = (type: number, at: Name): StateError =>
  new StateError(
    'occluded',
    type === TYPE.DNAME
      ? `This record would never be served: ${format(at)} has a DNAME, which redirects every name below it (RFC 6672 2.4). Delete one of the two.`
      : `This record would never be served: ${format(at)} is delegated to other nameservers. Only addresses (glue) are allowed there.`,
    { pointer: '/name' },
  );

export const inNestedZone = (apex: Name): StateError =>
  new StateError(
    'occluded',
    `This record would never be served: ${format(apex)} is a separate domain on this service. Create the record there.`,
    {
      pointer: '/name',
    },
  );

export const wouldOcclude = (type: number, name: Name, below: Name): StateError =>
  new StateError(
    'occluded',
    `${typeName(type)} records at ${format(name)} would hide the records at ${format(below)}; delete those first.`,
    { pointer: '/name' },
  );

export const targetIsCname = (type: number, target: Name): InvalidError =>
  new InvalidError(
    'target_is_cname',
    `The target ${format(target)} is a CNAME; ${typeName(type)} records must point to a name with addresses (RFC 2181 10.3).`,
    { pointer: '/content' },
  );

export const isTarget = (name: Name, type: number, owner: Name): StateError =>
  new StateError(
    'cname_conflict',
    `${format(name)} cannot be a CNAME: the ${typeName(type)} record of ${format(owner)} points to it (RFC 2181 10.3).`,
    { pointer: '/name' },
  );

export const tooManyTypes = (name: Name, limit: number): InvalidError =>
  new InvalidError(
    'too_many_types',
    `${format(name)} would have records of more than ${limit} types, the limit for one name; spread them over several names.`,
    { pointer: '/type' },
  );

export const nameTooLarge = (name: Name, limit: number): InvalidError =>
  new InvalidError(
    'name_too_large',
    `The records of ${format(name)} would take more than ${count(limit)} bytes, the limit for one name; spread them over several names.`,
    {
      pointer: '/content',
    },
  );

export const rrsetTooLarge = (type: number, name: Name, limit: number): InvalidError =>
  new InvalidError(
    'rrset_too_large',
    `The ${typeName(type)} records of ${format(name)} would take more than ${count(limit)} bytes, the limit for one answer; spread them over several names.`,
    {
      pointer: '/content',
    },
  );

export const recordTooLarge = (type: number, name: Name, limit: number): InvalidError =>
  new InvalidError(
    'invalid_content',
    `The content of the ${typeName(type)} record of ${format(name)} has more than ${count(limit)} bytes, so that no zone transfer can hold it.`,
    { pointer: '/content' },
  );

export const unansweredRRset = (type: number, name: Name): InvalidError =>
  new InvalidError(
    'rrset_too_large',
    `The ${typeName(type)} records of ${format(name)} do not fit into a DNS message, so queries for them get SERVFAIL; transfers contain them.`,
    { pointer: '/content' },
  );
