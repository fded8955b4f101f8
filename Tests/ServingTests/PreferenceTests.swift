import HTTPWire
import Testing

@testable import Serving

@Suite("Preference")
struct PreferenceTests {
    @Test(
        "reads how long a caller is ready to wait",
        arguments: [
            (["wait=5"], 5), (["WAIT=5"], 5), (["wait=0"], 0), (["wait = 5"], 5), (["wait=\"5\""], 5),
            (["wait=007"], 7), (["respond-async, wait=5"], 5), (["respond-async,wait=5,return=minimal"], 5),
            (["wait=5; unit=seconds"], 5), (["respond-async", "wait=5"], 5), ([" \t wait=5 \t"], 5),
            (["wait=999999999"], 999_999_999), ([", ,wait=5,"], 5),
            // Only the first counts (RFC 7240 section 2).
            (["wait=5, wait=9"], 5), (["wait=5", "wait=9"], 5),
            // A malformed one is as good as none.
            (["wait=soon, wait=9"], 9), (["note=\"a, b\", wait=5"], 5), (["note=\"a \\\", wait=9\", wait=5"], 5),
        ] as [([String], Int64)]
    )
    func wait(_ values: [String], _ seconds: Int64) throws {
        #expect(try preference(values) == .seconds(seconds))
    }

    @Test(
        "takes a malformed preference for none",
        arguments: [
            "", "wait", "wait=", "wait=\"\"", "wait=-1", "wait=+1", "wait=1.5", "wait=1s", "wait=0x10", "wait=٥",
            "wait=1000000000", "wait=99999999999999999999", "=wait=5", "wait==5", "wait=5 6", "wait=\"5", "wait=5\"",
            "waits=5", "respond-async; wait=5", "note=\"x,wait=5,y\"", "note=\"x\\\",wait=5,y\"", "note=\"wait=5",
        ]
    )
    func malformed(_ value: String) throws {
        #expect(try preference([value]) == nil)
    }

    private func preference(_ values: [String]) throws -> Duration? {
        Preference(try parsed(message("GET /", values.map { "Prefer: \($0)" })).headers).wait
    }
}
