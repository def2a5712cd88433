#!/bin/sh
# Prints as fast as it can and never ends.
exec yes "still working"
