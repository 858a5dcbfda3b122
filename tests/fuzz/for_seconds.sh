#!/bin/sh
# Runs a fuzz target for TOOLPOST_FUZZ_SECONDS seconds (10) from the seed TOOLPOST_FUZZ_SEED (1).
#
#   for_seconds.sh TARGET [OPTION|FOLDER ...]
exec "$@" -max_total_time="${TOOLPOST_FUZZ_SECONDS:-10}" -seed="${TOOLPOST_FUZZ_SEED:-1}"
