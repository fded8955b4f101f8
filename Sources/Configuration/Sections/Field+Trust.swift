internal import Digests
internal import TokenBroker

extension Field {
    /// A block `tls:`.
    func trust(_ files: FileRule) -> TrustSettings? {
        mapping { reader in
            TrustSettings(
                additionalCAFile: reader.optional("ca_file")?.certificateFile(files),
                pins: reader.pins()
            )
        }
    }

    /// The path of a PEM file that the daemon can read now, so that a wrong one is found before the first handshake.
    private func certificateFile(_ files: FileRule) -> String? {
        guard let path = absolutePath() else { return nil }
        do {
            let file = try OpenFile(path)
            guard file.attributes.isRegular, let text = try file.contents(limit: ConfigurationFile.maximumLength),
                String(decoding: text, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----")
            else { return refusing("is not a PEM file of certificates") }
            let violations = files.violationsOfTrust(file.attributes, path: path)
            for violation in violations { refuse("\(violation.fault): \(violation.remedy)") }
            return violations.isEmpty ? path : nil
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
