'use strict';

runGroups(MESSAGE_CHECKS);
