#!/bin/sh
# Runs a command with secrets from files: each file is named after the setting that it holds. The folder is that of
# systemd's LoadCredential, or /run/secrets, where containers find theirs.
set -eu
folder=${CREDENTIALS_DIRECTORY:-/run/secrets}
for file in "$folder"/SLUICE_* "$folder"/DATABASE_URL; do
  [ -f "$file" ] || continue
  value=$(cat "$file")
  export "${file##*/}=$value"
done
exec "$@"
