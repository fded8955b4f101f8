import Synchronization

/// Does work where it is asked for, unless a test holds it up.
final class HeldWork: Sendable {
    typealias Piece = @Sendable () -> Void

    private let held = Mutex<[Piece]?>(nil)

    func perform(_ piece: @escaping Piece) {
        let isHeld = held.withLock { held in
            held?.append(piece)
            return held != nil
        }
        if !isHeld { piece() }
    }

    func hold() {
        held.withLock { $0 = [] }
    }

    func release() {
        let pieces = held.withLock { held in
            defer { held = nil }
            return held ?? []
        }
        for piece in pieces { piece() }
    }
}
