/** The variables of this process without those of Waypost, which are meant for the tests. */
export const inheritedEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('WAYPOST_')));
