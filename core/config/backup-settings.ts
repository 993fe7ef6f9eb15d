/** Settings of backups. */
import { choice, flag, integer, optionalList, shortText, text, textual } from './kinds.ts';
import { optional, reloadable, setting } from './setting.ts';

/** `https://s3.example.net`, without a path. */
const endpoint = textual(
  'the URL of an S3 endpoint without a path, such as "https://s3.example.net"',
  (value) => {
    if (!/^https?:\/\/[^/?#@\s]+\/?$/.test(value) || !URL.canParse(value)) return undefined;
    return new URL(value).origin;
  },
  String,
);

/** The bucket name rules of S3: lower case letters, digits, dots and hyphens. */
const bucket = textual(
  'the name of a bucket: 3 to 63 lower case letters, digits, dots and hyphens',
  (value) => (/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value) ? value : undefined),
  String,
);

/** The client of S3 signs `!'()*` in another form than the service, so that lists are refused. */
const objectPrefix = textual(
  "text of at most 512 bytes without control characters and !'()*, empty for nothing",
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects them
  (value) => (/^[^\x00-\x1f\x7f!'()*]*$/.test(value) && Buffer.byteLength(value) <= 512 ? value : undefined),
  String,
);

const timeOfDay = textual(
  'a time of day as HH:MM, such as "03:30"',
  (value) => (/^([01]\d|2[0-3]):[0-5]\d$/.test(value) ? value : undefined),
  String,
);

const recipientList = optionalList(
  'a list of recipients of age, such as "age1…"',
  (value) => (/^age1[a-z0-9]{20,4000}$/.test(value) ? [value] : undefined),
  String,
);

export const BACKUP_SETTINGS = {
  ...reloadable({
    folder: optional(
      text('the path of a folder'),
      'none',
      '"/var/backups/waypost"',
      'Folder for backups, best on another machine (a mounted share). Set this or backup.s3_bucket; without both no backups are made.',
    ),
    s3_bucket: optional(
      bucket,
      'none',
      '"waypost-backups"',
      'Bucket of an S3-compatible service for backups, instead of backup.folder.',
    ),
    s3_endpoint: optional(
      endpoint,
      'none',
      '"https://s3.eu-central-1.amazonaws.com"',
      'URL of that service. Use "http" only for a service on this machine: the content of requests is not signed.',
    ),
    s3_region: setting(shortText(64), 'us-east-1', 'Region of the bucket, as its service names it.'),
    s3_prefix: setting(
      objectPrefix,
      '',
      'What the names of all objects start with, such as "waypost/". It keeps the backups of several clusters apart in one bucket.',
    ),
    s3_path_style: setting(
      flag,
      true,
      'Whether the bucket is in the path of URLs (https://endpoint/bucket) or in the host (https://bucket.endpoint).',
    ),
    s3_credentials_file: optional(
      text('the path of a file'),
      'none',
      '"/etc/waypost/s3-credentials"',
      'File with the access key id on its first line and the secret access key on its second, readable only by its owner, or a credential of systemd. It is read for each backup.',
    ),
    s3_timeout: setting(
      integer(1, 3600, 'seconds'),
      120,
      'Timeout of one request to S3, in seconds. Backups are sent and read in parts of 8 MB or more.',
    ),
    interval: setting(
      integer(60, 31_536_000, 'seconds'),
      86_400,
      'Interval between two backups, in seconds. The first is made soon after the start if the last one is older.',
    ),
    at: optional(
      timeOfDay,
      'any time',
      '"03:30"',
      'Time of day (UTC) of the backups, with an interval of days: the first such time after the interval less half a day.',
    ),
    journal_interval: setting(
      integer(0, 86_400, 'seconds'),
      300,
      'Interval at which the changes since the last backup are copied to the same place, in seconds. A restore can then go to any moment between two backups, and loses at most this many seconds. 0 copies none.',
    ),
    keep_last: setting(
      integer(1, 100_000),
      7,
      'Number of the latest backups that are kept. The latest backup is never deleted.',
    ),
    keep_daily: setting(integer(0, 10_000), 14, 'Number of days, counted back, whose last backup is also kept.'),
    keep_weekly: setting(integer(0, 10_000), 8, 'Number of weeks, counted back, whose last backup is also kept.'),
    keep_days: setting(
      integer(0, 36_500, 'days'),
      0,
      'Backups that are older are deleted, whatever the other settings keep, except the latest. 0: no limit.',
    ),
    encryption: setting(
      choice('key', 'recipients', 'none'),
      'key',
      'Encryption of backups with age (age-encryption.org): "key" for the key of secrets.key_file, "recipients" for backup.recipients, or "none". The private keys in a backup are always encrypted with secrets.key_file.',
    ),
    recipients: setting(
      recipientList,
      [],
      'Recipients of age ("age1…") that can decrypt the backups; with backup.encryption = "key" in addition to that key.',
    ),
  } as const),
  every_node: setting(
    flag,
    false,
    'Whether every node of a cluster makes backups, each in a folder of its own, instead of one node for all.',
  ),
} as const;
