#!/bin/sh
# Ends with 0 and has done and said nothing.
exit 0
