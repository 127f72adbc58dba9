#!/bin/sh
# Installs PostgreSQL with pgvector 0.8 or later on Debian and Ubuntu, and makes a database for Combray.
#
#   sudo sh start-on-debian.sh            database and user "combray"
#   sudo sh start-on-debian.sh --exact    without pgvector, which only vectors=hnsw needs
#
# The account that calls sudo, and an account "combray" if there is one, may use the database without a password.
# It can be run again: what is there stays. PGVECTOR_SOURCE names another place of the sources.
set -eu

DATABASE=combray
PGVECTOR=0.8.0
PGVECTOR_SOURCE=${PGVECTOR_SOURCE:-https://deb.debian.org/debian/pool/main/p/pgvector/pgvector_$PGVECTOR.orig.tar.gz}

say() { printf '%s\n' "$*" >&2; }

if [ "$(id -u)" -ne 0 ]; then
    say "This installs packages. Run it as root: sudo sh $0"
    exit 1
fi
if ! command -v apt-get >/dev/null; then
    say "There is no apt-get. On another system install PostgreSQL 14 or later and pgvector 0.8 by its own means."
    exit 1
fi

export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -q -y postgresql
VERSION=$(find /usr/lib/postgresql -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -V | tail -n 1)

if [ "${1:-}" != --exact ] && [ ! -e "/usr/share/postgresql/$VERSION/extension/vector.control" ]; then
    OFFERED=$(apt-cache policy "postgresql-$VERSION-pgvector" | sed -n 's/^ *Candidate: //p')
    if [ -n "$OFFERED" ] && [ "$OFFERED" != "(none)" ] && dpkg --compare-versions "$OFFERED" ge 0.8; then
        apt-get install -q -y "postgresql-$VERSION-pgvector"
    else
        say "The distribution has no pgvector 0.8 (it offers: ${OFFERED:-nothing}). Building it."
        apt-get install -q -y --no-install-recommends ca-certificates curl gcc make "postgresql-server-dev-$VERSION"
        WORK=$(mktemp -d)
        trap 'rm -rf "$WORK"' EXIT
        curl -fsSL "$PGVECTOR_SOURCE" | tar -xz -C "$WORK" --strip-components 1
        # OPTFLAGS: code for any processor, not only for this one. with_llvm: no clang is needed.
        make -C "$WORK" -s OPTFLAGS="" with_llvm=no PG_CONFIG="/usr/lib/postgresql/$VERSION/bin/pg_config"
        make -C "$WORK" -s with_llvm=no PG_CONFIG="/usr/lib/postgresql/$VERSION/bin/pg_config" install
    fi
fi

pg_ctlcluster "$VERSION" main status >/dev/null 2>&1 || pg_ctlcluster "$VERSION" main start
as_postgres() { su postgres -c "PGOPTIONS=-cclient_min_messages=warning psql -X -q -v ON_ERROR_STOP=1 $*"; }
su postgres -c "createuser $DATABASE" 2>/dev/null || say "The user $DATABASE is there already."
su postgres -c "createdb -O $DATABASE $DATABASE" 2>/dev/null || say "The database $DATABASE is there already."
as_postgres "-c 'CREATE ROLE combray_app NOLOGIN'" 2>/dev/null || say "The role combray_app is there already."
as_postgres "-c 'GRANT combray_app TO $DATABASE'"
if [ "${1:-}" != --exact ]; then
    as_postgres "-d $DATABASE -c 'CREATE EXTENSION IF NOT EXISTS vector SCHEMA public'"
fi
# Peer authentication with a map: which accounts of the system are the database's user. The first rule that fits counts.
ACCOUNT=${SUDO_USER:-root}
CONFIGURATION=/etc/postgresql/$VERSION/main
for NAME in "$DATABASE" "$ACCOUNT"; do
    grep -qxF "combray $NAME $DATABASE" "$CONFIGURATION/pg_ident.conf" ||
        printf '%s\n' "combray $NAME $DATABASE" >>"$CONFIGURATION/pg_ident.conf"
done
RULE="local $DATABASE $DATABASE peer map=combray"
grep -qxF "$RULE" "$CONFIGURATION/pg_hba.conf" || sed -i "1i $RULE" "$CONFIGURATION/pg_hba.conf"
pg_ctlcluster "$VERSION" main reload
say "Ready. As $ACCOUNT: combray --db 'postgresql://$DATABASE@/$DATABASE' doctor"
