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
 * The event does not name its task, so what is due is looked up in storage. A task that the
 * simulator runs early stands for the next reminder.
 * @param {BackgroundEvent} event
 */
function onBackgroundEvent(event) {
  if (event.type !== 'schedule') return;
  var fired = readList('fired');
  var pending = readList('reminders').filter(function (reminder) {
    return !fired.some(function (entry) {
      return entry.id === reminder.id;
    });
  });
  pending.sort(function (a, b) {
    return a.due - b.due;
  });
  var added = pending
    .filter(function (reminder, index) {
      return index === 0 || reminder.due <= event.timestamp;
    })
    .map(function (reminder) {
      return { id: reminder.id, at: event.timestamp };
    });
  Host.call('storage.set', { key: 'fired', value: JSON.stringify(added.concat(fired).slice(0, MOST)) });
}
