extension Knob {
    /// What new-api alone can be told.
    static let newAPI: [Knob] = [
        word("key_text", \.signingKeyText, "new-api: the key's text that signatures are made with (default: as-is)"),
        word("timestamp", \.timestampUnit, "new-api: what X-Timestamp counts (default: seconds)"),
        integer(
            "signature_window_seconds",
            \.signatureWindowSeconds,
            0...longestSpanSeconds,
            "new-api: how far X-Timestamp may be off (default: \(NewAPI.defaultWindowSeconds))"
        ),
    ]
}
