/// <reference path="../background.d.ts" />
/**
 * Runs without a page when a task is due. The engine is Rhino: no classes, no spread, no async, and
 * no window. Host.call is all there is, and it returns its result at once.
 */

var MOST = 50;

/**
 * The value of a key, which is a list in JSON.
 * @param {string} key
 */
function readList(key) {
  return JSON.parse(Host.call('storage.get', { key: key }) || '[]');
}

/**
 * The event does not name its task, so every reminder that is due by now is marked. An event may
 * come late, and then stands for several; the events after it find nothing left to mark. In the
 * simulator move the clock: "Run now" runs this file before anything is due.
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
