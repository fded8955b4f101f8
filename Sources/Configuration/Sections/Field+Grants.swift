internal import TokenBroker

/// What an entry of `allow:` is read with.
struct GrantRules {
    let accounts: any Accounts
    let files: FileRule
    /// Why no grant can name a program; nil where one can.
    let blindness: String?

    /// - Parameter runsAs: the uid that `run_as` names.
    init(accounts: any Accounts, daemon: DaemonIdentity, runsAs: UInt32?) {
        self.accounts = accounts
        files = FileRule(daemon: daemon)
        let reason = "this daemon may not look at other users' executables"
        if !daemon.seesExecutables {
            blindness = "\(reason), for want of CAP_SYS_PTRACE: use 'unit'"
        } else if daemon.uid == 0, let runsAs, runsAs != 0 {
            blindness = "\(reason) once it is the user that 'run_as' names: use 'unit'"
        } else {
            blindness = nil
        }
    }
}

extension Field {
    /// An entry of `allow:`.
    ///
    /// - Returns: nil as well when one condition of several cannot be read: the others alone would let more in than was
    ///   meant.
    func grant(_ rules: GrantRules) -> Grant? {
        mapping { reader in
            let user = reader.optional("user")
            let group = reader.optional("group")
            let unit = reader.optional("unit")
            let executable = reader.optional("executable")
            let surfaces = reader.optional("only").map { $0.surfaces() } ?? Set(Surface.allCases)
            guard user != nil || group != nil || unit != nil else {
                return refusingBlock(
                    executable == nil
                        ? "needs 'user', 'group' or 'unit': without a condition it would hold for everyone"
                        : "needs 'user', 'group' or 'unit' beside 'executable': anybody can start a program"
                )
            }
            let uid = user?.user(rules.accounts)
            let gid = group?.group(rules.accounts)
            let unitName = unit?.unit()
            let file = executable?.executable(rules)
            guard (uid == nil) == (user == nil), (gid == nil) == (group == nil), (unitName == nil) == (unit == nil),
                (file == nil) == (executable == nil), let surfaces
            else { return nil }
            return Grant(user: uid, group: gid, unit: unitName, executable: file, surfaces: surfaces)
        }
    }

    /// A program's file, by what it is now: one that takes its place later is another until the next load.
    private func executable(_ rules: GrantRules) -> ExecutableFile? {
        guard let path = absolutePath() else { return nil }
        if let blindness = rules.blindness { return refusing(blindness) }
        do {
            // Symbolic links are followed: what counts is the file that the kernel runs.
            let file = try HeldFile(path)
            guard file.attributes.isRegular, file.attributes.permissions & 0o111 != 0 else {
                return refusing("is not a program")
            }
            let violations = rules.files.violationsOfProgram(file.attributes, path: path)
            for violation in violations { refuse("\(violation.fault): \(violation.remedy)") }
            guard violations.isEmpty else { return nil }
            return ExecutableFile(device: file.device, inode: file.inode, hold: file)
        } catch {
            return refusing("cannot be looked at: \(error)")
        }
    }

    private func surfaces() -> Set<Surface>? {
        guard let surfaces = list({ $0.choice(of: Surface.self) }) else { return nil }
        // Of a word that was reported nothing is left either, and one error is enough.
        if isEmptyList { return refusing("names nothing: leave it out for all") }
        return Set(surfaces)
    }

    var isEmptyList: Bool {
        if case .sequence(let elements) = node.content { elements.isEmpty } else { false }
    }
}
