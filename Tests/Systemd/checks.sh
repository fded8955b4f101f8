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
# Of several units systemctl is content with one.
all() {
    local question=$1 unit
    shift
    for unit; do systemctl --quiet "is-$question" "$unit" || return; done
}
active() { all active "$@"; }
process() { systemctl show tokenbroker.service --property=MainPID --value; }
# By another process than $1, which a manager that has not noticed its end yet still calls active.
again() { [ "$(process)" != "$1" ] && active tokenbroker.service; }
fails() { ! "$@"; }
# The built-in provider, where the configuration of the proofs expects it; tokens of it outlive any proof.
simulator() {
    "$programs/tokenbroker-simulator" --http-port 8480 --secret-key sk_v1_simulated --lifetime 86400 >/dev/null &
    within 20 curl --silent --fail --output /dev/null http://127.0.0.1:8480/control/healthz
}
mints() { curl --silent http://127.0.0.1:8480/control/ai-autocomplete | sed -E 's/.*"mints": *([0-9]+).*/\1/'; }
# Applications that fetch the token `live` at this many requests a second, each time over a new connection, and do not
# wait where the socket's queue is full. What else is given goes to the load generator.
load() {
    local rate=$1
    shift
    minted=$(mints)
    .build/bench/load -s /run/tokenbroker/apps.sock -p /v1/tokens/live -r "$rate" -U "$@" >/tmp/load 2>&1 &
    loader=$!
    sleep 1
}
end_load() {
    kill "$loader"
    check "$1" wait "$loader"
    sed 's/^/        /' /tmp/load
    check "and nothing is minted for it" test "$(mints)" = "$minted"
}
