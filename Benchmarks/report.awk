# Makes the tables from lines of KIND ROW ROUND SERVER CPU RATE P50 P99 ERRORS, tab-separated.
#
# Figures are medians over the rounds. Ratios are made within each round, whose runs are seconds apart, and then their
# median is taken: a single figure moves by a third between minutes, a ratio hardly.

BEGIN { FS = "\t" }

{
    if (!($2 in known)) { known[$2] = 1; rows[++row_count] = $2 }
    if ($3 > rounds) rounds = $3
    cpu[$1, $2, $3, $4] = $5
    rate[$1, $2, $3, $4] = $6
    p50[$1, $2, $3, $4] = $7
    p99[$1, $2, $3, $4] = $8
    errors[$4] += $9
}

function median(list, n,    i, j, held) {
    for (i = 2; i <= n; i++) {
        held = list[i]
        for (j = i - 1; j > 0 && list[j] > held; j--) list[j + 1] = list[j]
        list[j + 1] = held
    }
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

function middle(table, kind, row, server,    i, list) {
    for (i = 1; i <= rounds; i++) list[i] = table[kind, row, i, server]
    return median(list, rounds)
}

# Leaves the least and the greatest in `least` and `greatest`.
function ratio(table, kind, row, other,    i, list, result) {
    for (i = 1; i <= rounds; i++) list[i] = table[kind, row, i, "broker"] / table[kind, row, i, other]
    result = median(list, rounds)
    least = list[1]
    greatest = list[rounds]
    return result
}

function verdict(value, limit, isStrict) {
    return sprintf("%.2f %s", value, (isStrict ? value < limit : value <= limit) ? "ok" : "**missed**")
}

END {
    print "Server CPU, µs a request (goals: broker/nginx at most 0.80 on keep-alive and 1.00 with new connections;"
    print "broker/Redis below 1):\n"
    print "| connections | broker | nginx | Redis | broker/nginx | goal | broker/Redis | goal |"
    print "|---|--:|--:|--:|--:|--:|--:|--:|"
    for (i = 1; i <= row_count; i++) {
        row = rows[i]
        limit = row ~ /^keep-alive/ ? 0.8 : 1
        printf "| %s | %.2f | %.2f | %.2f |", row, middle(cpu, "full", row, "broker"), \
            middle(cpu, "full", row, "nginx"), middle(cpu, "full", row, "redis")
        printf " %s | %.2f |", verdict(ratio(cpu, "full", row, "nginx"), limit, 0), limit
        printf " %s | < 1 |\n", verdict(ratio(cpu, "full", row, "redis"), 1, 1)
    }
    print "\nRequests a second, as many as are answered, and latency at that load (µs, p50 / p99):\n"
    print "| connections | broker | nginx | Redis | broker | nginx | Redis |"
    print "|---|--:|--:|--:|--:|--:|--:|"
    for (i = 1; i <= row_count; i++) {
        row = rows[i]
        printf "| %s |", row
        split("broker nginx redis", names, " ")
        for (n = 1; n <= 3; n++) printf " %d |", middle(rate, "full", row, names[n])
        for (n = 1; n <= 3; n++)
            printf " %.0f / %.0f |", middle(p50, "full", row, names[n]), middle(p99, "full", row, names[n])
        print ""
    }
    print "\nLatency at a fixed rate, 30 % of what the slowest of the three managed (µs, p50 / p99; goal: p99 no worse than"
    print "nginx's beyond noise; the range is that of the rounds):\n"
    print "| connections | a second | broker | nginx | Redis | p99 broker/nginx | range |"
    print "|---|--:|--:|--:|--:|--:|--:|"
    for (i = 1; i <= row_count; i++) {
        row = rows[i]
        printf "| %s | %d |", row, middle(rate, "paced", row, "broker")
        for (n = 1; n <= 3; n++)
            printf " %.0f / %.0f |", middle(p50, "paced", row, names[n]), middle(p99, "paced", row, names[n])
        value = ratio(p99, "paced", row, "nginx")
        # What one round can do by chance is no finding: it is missed when every round says so.
        printf " %.2f %s | %.2f–%.2f |\n", value, (least > 1 ? "**worse**" : "ok"), least, greatest
    }
    printf "\nErrors: broker %d, nginx %d, Redis %d.\n", errors["broker"], errors["nginx"], errors["redis"]
}
