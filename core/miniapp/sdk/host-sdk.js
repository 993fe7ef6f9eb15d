/*! host-sdk 1.0.0 */
(function () {
  'use strict';
  var stored = new Map();
  var later = function (value) {
    return new Promise(function (resolve) {
      setTimeout(function () {
        resolve(value);
      }, 0);
    });
  };
  window.Host = Object.freeze({
    storage: Object.freeze({
      get: function (key) {
        return later(stored.has(key) ? stored.get(key) : null);
      },
      set: function (key, value) {
        return later(void stored.set(key, value));
      },
    }),
  });
})();
