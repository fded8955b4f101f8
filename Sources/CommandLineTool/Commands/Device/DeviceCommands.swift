extension Command {
    static let verifyAttestation = Command(
        words: ["device", "verify-attestation"],
        summary: "say why a device's attestation is refused",
        details: [
            "Reads JSON on standard input: app_id (TEAMID.com.example.app), environment (production or development), "
                + "key_id and attestation as the app sent them, and the challenge, all three in base64; or in place of "
                + "the challenge a client_data_hash of any length; and perhaps the time to check at (at, RFC 3339; "
                + "now, where it is missing).",
            verdictHelp,
        ],
        run: { (_, surroundings) throws(CommandFailure) in
            let input = try surroundings.readInput()
            return .report(DeviceVerdict(attestation: input, now: surroundings.now).report)
        }
    )

    static let verifyAssertion = Command(
        words: ["device", "verify-assertion"],
        summary: "say why a device's assertion is refused",
        details: [
            "Reads JSON on standard input: app_id, public_key (the 65-byte point in hexadecimal), previous_counter, "
                + "client_data and assertion in base64.",
            verdictHelp,
        ],
        run: { (_, surroundings) throws(CommandFailure) in
            .report(DeviceVerdict(assertion: try surroundings.readInput()).report)
        }
    )

    private static let verdictHelp =
        "Prints JSON with a verdict, valid or invalid, and a reason that never changes its meaning. The exit status is 0 "
        + "for valid and 1 for invalid. No broker is asked."
}
