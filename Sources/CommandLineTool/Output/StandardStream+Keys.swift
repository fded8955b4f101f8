internal import Glibc

extension StandardStream {
    /// Has single keys delivered at once, without an echo; Ctrl-C and Ctrl-Z are keys then.
    ///
    /// - Returns: how it was before; nil where it is no terminal.
    func takeKeys() -> termios? {
        var settings = termios()
        guard isTerminal, tcgetattr(rawValue, &settings) == 0 else { return nil }
        let before = settings
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        return tcsetattr(rawValue, TCSANOW, &settings) == 0 ? before : nil
    }

    /// What was typed and not read is thrown away: the rest of a paste must not become a command of the shell's.
    func giveBack(_ settings: termios) {
        var settings = settings
        tcsetattr(rawValue, TCSAFLUSH, &settings)
    }
}
