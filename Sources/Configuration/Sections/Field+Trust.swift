internal import Digests
internal import TokenBroker

extension Field {
    /// A block `tls:`.
    func trust(_ files: FileRule) -> TrustSettings? {
        mapping { reader in
            TrustSettings(
                additionalCAFile: reader.optional("ca_file")?.certificates(files)?.path,
                pins: reader.pins()
            )
        }
    }

    /// A PEM file that the daemon can read now, so that a wrong one is found before it is needed.
    func certificates(_ files: FileRule) -> (path: String, text: String)? {
        guard let path = absolutePath() else { return nil }
        do {
            let file = try OpenFile(path)
            let contents = try file.attributes.isRegular ? file.contents(limit: ConfigurationFile.maximumLength) : nil
            let text = contents.map { String(decoding: $0, as: UTF8.self) }
            guard let text, text.contains("-----BEGIN CERTIFICATE-----") else {
                return refusing("is not a PEM file of certificates")
            }
            let violations = files.violationsOfTrust(file.attributes, path: path)
            for violation in violations { refuse("\(violation.fault): \(violation.remedy)") }
            return violations.isEmpty ? (path, text) : nil
        } catch {
            return refusing("cannot be read: \(error)")
        }
    }

    fileprivate func pin() -> [UInt8]? {
        let expectation = "a pin: a SHA-256 in base64, 44 characters"
        guard let text = text(expectation) else { return nil }
        guard let digest = Base64.bytes(text), digest.count == CertificatePins.length else {
            return refusing("expected \(expectation)")
        }
        return digest
    }
}

extension MappingReader {
    /// - Returns: nil where there are none, which is what an empty list says.
    fileprivate mutating func pins() -> CertificatePins? {
        let digests = optional("pins").map { $0.list { $0.pin() } ?? [] }
        let form = optional("pin_of")
        if digests == nil { form?.refuseBlock("says what pins are of, and there are none: leave it out") }
        let formOrDefault = form.map { $0.choice(of: CertificatePins.Form.self) } ?? .certificate
        guard let digests, !digests.isEmpty, let formOrDefault else { return nil }
        return CertificatePins(Set(digests), of: formOrDefault)
    }
}
