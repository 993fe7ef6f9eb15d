/** Finds the installed Java and Rhino. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface RhinoInstallation {
  /** Path of the executable. */
  readonly java: string;
  readonly jar: string;
}

/** Paths in librhino-java of Debian, and in other distributions. */
const JARS = ['/usr/share/java/js.jar', '/usr/share/java/rhino.jar', '/usr/share/java/rhino/rhino.jar'];

/** Reports the missing program and how to install it. */
export class NoRhinoError extends Error {
  constructor(missing: string) {
    super(`${missing} On Debian and Ubuntu: apt install default-jre-headless librhino-java`);
    this.name = 'NoRhinoError';
  }
}

/** Throws NoRhinoError. */
export function findRhino(env: NodeJS.ProcessEnv = process.env, jars: readonly string[] = JARS): RhinoInstallation {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  if (env.JAVA_HOME) folders.unshift(join(env.JAVA_HOME, 'bin'));
  const java = folders.map((folder) => join(folder, 'java')).find((path) => existsSync(path));
  if (java === undefined) throw new NoRhinoError('--engine rhino needs Java, and there is no program "java" in PATH.');
  const jar = jars.find((path) => existsSync(path));
  if (jar === undefined) throw new NoRhinoError(`--engine rhino needs Rhino; none of ${jars.join(', ')} exists.`);
  return { java, jar };
}
