/** All texts of the dashboard. A translation is another file of this shape. */

const plural = (count: number, singular: string, several: string): string =>
  count === 1 ? `1 ${singular}` : `${count.toLocaleString('en')} ${several}`;

export const TEXTS = {
  title: 'Waypost',
  noScript: 'The dashboard needs JavaScript. The command line can do the same: waypost --help.',
  skipToContent: 'Skip to content',
  pageTitle: (page: string) => `${page} · Waypost`,
  loading: 'Loading',
  retry: 'Try again',
  cancel: 'Cancel',
  close: 'Close',
  reload: 'Reload the page',
  menu: 'Menu',
  copy: 'Copy',
  copied: 'Copied',
  utc: (time: string) => `${time} UTC`,
  signIn: {
    title: 'Sign in',
    login: 'Username or e-mail',
    password: 'Password',
    code: 'Code of your authenticator app',
    codeHint: 'Six digits, or one of your recovery codes.',
    submit: 'Sign in',
    submitting: 'Signing in …',
    help: 'The first start of the service prints the password of the account admin.',
  },
  signOut: 'Sign out',
  signedInAs: (username: string) => `Signed in as ${username}`,
  navigation: { label: 'Main', domains: 'Domains' },
  tabs: {
    label: 'Pages of the domain',
    title: (tab: string, domain: string) => (domain === '' ? tab : `${tab} of ${domain}`),
    records: 'Records',
    setUp: 'Nameservers',
  },
  help: {
    title: 'Keyboard shortcuts',
    open: 'Show this help',
    search: 'Search',
    addDomain: 'Add a domain',
    addRecord: 'Add a record',
  },
  confirm: { type: (word: string) => `Type ${word} to confirm` },
  notFound: {
    title: 'Page not found',
    text: 'There is no page at this address.',
    link: 'Go to your domains',
  },
  domains: {
    title: 'Domains',
    search: 'Search domains',
    searchHint: 'Press / to search',
    add: 'Add a domain',
    domain: 'Domain',
    records: 'Records',
    proxy: 'Proxy',
    updated: 'Last change',
    proxyOn: 'On',
    proxyOff: 'Off',
    empty: 'No domains yet',
    emptyHint: 'Add your first domain. You will see which nameservers to enter at your registrar.',
    noMatch: (text: string) => `No domain contains “${text}”.`,
    clearSearch: 'Show all domains',
    shown: (count: number, more: boolean) =>
      more ? `${plural(count, 'domain', 'domains')} shown, more below` : plural(count, 'domain', 'domains'),
  },
  addDomain: {
    title: 'Add a domain',
    name: 'Domain name',
    nameHint: 'For example example.com, without www.',
    submit: 'Add domain',
    submitting: 'Adding …',
  },
  setUp: {
    heading: 'Enter these nameservers at your registrar',
    explanation:
      'Sign in where you registered the domain, open its nameserver settings, and replace all nameservers by these. ' +
      'It can take up to two days until all resolvers use them.',
    copyAll: 'Copy all',
    next: 'Meanwhile, create the records of the domain. They are served at once.',
    toRecords: 'Go to the records',
  },
  records: {
    filter: 'Filter records',
    filterHint: 'Searches names and values',
    filterExactHint: 'This domain has many records: enter a complete name',
    allTypes: 'All types',
    typeFilter: 'Type of records',
    add: 'Add a record',
    name: 'Name',
    type: 'Type',
    content: 'Value',
    ttl: 'TTL',
    actions: 'Actions',
    edit: 'Edit',
    editRecord: (name: string, type: string) => `Edit ${name} ${type}`,
    remove: 'Delete',
    removeRecord: (name: string, type: string) => `Delete ${name} ${type}`,
    restore: 'Restore',
    restoreRecord: (name: string, type: string) => `Restore ${name} ${type}`,
    done: 'Done',
    copyRecord: (name: string, type: string) => `Copy ${name} ${type} as a line of a zone file`,
    empty: 'No records yet',
    emptyHint: 'Add a record, for example www with the IPv4 address of your server.',
    noMatch: 'No record matches the filter.',
    clearFilter: 'Show all records',
    count: (shown: number, total: number) =>
      shown === total
        ? plural(total, 'record', 'records')
        : `${shown.toLocaleString('en')} of ${plural(total, 'record', 'records')}`,
    apexHint: '@ is the domain itself',
    states: { added: 'New', changed: 'Changed', deleted: 'Deleted', conflict: 'Changed by someone else' },
    ttlAutomatic: 'Automatic',
    ttlSeconds: (seconds: number) => {
      if (seconds % 86_400 === 0) return plural(seconds / 86_400, 'day', 'days');
      if (seconds % 3600 === 0) return plural(seconds / 3600, 'hour', 'hours');
      if (seconds % 60 === 0) return plural(seconds / 60, 'minute', 'minutes');
      return plural(seconds, 'second', 'seconds');
    },
  },
  saving: {
    pending: (count: number) => `${plural(count, 'change', 'changes')} not saved`,
    review: 'Review and save',
    discard: 'Discard',
    title: 'Review the changes',
    explanation: 'All of these changes are made together, or none of them.',
    before: 'Before',
    after: 'After',
    save: (count: number) => `Save ${plural(count, 'change', 'changes')}`,
    saving: 'Saving …',
    saved: (count: number) => `${plural(count, 'change', 'changes')} saved and served.`,
    undo: 'Undo',
    conflict:
      'Someone else has changed records that you changed as well. They are marked. Check them, then save again to keep your version.',
  },
  errors: {
    script: 'This page could not be loaded. The service may have been updated meanwhile, or the connection is lost.',
    unreachable: 'The service does not respond. Check your connection, then try again.',
    unexpected: (status: number) => `The service responded with status ${status}. Try again in a moment.`,
  },
} as const;
