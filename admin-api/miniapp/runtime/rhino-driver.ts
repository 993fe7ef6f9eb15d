/**
 * The script that runs events in Rhino. Rhino's shell runs it with access to Java, so no JDK is
 * needed. App code must never run within a call of the shell: bound functions without a `this` get
 * the scope of the top call, which would be the shell's. So each step of an event is a separate top
 * call through method handles, on its own thread and in a scope without Java.
 */
import { RHINO_REMOVED } from './names.ts';
import { HANDLER, PRELUDE } from './prelude.ts';

/** Maximum depth of nested calls. */
const DEPTH = 1500;
/** Bytes of a thread's stack: the parser and methods of the engine recurse. */
const STACK = 16 * 1024 * 1024;
/** Instructions between two checks of the deadline. */
const THRESHOLD = 20_000;

export const RHINO_DRIVER = `(function () {
  var R = Packages.org.mozilla.javascript, L = java.lang, text = L.String, base64 = java.util.Base64;
  var input = new java.io.BufferedReader(new java.io.InputStreamReader(L.System['in'], 'US-ASCII'));
  var output = new java.io.PrintStream(L.System.out, true, 'US-ASCII');
  // A thread of an event writes what belongs to the host, and nothing else may.
  L.System.setOut(L.System.err);
  // The same JSON in ASCII: Java replaces halves of surrogate pairs, and U+2028 ends a line.
  function ascii(json) {
    return json.replace(/[^\\x20-\\x7e]/g, function (unit) { return '\\\\u' + ('000' + unit.charCodeAt(0).toString(16)).slice(-4); });
  }
  function send(kind, value) {
    value = ascii(value);
    output.println(kind + ' ' + base64.getEncoder().encodeToString(new text(value).getBytes('UTF-16LE')));
  }
  function receive() {
    var line = input.readLine();
    if (line === null) L.Runtime.getRuntime().halt(0);
    return String(new text(base64.getDecoder().decode(line), 'UTF-16LE'));
  }

  var handles = L.invoke.MethodHandles, lookup = handles.publicLookup(), proxies = L.invoke.MethodHandleProxies;
  function typed(descriptor) {
    descriptor = descriptor.replace(/@/g, 'Lorg/mozilla/javascript/').replace(/#/g, 'Ljava/lang/');
    return L.invoke.MethodType.fromMethodDescriptorString(descriptor, null);
  }
  var deadline = 0;
  /** Whether a function of this script runs, which may see classes of Java. */
  var isInside = false;
  var late = new L.Error('late');
  var throwError = handles.throwException(L.Void.TYPE, L.Error).bindTo(late);
  var shutter = new JavaAdapter(R.ClassShutter, { visibleToScripts: function () { return isInside; } });
  var factory = new JavaAdapter(R.ContextFactory, {
    onContextCreated: function (context) {
      context.setLanguageVersion(200);
      context.setOptimizationLevel(-1);
      context.setMaximumInterpreterStackDepth(${DEPTH});
      context.setInstructionObserverThreshold(${THRESHOLD});
      context.setClassShutter(shutter);
    },
    observeInstructionCount: function (context) {
      // The instructions of this function are counted as well. So it must not be observed until its
      // last instruction; and nothing after a throw is, which the host ends then.
      context.setInstructionObserverThreshold(2147483647);
      var wasInside = isInside;
      isInside = true;
      var isLate = deadline !== 0 && L.System.currentTimeMillis() > deadline;
      isInside = wasInside;
      if (isLate) throwError.invokeWithArguments([]);
      context.setInstructionObserverThreshold(${THRESHOLD});
    }
  });
  var call = lookup.findVirtual(R.ContextFactory, 'call', typed('(@ContextAction;)#Object;')).bindTo(factory);
  var evaluate = lookup.findVirtual(R.Context, 'evaluateString', typed('(@Scriptable;#String;#String;I#Object;)#Object;'));
  var returned = handles.identity(L.Object).asType(typed('(#Throwable;)#Object;'));

  /** Returns what the script gives, or the Throwable. */
  function run(scope, source, path) {
    var step = handles.insertArguments(evaluate, 1, [scope, source, path, new L.Integer(1), null]);
    var action = proxies.asInterfaceInstance(R.ContextAction, handles.catchException(step, L.Throwable, returned));
    var task = new java.util.concurrent.FutureTask(proxies.asInterfaceInstance(java.util.concurrent.Callable, call.bindTo(action)));
    var thread = new L.Thread(null, task, 'event', ${STACK});
    thread.setDaemon(true);
    isInside = false;
    thread.start();
    try { return task.get(); } finally { isInside = true; }
  }

  var request = new JavaAdapter(R.BaseFunction, {
    call: function (context, scope, self, args) {
      isInside = true;
      try {
        if (args.length === 0) return '';
        send('call', String(args[0]));
        return receive();
      } finally { isInside = false; }
    }
  });
  // Its classes are looked up once, before a thread that may see none.
  request();
  isInside = true;

  var keys = 0;
  /** An expression that gives the value, once. Its key cannot be guessed. */
  function hand(scope, value) {
    var key = 'waypost ' + java.util.UUID.randomUUID() + ' ' + (++keys);
    R.ScriptableObject.putProperty(scope, key, value);
    return '(function (o, k) { var v = o[k]; delete o[k]; return v; })(this, ' + JSON.stringify(key) + ')';
  }

  function report(scope, describe, thrown) {
    var kind = 'threw', message, stack = null;
    if (thrown.equals(late)) kind = 'timeout';
    else if (thrown instanceof L.OutOfMemoryError) kind = 'memory';
    else if (thrown instanceof L.StackOverflowError) kind = 'stack';
    else if (thrown instanceof R.JavaScriptException) {
      var described = run(scope, hand(scope, describe) + '(' + hand(scope, thrown.getValue()) + ')', 'host');
      return described instanceof L.Throwable ? report(scope, describe, described) : String(described);
    } else if (thrown instanceof R.RhinoException) {
      message = String(thrown.details());
      if (message.indexOf('Exceeded maximum stack') === 0) kind = 'stack';
      if (thrown instanceof R.EvaluatorException) message = (kind === 'stack' ? 'InternalError: ' : 'SyntaxError: ') + message;
      stack = String(thrown.getScriptStackTrace());
    } else message = String(thrown.getClass().getName());
    return JSON.stringify({ kind: kind, message: message || String(thrown.getClass().getSimpleName()), stack: stack });
  }

  function deliver(event) {
    deadline = 0;
    var scope = R.Context.getCurrentContext().initSafeStandardObjects(null, false);
    R.ScriptRuntime.setObjectProtoAndParent(request, scope);
    var controls = run(scope, ${JSON.stringify(PRELUDE)} + '(this, ' + hand(scope, request) + ', ' + ${JSON.stringify(JSON.stringify(RHINO_REMOVED))} + ')', 'host');
    if (controls instanceof L.Throwable) return report(scope, null, controls);
    var describe = controls.describe, start = controls.run, outcome = controls.outcome;
    deadline = L.System.currentTimeMillis() + event.time;
    var result = run(scope, event.text, event.path);
    if (result instanceof L.Throwable) return report(scope, describe, result);
    result = run(scope, hand(scope, start) + '(' + ${JSON.stringify(HANDLER)} + ', ' + ascii(JSON.stringify(event.event)) + ');', 'host');
    if (result instanceof L.Throwable) return report(scope, describe, result);
    result = run(scope, hand(scope, outcome) + '()', 'host');
    return result instanceof L.Throwable ? report(scope, describe, result) : String(result);
  }

  send('ready', String(R.Context.getCurrentContext().getImplementationVersion()));
  for (;;) send('done', deliver(JSON.parse(receive())));
})();
`;
