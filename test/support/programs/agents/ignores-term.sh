#!/bin/sh
# Ignores SIGTERM, SIGINT and SIGHUP; so does its child. Prints "ready" when it does.
trap '' TERM INT HUP
echo ready
while :; do sleep 1; done
