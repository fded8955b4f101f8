internal import Glibc

extension Top {
    /// Draws on this process's terminal until somebody has seen enough.
    func perform() -> Report {
        guard let terminal = Terminal() else { return Report(failure: .usage("top draws on a terminal")) }
        repeat {
            let lines = frame(now: Int64(time(nil)), rows: terminal.rows)
            if let error = terminal.draw(lines) { return Report(writeError: error) }
        } while !terminal.isEndWanted(within: .seconds(1))
        return Report()
    }
}

/// The terminal while it is drawn on; it is as it was when this is gone.
private struct Terminal: ~Copyable {
    private static let keys = StandardStream.input

    private let before: termios?

    /// - Returns: nil where standard output is no terminal.
    init?() {
        guard StandardStream.output.isTerminal else { return nil }
        Self.holdSignals()
        before = Self.keys.takeKeys()
        // The alternate screen, no cursor, and lines that are cut and not wrapped.
        _ = StandardStream.output.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
    }

    deinit {
        _ = StandardStream.output.write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        if let before { Self.keys.giveBack(before) }
    }

    /// How many lines it has; what most terminals begin with where it does not say.
    var rows: Int {
        var size = winsize()
        let known = ioctl(StandardStream.output.rawValue, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0
        return known ? Int(size.ws_row) : 24
    }

    /// - Returns: the `errno` that stopped it, or nil.
    func draw(_ lines: [String]) -> Int32? {
        let text = lines.map { $0 + "\u{1B}[K" }.joined(separator: "\n")
        return StandardStream.output.write("\u{1B}[H" + text + "\u{1B}[J")
    }

    /// Waits for a key or a signal that ends it.
    func isEndWanted(within duration: Duration) -> Bool {
        var unblocked = sigset_t()
        sigemptyset(&unblocked)
        var time = timespec(tv_sec: Int(duration.components.seconds), tv_nsec: 0)
        var descriptors = fd_set()
        let watchesKeys = before != nil
        // Standard input is descriptor 0: the first bit.
        if watchesKeys { descriptors.__fds_bits.0 = 1 }
        // Signals come here and nowhere else, so that none can leave the terminal as it is.
        let ready = pselect(Self.keys.rawValue + 1, &descriptors, nil, nil, &time, &unblocked)
        if ready < 0 { return true }
        return ready > 0 && Self.keys.isEndTyped
    }

    /// Holds back the signals that end a program, until ``isEndWanted(within:)`` looks for them.
    private static func holdSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            signal(number) { _ in }
            sigaddset(&signals, number)
        }
        sigprocmask(SIG_BLOCK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
    }
}

extension StandardStream {
    /// Reads what was typed: `q`, Ctrl-C, Ctrl-D or the terminal's end mean that it is enough.
    fileprivate var isEndTyped: Bool {
        var typed = [UInt8](repeating: 0, count: 64)
        let count = read(rawValue, &typed, typed.count)
        guard count > 0 else { return count == 0 || errno != EINTR }
        return typed[..<count].contains { [UInt8(ascii: "q"), UInt8(ascii: "Q"), 3, 4].contains($0) }
    }

    fileprivate func write(_ text: String) -> Int32? {
        write(Array(text.utf8))
    }
}
