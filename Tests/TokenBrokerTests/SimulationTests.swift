import Glibc
import TestSupport
import Testing

@testable import TokenBroker

/// The engine's main proof: thousands of random schedules, every promise checked after every step.
///
/// A failure names its seed; `SIMULATION_SEEDS=7-7` replays that one, `1-400` is a million steps.
@Suite("Random schedules", .blocking)
struct SimulationTests {
    static let steps = 2500
    static let seeds = chosenSeeds() ?? 1...6

    private static func chosenSeeds() -> ClosedRange<UInt64>? {
        guard let text = getenv("SIMULATION_SEEDS") else { return nil }
        let bounds = String(cString: text).split(separator: "-").compactMap { UInt64($0) }
        return bounds.count == 2 && bounds[0] <= bounds[1] ? bounds[0]...bounds[1] : nil
    }

    @Test("keep every promise: nothing expired, nothing thrown away, no herd, nobody forgotten")
    func promises() throws {
        var totals: [String: Int] = [:]
        for seed in Self.seeds {
            var step = 0
            do {
                var world = try SimulatedWorld(seed: seed)
                while step < Self.steps {
                    step += 1
                    try world.step()
                }
                totals.merge(world.counts, uniquingKeysWith: +)
            } catch {
                Issue.record("seed \(seed), step \(step): \(error)")
            }
        }
        let places = [
            "mints", "served", "failures", "rejections", "jumps", "changed definitions", "restarts", "late restores",
            "recoveries",
        ]
        for what in places {
            #expect((totals[what] ?? 0) > Self.seeds.count, "the schedules hardly reach \(what): \(totals)")
        }
        #expect(totals["kept pauses"] != nil, "no restart during a pause: \(totals)")
    }
}
