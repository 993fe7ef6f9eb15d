'use strict';

/** The checks run on another page, which has its own session and the same storage. */
Host.storage.set('first page', 'was here').then(
  () => location.replace('checks.html'),
  (error) => {
    document.getElementById('note').textContent = 'FAIL: storage.set: ' + error.code + ': ' + error.message;
  },
);
