#!/bin/sh
# The command line of Waypost, with the configuration and the data of the service.
: "${WAYPOST_CONFIG:=/etc/waypost/waypost.toml}"
: "${WAYPOST_DATA_DIR:=/var/lib/waypost}"
export WAYPOST_CONFIG WAYPOST_DATA_DIR
exec /usr/lib/waypost/bin/node /usr/lib/waypost/dist/main.js "$@"
