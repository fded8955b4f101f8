# Makes the engine's table from lines of MEASURE NUMBER, tab-separated. Figures are medians over the rounds; what must
# never happen, and what must always be the same, is the worst of them.

BEGIN { FS = "\t" }

{ values[$1, ++count[$1]] = $2 }

function sorted(name, list,    i, j, held) {
    for (i = 1; i <= count[name]; i++) {
        held = values[name, i] + 0
        for (j = i - 1; j > 0 && list[j] > held; j--) list[j + 1] = list[j]
        list[j + 1] = held
    }
}

function median(name,    list, n) {
    sorted(name, list)
    n = count[name]
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

function most(name,    list) {
    sorted(name, list)
    return list[count[name]]
}

function row(what, text, value, limit, goal) {
    printf "| %s | %s | %s | %s |\n", what, text, goal, value <= limit ? "ok" : "**missed**"
}

function fact(what, text) { printf "| %s | %s | | |\n", what, text }

# Of a figure in KiB.
function megabytes(name) { return median(name) * 1024 / 1e6 }

# The median of what each round's figure is to the one that it is measured beside.
function ratio(name, to,    i) {
    count["ratio"] = 0
    for (i = 1; i <= count[name]; i++) values["ratio", ++count["ratio"]] = values[name, i] / values[to, i]
    return median("ratio")
}

END {
    print "| what | measured | goal | |\n|---|--:|--:|---|"
    row(callers " callers of one cold token: mints", most("burst_mints"), most("burst_mints"), 1, "exactly 1")
    row("… callers that got no token", most("burst_errors"), most("burst_errors"), 0, "0")
    fact("… last answer after the provider's", sprintf("%.0f ms", median("burst_overhead")))
    fact("p99 of a cached token at " rate " requests a second, quiet", sprintf("%.0f µs", median("p99_quiet")))
    busy = ratio("p99_busy", "p99_quiet")
    row("… while a provider hangs and " sprintf("%.0f", median("refreshes")) " tokens refresh a second", \
        sprintf("%.0f µs, %.2f×", median("p99_busy"), busy), busy, 1.5, "1.5×")
    fact("… while another broker on the same cores does that", \
        sprintf("%.0f µs, %.2f×", median("p99_other"), ratio("p99_other", "p99_quiet")))
    row("… errors", most("p99_errors"), most("p99_errors"), 0, "0")
    row("memory of a cached token of " few ", beside its text", sprintf("%d B", median("memory_few")), \
        median("memory_few"), 1024, "1024 B")
    row("… of " many, sprintf("%d B", median("memory_many")), median("memory_many"), 1024, "1024 B")
    row("restart with " many " tokens in the store", sprintf("%.0f ms", median("restart")), median("restart"), 1000, \
        "1000 ms")
    row("memory of an idle broker", sprintf("%.1f MB, %.1f of it not of files", megabytes("idle_memory"), \
        megabytes("idle_own_memory")), megabytes("idle_memory"), 25, "25 MB")
    row("start to ready", sprintf("%.1f ms", median("start")), median("start"), 50, "50 ms")
    verified = ratio("assertions", "ecdsa")
    # The one figure that is better when it is greater.
    row("assertions of devices verified a second, on one core", sprintf("%.0f", median("assertions")) \
        sprintf(", %.2f× of `openssl speed`", verified), -verified, -0.8, "0.8×")
    print "\nMemory and restart are of end users' tokens, measured on the engine and the store in a process of their"
    print "own, without the socket. The idle broker has a store, four accounts and one token; it is ready when `/readyz`"
    print "says so. What other processes do on these cores is part of every number."
}
