#!/bin/sh
# Prints the prompt as it came, with the marker the prompt speaks of, and does nothing.
cat
