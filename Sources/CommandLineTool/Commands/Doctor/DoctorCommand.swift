extension Command {
    static let doctor = Command(
        words: ["doctor"],
        operands: [Operand("FILE", .optional)],
        options: [.json],
        socket: .admin,
        summary: "say what is wrong with the set-up, and what mends it",
        details: [
            "Looks at the configuration, the secrets, the store, each provider (name, TLS and clock, from where the daemon "
                + "is), what holds the daemon in, and the sockets. A line for each begins with 'ok', 'warning' or "
                + "'fault'; below it stands the command that mends it or shows the cause. The exit status is 2 where there "
                + "is a fault.",
            "The daemon says most of it; no credential is sent anywhere. Where it is not there, FILE "
                + "(\(Installation.configurationPath)) and the secrets' files are looked at as it would. For root and "
                + "operators.",
        ],
        run: { (invocation, surroundings) throws(CommandFailure) in
            let findings = try Diagnosis(invocation, surroundings).findings()
            return .report(
                invocation.has(.json)
                    ? DoctorReport(findings).json
                    : DoctorReport(findings).text(usesColour: surroundings.usesColour)
            )
        }
    )
}
