import Testing

@testable import Serving

@Suite("Metrics text")
struct MetricsTextTests {
    @Test("is a declaration and its samples for each family, and an end")
    func families() {
        var text = MetricsText()
        text.family("x_seconds", .gauge, unit: "seconds", "A \"b\"\\\nc.")
        text.sample(["b": "1", "a": "2"], MetricValue(nanoseconds: 1_500_000_000))
        text.family("y", .counter, "Y.")
        text.sample(MetricValue(7))
        text.family("z", .info, "Z.")
        text.sample(["v": "1"], MetricValue(1))
        #expect(
            String(decoding: text.document, as: UTF8.self) == """
                # TYPE x_seconds gauge
                # UNIT x_seconds seconds
                # HELP x_seconds A \\"b\\"\\\\\\nc.
                x_seconds{b="1",a="2"} 1.5
                # TYPE y counter
                # HELP y Y.
                y_total 7
                # TYPE z info
                # HELP z Z.
                z_info{v="1"} 1
                # EOF

                """
        )
    }

    @Test(
        "a label's value is written so that it reads back as it was",
        arguments: ["", "web", "a\"b", "a\\", "\\n", "line\nfeed", "é\u{1F511}", "\"\\\n"]
    )
    func escaping(value: String) throws {
        var text = MetricsText()
        text.family("x", .gauge, "X.")
        text.sample(["a": value], MetricValue(1))
        let exposition = try Exposition(String(decoding: text.document, as: UTF8.self))
        #expect(exposition.samples.map(\.labels) == [["a": value]])
    }

    @Test("the buckets of a histogram are cumulative, and the last has all")
    func histogram() throws {
        var histogram = LatencyHistogram()
        histogram.add(immediate: 2)
        histogram.add(nanoseconds: 1_000_000)
        histogram.add(nanoseconds: 1_000_001)
        histogram.add(nanoseconds: 400_000_000_000)
        var text = MetricsText()
        text.family("x_seconds", .histogram, unit: "seconds", "X.")
        text.sample(["a": "b"], histogram)
        let exposition = try Exposition(String(decoding: text.document, as: UTF8.self))
        let buckets = exposition.samples.filter { $0.name == "x_seconds_bucket" }
        #expect(buckets.compactMap { $0.labels["le"] } == LatencyHistogram.bounds.map(\.label))
        #expect(buckets.map(\.value).prefix(3) == ["3", "4", "4"])
        #expect(buckets.suffix(2).map(\.value) == ["4", "5"])
        #expect(exposition.value("x_seconds_count", ["a": "b"]) == "5")
        #expect(exposition.value("x_seconds_sum", ["a": "b"]) == "400.002000001")
    }

    @Test("a time that went backwards takes nothing off the sum")
    func negativeTime() {
        var histogram = LatencyHistogram()
        histogram.add(nanoseconds: -5)
        #expect(histogram.buckets[0] == 1)
        #expect(histogram.nanoseconds == 0)
    }

    @Test("bounds rise, and their labels are their seconds")
    func bounds() {
        for bound in LatencyHistogram.bounds.dropLast() {
            #expect(Double(bound.label) == Double(bound.nanoseconds) / 1_000_000_000)
        }
        let numbers = LatencyHistogram.bounds.map(\.nanoseconds)
        #expect(numbers == numbers.sorted())
        #expect(LatencyHistogram.bounds.last?.label == "+Inf")
    }

    @Test(
        "numbers are exact",
        arguments: [
            (0, "0"), (1, "0.000000001"), (-1, "-0.000000001"), (1_000_000_000, "1"), (-1_500_000_000, "-1.5"),
            (.max, "9223372036.854775807"), (.min, "-9223372036.854775808"),
        ] as [(Int64, String)]
    )
    func numbers(nanoseconds: Int64, text: String) {
        #expect(MetricValue(nanoseconds: nanoseconds).text == text)
    }

    @Test("milliseconds are seconds with three decimals at most")
    func milliseconds() {
        #expect(MetricValue(milliseconds: 1_774_000_000_050).text == "1774000000.05")
        #expect(MetricValue(milliseconds: 1_774_000_000_000).text == "1774000000")
    }
}

@Suite("Endpoints")
struct EndpointTests {
    @Test(
        "are told by the path's form, and never carry anything of it",
        arguments: [
            ("/v1/tokens/web", .token), ("/v1/tokens/", .token), ("/v1/tokens/web/rejected", .tokenRejected),
            ("/v1/tokens/web/refresh", .tokenRefresh), ("/v1/tokens", .tokens), ("/v1/tokensx", .other),
            ("/v1/forward-auth/a/b?c", .forwardAuth), ("/routes/a", .route), ("/routes/a/rejected", .tokenRejected),
            ("/v1/authorize/a", .authorize), ("/v1/whoami", .whoami), ("/healthz", .health), ("/readyz", .readiness),
            ("/metrics", .metrics), ("/", .page), ("/v1/status", .status), ("/v1/status/", .other),
            ("/v1/secrets/a/stage", .secrets), ("/v1/devices/a", .devices), ("/v1/device-policy", .devices),
            ("/v1/audit", .audit), ("/v1/reload", .reload), ("/..", .other), ("/healthz/", .other), ("", .other),
        ] as [(String, Endpoint)]
    )
    func forms(path: String, endpoint: Endpoint) {
        let bytes = [0x20] + Array(path.utf8)
        #expect(Endpoint(bytes[1...]) == endpoint)
    }

    @Test("and the ways to end have names of their own")
    func names() {
        #expect(Set(Endpoint.allCases.map(\.label)).count == Endpoint.allCases.count)
        for endpoint in Endpoint.allCases {
            #expect(endpoint.label.allSatisfy { $0 == "_" || ("a"..."z").contains($0) })
        }
        #expect(Set(AnswerCode.allCases.map(\.label)).count == AnswerCode.allCases.count)
        #expect(AnswerCode(503).label == "503")
        #expect(AnswerCode(299).label == "other")
    }
}
