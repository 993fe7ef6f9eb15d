/** What `--engine rhino` says when something is not installed. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findRhino, NoRhinoError } from '../../../../admin-api/miniapp/runtime/rhino-installation.ts';
import { temporaryFolder } from '../../../support/temp.ts';

test('what is missing, and what to install', () => {
  const empty = temporaryFolder('no-java');
  const install = /apt install default-jre-headless librhino-java/;
  for (const [env, jars, missing] of [
    [{ PATH: empty }, ['/'], /"java"/],
    [{}, ['/'], /"java"/],
    [{ PATH: '/bin:/usr/bin', JAVA_HOME: empty }, [`${empty}/js.jar`], /js\.jar|"java"/],
  ] as const)
    try {
      findRhino(env, jars);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, NoRhinoError);
      assert.match((error as Error).message, missing);
      assert.match((error as Error).message, install);
    }
});

test.run();
