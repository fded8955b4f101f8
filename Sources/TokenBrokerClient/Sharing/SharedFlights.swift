internal import Synchronization

/// Does a piece of work once for all who want it at the same time.
///
/// The work is a task of its own. A caller that is cancelled stops waiting at once and takes nothing from the others; the
/// work is cancelled when the last of them has left.
final class SharedFlights<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Work = @Sendable () async throws -> Value

    private struct Flight {
        let number: UInt64
        let task: Task<Void, Never>
        var callers: [ObjectIdentifier: Delivery<Value>]
    }

    private struct State {
        var flights: [Key: Flight] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    /// How many callers wait for it.
    func callers(for key: Key) -> Int {
        state.withLock { $0.flights[key]?.callers.count ?? 0 }
    }

    /// Waits for the work that is under way for `key`, or for `work`, which is begun where none is.
    func value(for key: Key, _ work: @escaping Work) async throws -> Value {
        let caller = Delivery<Value>()
        join(key, caller, work)
        return try await caller.value { self.leave(key, caller) }
    }

    private func join(_ key: Key, _ caller: Delivery<Value>, _ work: @escaping Work) {
        state.withLock { state in
            if state.flights[key] != nil {
                state.flights[key]?.callers[ObjectIdentifier(caller)] = caller
                return
            }
            state.lastNumber += 1
            let number = state.lastNumber
            // Detached: nothing of the first caller's, its priority and its cancellation least of all, is in the work.
            let task = Task.detached {
                let result: Result<Value, any Error>
                do {
                    result = .success(try await work())
                } catch {
                    result = .failure(error)
                }
                self.land(key, number, result)
            }
            state.flights[key] = Flight(number: number, task: task, callers: [ObjectIdentifier(caller): caller])
        }
    }

    private func land(_ key: Key, _ number: UInt64, _ result: Result<Value, any Error>) {
        let callers: [Delivery<Value>] = state.withLock { state in
            guard let flight = state.flights[key], flight.number == number else { return [] }
            state.flights[key] = nil
            return Array(flight.callers.values)
        }
        for caller in callers { caller.close(with: result) }
    }

    private func leave(_ key: Key, _ caller: Delivery<Value>) {
        let abandoned: Task<Void, Never>? = state.withLock { state in
            guard state.flights[key]?.callers.removeValue(forKey: ObjectIdentifier(caller)) != nil,
                let flight = state.flights[key], flight.callers.isEmpty
            else { return nil }
            state.flights[key] = nil
            return flight.task
        }
        abandoned?.cancel()
    }
}
