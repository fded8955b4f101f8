# What the proofs have in common; read by them, with the repository as the current directory.
# shellcheck shell=bash
failures=0

# Runs a command and says whether it did as it should.
check() {
    local what=$1
    shift
    if "$@" >/tmp/output 2>&1; then
        echo "    ok: $what"
    else
        echo "    FAILED: $what"
        sed 's/^/        /' /tmp/output
        failures=$((failures + 1))
    fi
}
# A unit, its property and the value.
shows() { [ "$(systemctl show "$1" --property="$2" --value)" = "$3" ]; }
mode() { [ "$(stat -c '%a %U %G' "$1")" = "$2" ]; }
within() {
    local seconds=$1
    shift
    for _ in $(seq $((seconds * 10))); do
        "$@" && return
        sleep 0.1
    done
    "$@"
}
fails() { ! "$@"; }
load() {
    python3 Tests/Systemd/load.py /run/tokenbroker/apps.sock >/tmp/load 2>&1 &
    loader=$!
    sleep 1
}
end_load() {
    kill "$loader"
    check "$1" wait "$loader"
    sed 's/^/        /' /tmp/load
}
