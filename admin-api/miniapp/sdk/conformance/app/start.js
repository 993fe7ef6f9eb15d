'use strict';

/** The checks are on another page, which has a session of its own, and the same storage. */
Host.storage.set('first page', 'was here').then(
  () => location.replace('checks.html'),
  (error) => {
    document.getElementById('note').textContent = 'FAIL: storage.set: ' + error.code + ': ' + error.message;
  },
);
