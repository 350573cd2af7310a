# Starts a PostgreSQL in a folder, says so, and takes both away when its standard input ends: whatever happens to the
# program that owns it (an error, a panic, Ctrl-C, SIGKILL), the pipe closes and nothing is left behind.
#
#   sh -c "$this" supervise DIR BIN [PORT]
#
# DIR: an empty folder of the caller's, removed at the end. BIN: the folder of initdb and postgres. PORT: of 127.0.0.1, for drivers
# that know no sockets.
# Standard output: one line `ready`, or what went wrong.

set -u
umask 022
dir=$1
bin=$2
port=${3:-}
programs=$bin
name=nobody

# Becomes the program. PostgreSQL refuses to run as root; root lends it the user that owns nothing.
become() {
    if [ "$(id -u)" = 0 ]; then
        exec setpriv --reuid="$name" --regid="$(id -g "$name")" --clear-groups -- \
            env HOME="$dir" LD_LIBRARY_PATH="$programs/../lib" "$@"
    else
        exec env LD_LIBRARY_PATH="$programs/../lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$@"
    fi
}
as_owner() { (become "$@"); }

postmaster=
cleanup() {
    trap '' HUP INT TERM
    if [ -n "$postmaster" ]; then
        kill -QUIT "$postmaster" 2>/dev/null
        wait "$postmaster"
    fi
    rm -rf -- "$dir"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

give_up() {
    echo "$1"
    tail -n 15 "$dir/log" 2>/dev/null
    exit 1
}

cd "$dir" || exit 1
mkdir -m 0700 data socket
: >log
if [ "$(id -u)" = 0 ]; then
    command -v setpriv >/dev/null || give_up "setpriv (util-linux) is missing, and PostgreSQL refuses to run as root"
    id -u "$name" >/dev/null 2>&1 || give_up "there is no user $name, and PostgreSQL refuses to run as root"
    chown "$name" data socket log
    # The programs may lie where that user cannot go, such as a checkout under /root.
    if ! as_owner "$programs/postgres" --version >/dev/null 2>&1; then
        mkdir programs
        cp -al "$bin/.." programs/prefix 2>/dev/null || { rm -rf programs/prefix && cp -a "$bin/.." programs/prefix; }
        # What a Python wheel keeps beside its package.
        for libraries in "$bin"/../../../*.libs; do
            [ -d "$libraries" ] && cp -a "$libraries/." programs/prefix/lib/
        done
        programs=$dir/programs/prefix/bin
    fi
fi
as_owner "$programs/postgres" --version >log 2>&1 || give_up "$bin/postgres does not run"

as_owner "$programs/initdb" -D "$dir/data" -U postgres --auth=trust --encoding=UTF8 --locale=C --no-sync \
    --no-instructions >log 2>&1 || give_up "initdb failed"

# Nothing listens on the network unless a port was asked for, and nobody but the owner (and root) can open the socket. What is in here need not outlive
# a power failure.
cat >>data/postgresql.conf <<CONF
listen_addresses = '${port:+127.0.0.1}'
port = ${port:-5432}
unix_socket_directories = '$dir/socket'
unix_socket_permissions = 0700
fsync = off
full_page_writes = off
synchronous_commit = off
shared_buffers = 32MB
max_connections = 60
CONF

# A child of this shell, not of pg_ctl's making: it is waited for, so that not even a zombie stays.
become "$programs/postgres" -D "$dir/data" >log 2>&1 </dev/null &
postmaster=$!
tries=0
until grep -q '^ready' data/postmaster.pid 2>/dev/null; do
    tries=$((tries + 1))
    kill -0 "$postmaster" 2>/dev/null && [ $tries -lt 1200 ] || give_up "the server did not start"
    sleep 0.05
done

echo ready
cat >/dev/null
