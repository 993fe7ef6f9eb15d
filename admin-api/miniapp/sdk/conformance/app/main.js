'use strict';

runGroups(OPERATION_CHECKS);
