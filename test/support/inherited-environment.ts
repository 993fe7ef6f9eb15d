/** The environment of this process without WAYPOST_* variables, which are settings of the tests. */
export const inheritedEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('WAYPOST_')));
