/// <reference path="../background.d.ts" />
/**
 * Runs without a page when a task is due. The engine is Rhino: no classes, no spread, no async, and
 * no window. Host.call is the only function of the host, and it is synchronous.
 */

var MOST = 50;

/**
 * Reads a JSON list from storage.
 * @param {string} key
 */
function readList(key) {
  return JSON.parse(Host.call('storage.get', { key: key }) || '[]');
}

/**
 * The event does not name its task, so this marks every reminder that is due. A late event may mark
 * several reminders; the events after it then find none. In the simulator, move the clock: "Run
 * now" runs this file before any reminder is due.
 * @param {BackgroundEvent} event
 */
function onBackgroundEvent(event) {
  if (event.type !== 'schedule') return;
  var fired = readList('fired');
  var added = readList('reminders')
    .filter(function (reminder) {
      var isMarked = fired.some(function (entry) {
        return entry.id === reminder.id;
      });
      return !isMarked && reminder.due <= event.timestamp;
    })
    .map(function (reminder) {
      return { id: reminder.id, at: event.timestamp };
    });
  if (added.length === 0) return;
  Host.call('storage.set', { key: 'fired', value: JSON.stringify(added.concat(fired).slice(0, MOST)) });
}
