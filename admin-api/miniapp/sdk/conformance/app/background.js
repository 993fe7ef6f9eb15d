// Stores the event for checks.js.
function onBackgroundEvent(event) {
  var text = JSON.stringify({ type: event.type, timestamp: event.timestamp, appId: event.appId });
  var page = Host.call('storage.get', { key: 'for the background' });
  var missing = Host.call('storage.get', { key: 'never stored' });
  Host.call('storage.set', { key: 'from the background', value: text + '\n' + page + '\n' + missing });
}
