#!/bin/sh
# Compares the validator with ajv on generated pairs. Usage: ajv_differential.sh <json_verdict> [pairs] [seed]
# ajv is installed once, pinned, into a cache outside of the tree. Exit code 77: no node, npm or network.
set -eu
verdict=$1
pairs=${2:-4000}
seed=${3:-$(date +%s)}
version=8.20.0
cache=${XDG_CACHE_HOME:-$HOME/.cache}/toolpost/ajv-$version

command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 || { echo "no node or npm: skipped"; exit 77; }
if [ ! -f "$cache/node_modules/ajv/package.json" ]; then
  mkdir -p "$cache"
  npm install --silent --no-fund --no-audit --ignore-scripts --prefix "$cache" "ajv@$version" >/dev/null 2>&1 ||
    { echo "ajv $version could not be installed: skipped"; exit 77; }
fi
exec node "$(dirname "$0")/ajv_differential.mjs" "$cache/node_modules/ajv" "$verdict" "$pairs" "$seed"
